#include "cache/entry_folder.h"

#include <algorithm>

namespace aotscope::cache {

namespace {

constexpr std::string_view suffix = ".aotfn";
constexpr std::size_t digits = 32;

base::EntryFolderOptions baseOptions(const FolderOptions& options) {
    return {.folder = options.folder,
            .suffix = std::string(suffix),
            .digests = 3,
            .mostBytes = options.mostBytes,
            .mostEntryBytes = options.mostEntryBytes,
            .hint = "Check the cache's folder: aotscope-cli cache list.",
            .beforeRename = options.beforeRename};
}

} // namespace

std::string EntryName::fileName() const {
    return program + "-" + key + "-" + variant + std::string(suffix);
}

std::optional<EntryName> EntryName::from(std::string_view fileName) {
    if (!base::EntryFolder(baseOptions({})).isEntryName(fileName)) {
        return std::nullopt;
    }
    return EntryName{std::string(fileName.substr(0, digits)),
                     std::string(fileName.substr(digits + 1, digits)),
                     std::string(fileName.substr(2 * digits + 2, digits))};
}

EntryFolder::EntryFolder(FolderOptions options)
    : m_options(std::move(options)), m_folder(baseOptions(m_options)) {}

std::vector<StoredFile> EntryFolder::list() const {
    std::vector<StoredFile> files;
    for (const base::EntryFile& file : m_folder.list()) {
        if (auto name = EntryName::from(file.name)) {
            files.push_back({*std::move(name), file.bytes, file.usedNanoseconds});
        }
    }
    return files;
}

std::filesystem::path defaultCacheFolder() {
    return base::userCacheFolder("compiled");
}

} // namespace aotscope::cache
