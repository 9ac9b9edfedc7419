#pragma once

#include "base/describe.h"
#include "base/entry_folder.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cache {

/// The name of an entry's file, which consists of digests: `program-key-variant.aotfn`. Nothing that is read
/// from a file becomes part of a path.
struct EntryName {
    /// CacheKey::programDigest
    std::string program;
    /// CacheKey::digest
    std::string key;
    /// Digest of the guards: one key has an entry for each set of guards.
    std::string variant;

    [[nodiscard]] std::string fileName() const;
    /// Nothing if the name has another form.
    [[nodiscard]] static std::optional<EntryName> from(std::string_view fileName);
    friend bool operator==(const EntryName&, const EntryName&) = default;
};
AOTSCOPE_MEMBERS(EntryName, program, key, variant)

struct StoredFile {
    EntryName name;
    std::uint64_t bytes = 0;
    /// When it was stored or last taken, since the Unix epoch.
    std::int64_t usedNanoseconds = 0;
};
AOTSCOPE_MEMBERS(StoredFile, name, bytes, usedNanoseconds)

struct FolderOptions {
    /// Created when the first entry is stored, for the user alone. Empty: nothing is kept on disk.
    std::filesystem::path folder;
    /// Of all entries together: the least recently used are removed first.
    std::uint64_t mostBytes = std::uint64_t(1) << 30;
    /// A larger file is neither written nor read.
    std::uint64_t mostEntryBytes = std::uint64_t(256) << 20;
    /// For tests: called when a file is written and does not have its name yet. Null: nothing is called.
    std::function<void()> beforeRename = {};
};

/// The folder of compiled functions: a base::EntryFolder whose names tell what they are entries of.
/// Thread-safe.
class EntryFolder {
public:
    explicit EntryFolder(FolderOptions options);

    [[nodiscard]] const FolderOptions& options() const { return m_options; }
    [[nodiscard]] bool isUsed() const { return m_folder.isUsed(); }

    /// As those of base::EntryFolder, with the same errors.
    [[nodiscard]] std::vector<StoredFile> list() const;
    [[nodiscard]] base::Result<std::string> read(const EntryName& name) const {
        return m_folder.read(name.fileName());
    }
    void touch(const EntryName& name) const { m_folder.touch(name.fileName()); }
    [[nodiscard]] base::Result<void> write(const EntryName& name, std::string_view text) const {
        return m_folder.write(name.fileName(), text);
    }
    [[nodiscard]] base::Result<std::size_t> clear() const { return m_folder.clear(); }

private:
    FolderOptions m_options;
    base::EntryFolder m_folder;
};

/// $XDG_CACHE_HOME/aotscope/compiled, else ~/.cache/aotscope/compiled; empty if neither variable is set.
[[nodiscard]] std::filesystem::path defaultCacheFolder();

} // namespace aotscope::cache
