#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::base {

/// A file of an entry folder.
struct EntryFile {
    std::string name;
    std::uint64_t bytes = 0;
    /// When it was stored or last taken, since the Unix epoch.
    std::int64_t usedNanoseconds = 0;
};

struct EntryFolderOptions {
    /// Created when the first entry is stored, for the user alone. Empty: nothing is kept on disk.
    std::filesystem::path folder;
    /// ".aotfn": what the names of entries end with, behind digests of 32 hexadecimal digits that are joined
    /// by "-". Other files are nobody's and stay.
    std::string suffix;
    /// How many digests a name has.
    std::size_t digests = 1;
    /// Of all entries together: the least recently used are removed first.
    std::uint64_t mostBytes = std::uint64_t(1) << 30U;
    /// A larger file is neither written nor read.
    std::uint64_t mostEntryBytes = std::uint64_t(256) << 20U;
    /// What errors of the folder say to do.
    std::string hint = {};
    /// For tests: called when a file is written and does not have its name yet. Null: nothing is called.
    std::function<void()> beforeRename = {};
};

/// A folder of entries that several processes may use at once. A reader sees a whole entry or none: an entry
/// is written under another name, flushed to the disk and renamed. Writers take turns through a lock on a
/// file, which ends with its process; so what a killed writer left behind is removed by the next one.
/// Thread-safe.
class EntryFolder {
public:
    explicit EntryFolder(EntryFolderOptions options) : m_options(std::move(options)) {}

    [[nodiscard]] const EntryFolderOptions& options() const { return m_options; }
    [[nodiscard]] bool isUsed() const { return !m_options.folder.empty(); }
    /// Whether a name consists of digests only. Nothing else that a file contains may become part of a path.
    [[nodiscard]] bool isEntryName(std::string_view name) const;

    /// All entries, sorted by name; of very many files the first found. Other files are left out.
    [[nodiscard]] std::vector<EntryFile> list() const;
    /// Errors: cache.read (gone, no regular file, unreadable, no name of an entry), cache.oversized.
    [[nodiscard]] Result<std::string> read(const std::string& name) const;
    /// Marks it as the most recently used.
    void touch(const std::string& name) const;
    /// Replaces the entry of that name. Errors: cache.write (names the step that failed), cache.oversized,
    /// cache.locked (another process holds the lock for long).
    [[nodiscard]] Result<void> write(const std::string& name, std::string_view text) const;
    /// Removes all entries; returns how many. Errors: cache.write, cache.locked.
    [[nodiscard]] Result<std::size_t> clear() const;

private:
    [[nodiscard]] Error failed(const char* code, const std::string& what,
                               const std::filesystem::path& path) const;
    [[nodiscard]] Result<void> makeFolder() const;
    void evict(const std::string& kept) const;

    EntryFolderOptions m_options;
};

/// $XDG_CACHE_HOME/aotscope/NAME, else ~/.cache/aotscope/NAME; empty if neither variable is set.
[[nodiscard]] std::filesystem::path userCacheFolder(std::string_view name);

} // namespace aotscope::base
