#include "cache/cache_key.h"

#include "load/md5.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <string_view>

namespace aotscope::cache {

namespace {

constexpr std::size_t aligned(std::size_t size) {
    return (size + 3) & ~std::size_t(3);
}

/// The build id among the notes of a loaded segment; empty: none.
std::string_view buildIdIn(std::string_view notes) {
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header = {};
        std::memcpy(&header, notes.data(), sizeof(header));
        notes.remove_prefix(sizeof(header));
        const std::size_t name = aligned(header.n_namesz);
        const std::size_t content = aligned(header.n_descsz);
        if (name > notes.size() || content > notes.size() - name) {
            break;
        }
        if (header.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == std::string_view("GNU\0", 4)) {
            return notes.substr(name, header.n_descsz);
        }
        notes.remove_prefix(name + content);
    }
    return {};
}

int collect(dl_phdr_info* object, std::size_t, void* ids) {
    const std::string_view path = object->dlpi_name != nullptr ? object->dlpi_name : "";
    const std::string_view file = path.substr(path.rfind('/') + 1);
    if (!file.starts_with("libaotscope") && !file.starts_with("libtorch") && !file.starts_with("libc10")) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type == PT_NOTE) {
            const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr); // NOLINT
            const std::string_view id = buildIdIn({notes, segment.p_memsz});
            if (!id.empty()) {
                static_cast<std::set<std::string>*>(ids)->insert(std::string(file) + " " + std::string(id));
            }
        }
    }
    return 0;
}

} // namespace

std::string engineIdentity() {
    std::set<std::string> ids;
    dl_iterate_phdr(collect, &ids);
    if (ids.empty()) {
        return {};
    }
    load::Md5 digest;
    for (const std::string& id : ids) {
        digest.update(id);
    }
    return digest.hexDigest();
}

} // namespace aotscope::cache
