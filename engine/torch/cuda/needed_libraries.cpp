#include "cuda/needed_libraries.h"

#include "base/elf_image.h"
#include "base/progress.h"
#include "load/file_bytes.h"

#include <algorithm>
#include <elf.h>
#include <optional>

namespace aotscope::torch {

namespace {

/// Where in the file an address of the loaded library lies; nothing: nowhere.
std::optional<std::uint64_t> offsetOf(const base::ElfImage& image, std::uint64_t address) {
    const auto segment = std::ranges::find_if(image.segments(), [address](const Elf64_Phdr& one) {
        return one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz;
    });
    return segment == image.segments().end() ? std::nullopt
                                             : std::optional(address - segment->p_vaddr + segment->p_offset);
}

std::vector<std::string> namesIn(const base::ElfImage& image, const Elf64_Phdr& dynamic,
                                 std::string_view bytes) {
    std::vector<std::uint64_t> names;
    std::optional<std::uint64_t> strings;
    for (const auto& entry : base::elfEntries<Elf64_Dyn>(image.part(dynamic.p_offset, dynamic.p_filesz))) {
        if (entry.d_tag == DT_NULL) {
            break;
        }
        if (entry.d_tag == DT_NEEDED) {
            names.push_back(entry.d_un.d_val);
        } else if (entry.d_tag == DT_STRTAB) {
            strings = offsetOf(image, entry.d_un.d_ptr);
        }
    }
    std::vector<std::string> needed;
    for (const std::uint64_t name : strings ? names : std::vector<std::uint64_t>()) {
        needed.emplace_back(base::ElfImage::text(bytes, *strings + name));
    }
    return needed;
}

} // namespace

std::vector<std::string> neededLibraries(const std::filesystem::path& library) {
    constexpr std::uint64_t mostUnpacked = 1U << 20U;
    base::Progress progress;
    const auto file = load::FileBytes::open(library, mostUnpacked, progress);
    const auto image = file ? base::ElfImage::open((*file)->bytes()) : std::nullopt;
    if (!image) {
        return {};
    }
    const auto dynamic = std::ranges::find(image->segments(), Elf64_Word(PT_DYNAMIC), &Elf64_Phdr::p_type);
    return dynamic == image->segments().end() ? std::vector<std::string>()
                                              : namesIn(*image, *dynamic, (*file)->bytes());
}

} // namespace aotscope::torch
