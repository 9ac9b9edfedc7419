#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cache {

/// The name of an entry's file, which is made of digests alone: `program-key-variant.aotfn`. Nothing that is
/// read from a file becomes part of a path.
struct EntryName {
    /// CacheKey::programDigest
    std::string program;
    /// CacheKey::digest
    std::string key;
    /// Of the guards: one key has an entry for each set of guards.
    std::string variant;

    [[nodiscard]] std::string fileName() const;
    /// Nothing if the name has another form.
    [[nodiscard]] static std::optional<EntryName> from(std::string_view fileName);
    friend bool operator==(const EntryName&, const EntryName&) = default;
};

struct StoredFile {
    EntryName name;
    std::uint64_t bytes = 0;
    /// When it was stored or last taken, since the Unix epoch.
    std::int64_t usedNanoseconds = 0;
};

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

/// A folder of entries that several processes may use at once. A reader sees a whole entry or none: an entry
/// is written under another name, flushed to the disk and renamed. Writers take turns through a lock on a
/// file, which ends with its process; so what a killed writer left behind is removed by the next one.
/// Thread-safe.
class EntryFolder {
public:
    explicit EntryFolder(FolderOptions options) : m_options(std::move(options)) {}

    [[nodiscard]] const FolderOptions& options() const { return m_options; }
    [[nodiscard]] bool isUsed() const { return !m_options.folder.empty(); }

    /// All entries, sorted by name; of very many files the first found. Other files are left out.
    [[nodiscard]] std::vector<StoredFile> list() const;
    /// Errors: cache.read (gone, no regular file, unreadable), cache.oversized.
    [[nodiscard]] base::Result<std::string> read(const EntryName& name) const;
    /// Marks it as the most recently used.
    void touch(const EntryName& name) const;
    /// Replaces the entry of that name. Errors: cache.write (names the step that failed), cache.oversized,
    /// cache.locked (another process holds the lock for long).
    [[nodiscard]] base::Result<void> write(const EntryName& name, std::string_view text) const;
    /// Removes all entries; returns how many. Errors: cache.write, cache.locked.
    [[nodiscard]] base::Result<std::size_t> clear() const;

private:
    void evict(const EntryName& kept) const;

    FolderOptions m_options;
};

/// $XDG_CACHE_HOME/aotscope/compiled, else ~/.cache/aotscope/compiled; empty if neither variable is set.
[[nodiscard]] std::filesystem::path defaultCacheFolder();

} // namespace aotscope::cache
