#include "cache/function_cache.h"

#include "cache/guard_check.h"

#include "load/md5.h"
#include "passes/partition.h"

#include <algorithm>

namespace aotscope::cache {

namespace {

/// Identifies a set of guards: the last part of an entry's name.
std::string variantOf(const std::vector<aot::RetraceGuard>& guards) {
    load::Md5 digest;
    for (const aot::RetraceGuard& guard : guards) {
        digest.update(guard.expression.text());
        digest.update("\n");
    }
    return digest.hexDigest();
}

std::size_t nodesOf(const CacheEntry& entry) {
    const auto size = [](const ir::GraphPtr& graph) { return graph ? graph->size() : std::size_t(0); };
    const auto& partition = entry.result.function.partition;
    return size(entry.result.function.graph) +
           (partition ? size(partition->forward) + size(partition->backward) : std::size_t(0));
}

Lookup missed(const CacheKey& key, std::string reason) {
    return {nullptr, {.state = aot::CacheState::Miss, .key = key.digest, .reason = std::move(reason)}};
}

Lookup found(CacheEntryPtr entry, const char* where) {
    aot::CacheOutcome outcome{.state = aot::CacheState::Hit, .key = entry->key.digest, .reason = where};
    outcome.savedNanoseconds = entry->result.nanoseconds;
    return {std::move(entry), std::move(outcome)};
}

/// What is kept apart of a recompile: which guard failed, at which values.
std::string recompileReason(const FailedGuard& failed) {
    return "compiled before for other sizes; " + failed.text();
}

constexpr const char* neverSeen = "not compiled before";

} // namespace

FunctionCache::FunctionCache(CacheOptions options)
    : m_folder(std::move(options.disk)), m_mostNodes(options.nodesInMemory) {}

Lookup FunctionCache::lookup(const CacheKey& key, const ir::SymbolBindings& values) {
    Lookup remembered = inMemory(key, values);
    if (remembered.entry || !m_folder.isUsed()) {
        return remembered;
    }
    Lookup stored = onDisk(key, values);
    const bool saysMore = stored.entry || stored.outcome.reason != neverSeen;
    return saysMore ? std::move(stored) : std::move(remembered);
}

Lookup FunctionCache::inMemory(const CacheKey& key, const ir::SymbolBindings& values) {
    const std::lock_guard lock(m_mutex);
    std::string reason = neverSeen;
    for (auto at = m_entries.begin(); at != m_entries.end(); ++at) {
        const CacheEntry& entry = *at->entry;
        if (entry.key.components == key.components) {
            const auto failed = firstFailedGuard(entry.result.function.guards, values);
            if (!failed) {
                m_entries.splice(m_entries.begin(), m_entries, at);
                return found(m_entries.front().entry, "from memory");
            }
            reason = recompileReason(*failed);
        } else if (reason == neverSeen && entry.key.programDigest == key.programDigest) {
            reason = "compiled before in another configuration: " + componentsApart(entry.key, key);
        }
    }
    return missed(key, std::move(reason));
}

Lookup FunctionCache::onDisk(const CacheKey& key, const ir::SymbolBindings& values) {
    std::string guards;
    std::string damage;
    std::string otherConfiguration;
    for (const StoredFile& file : m_folder.list()) {
        if (file.name.program != key.programDigest) {
            continue;
        }
        const bool isOther = file.name.key != key.digest;
        if (isOther && !otherConfiguration.empty()) {
            continue;
        }
        const auto text = m_folder.read(file.name);
        if (isOther) {
            const auto header = text ? readEntryHeader(*text) : base::Result<EntryHeader>(text.error());
            otherConfiguration = header ? componentsApart(header->key, key) : otherConfiguration;
            continue;
        }
        auto entry = text ? readEntry(*text) : base::Result<CacheEntry>(text.error());
        if (!entry) {
            damage = entry.error().message;
            continue;
        }
        // The name says it is the same key. Only the whole texts prove it.
        if (entry->key.components != key.components) {
            damage = "The entry is of another compile than its name says.";
            continue;
        }
        if (const auto failed = firstFailedGuard(entry->result.function.guards, values)) {
            guards = recompileReason(*failed);
            continue;
        }
        m_folder.touch(file.name);
        auto shared = std::make_shared<const CacheEntry>(std::move(entry).value());
        remember(file.name.variant, shared);
        return found(std::move(shared), "from disk");
    }
    if (!guards.empty()) {
        return missed(key, std::move(guards));
    }
    if (!damage.empty()) {
        return missed(key, "the stored entry is not taken: " + damage);
    }
    return missed(key, otherConfiguration.empty()
                           ? std::string(neverSeen)
                           : "compiled before in another configuration: " + otherConfiguration);
}

void FunctionCache::remember(std::string variant, CacheEntryPtr entry) {
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_entries, [&](const Remembered& other) {
        return other.variant == variant && other.entry->key.digest == entry->key.digest;
    });
    m_entries.push_front({std::move(variant), std::move(entry)});
    std::size_t nodes = 0;
    for (auto at = m_entries.begin(); at != m_entries.end();) {
        nodes += nodesOf(*at->entry);
        at = nodes > m_mostNodes ? m_entries.erase(at) : std::next(at);
    }
}

base::Result<void> FunctionCache::store(const CacheKey& key, const aot::RetraceResult& result) {
    auto entry = std::make_shared<const CacheEntry>(makeEntry(key, result));
    const std::string variant = variantOf(result.function.guards);
    remember(variant, entry);
    if (!m_folder.isUsed()) {
        return {};
    }
    return m_folder.write({key.programDigest, key.digest, variant}, entryToText(*entry));
}

std::vector<ListedEntry> FunctionCache::list() const {
    std::vector<ListedEntry> entries;
    for (StoredFile& file : m_folder.list()) {
        const auto text = m_folder.read(file.name);
        auto header = text ? readEntryHeader(*text) : base::Result<EntryHeader>(text.error());
        if (header) {
            // A view into a text that ends here.
            header->function = {};
        }
        entries.push_back({std::move(file), std::move(header)});
    }
    return entries;
}

std::vector<FunctionCache::Shown> FunctionCache::show(std::string_view keyStart) const {
    std::vector<Shown> shown;
    for (StoredFile& file : m_folder.list()) {
        if (file.name.key.starts_with(keyStart)) {
            const auto text = m_folder.read(file.name);
            shown.push_back(
                {std::move(file), text ? readEntry(*text) : base::Result<CacheEntry>(text.error())});
        }
    }
    return shown;
}

base::Result<std::size_t> FunctionCache::clear() {
    {
        const std::lock_guard lock(m_mutex);
        m_entries.clear();
    }
    return m_folder.clear();
}

} // namespace aotscope::cache
