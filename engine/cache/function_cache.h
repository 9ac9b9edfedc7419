#pragma once

#include "cache/entry_folder.h"
#include "cache/entry_text.h"

#include "aot/cache_outcome.h"

#include "base/result.h"

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <vector>

namespace aotscope::cache {

struct CacheOptions {
    FolderOptions disk = {};
    /// Bound of the entries in memory, in nodes of their graphs; the least recently used are dropped first.
    std::size_t nodesInMemory = 500'000;
};

/// A found entry, or why there is none.
struct Lookup {
    /// Null for a miss.
    CacheEntryPtr entry;
    /// State, key and reason.
    aot::CacheOutcome outcome;
};

/// One entry of the folder, as a list shows it.
struct ListedEntry {
    StoredFile file;
    /// Without its compiled function. The error says what is wrong with the file; a lookup misses it.
    base::Result<EntryHeader> header;
};

/// The cache of compiled functions: first in memory, then in a folder. A lookup trusts no file: one that is
/// damaged, foreign, of another version, cut off or too large is a miss with the reason. Thread-safe.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/autograd_cache.py: AOTAutogradCache.try_load and save;
/// torch/_inductor/codecache.py: GuardedCache.find_guarded_entry.
class FunctionCache {
public:
    explicit FunctionCache(CacheOptions options);

    /// The first entry of that key whose guards hold for these values of symbols.
    [[nodiscard]] Lookup lookup(const CacheKey& key, const ir::SymbolBindings& values);
    /// Keeps a compile in memory and in the folder. Errors: those of EntryFolder::write; it is then kept in
    /// memory alone.
    [[nodiscard]] base::Result<void> store(const CacheKey& key, const aot::RetraceResult& result);

    /// The folder's entries, sorted by name.
    [[nodiscard]] std::vector<ListedEntry> list() const;
    /// Those whose key begins with these digits. With the whole compiled function, or the error of
    /// reading it.
    struct Shown {
        StoredFile file;
        base::Result<CacheEntry> entry;
    };
    [[nodiscard]] std::vector<Shown> show(std::string_view keyStart) const;
    /// Forgets all entries, in memory and in the folder; returns how many files. Errors: those of
    /// EntryFolder::clear.
    [[nodiscard]] base::Result<std::size_t> clear();

    [[nodiscard]] const EntryFolder& folder() const { return m_folder; }

private:
    /// Entries of one key may differ in their guards.
    struct Remembered {
        std::string variant;
        CacheEntryPtr entry;
    };
    [[nodiscard]] Lookup inMemory(const CacheKey& key, const ir::SymbolBindings& values);
    [[nodiscard]] Lookup onDisk(const CacheKey& key, const ir::SymbolBindings& values);
    void remember(std::string variant, CacheEntryPtr entry);

    EntryFolder m_folder;
    const std::size_t m_mostNodes;
    std::mutex m_mutex;
    /// The most recently used first.
    std::list<Remembered> m_entries;
};

} // namespace aotscope::cache
