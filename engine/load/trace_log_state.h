#pragma once

#include "load/file_bytes.h"
#include "load/log_index.h"
#include "load/payload_text.h"
#include "load/trace_log.h"

#include <memory>
#include <mutex>
#include <unordered_map>

namespace aotscope::load {

/// The artifact lists of a log's compiles, built on first use. Thread-safe; lists have stable addresses.
class ArtifactLists {
public:
    ArtifactLists() = default;
    /// Starts without lists, because the copy of a log's state is a separate log that grows further.
    ArtifactLists(const ArtifactLists& /*other*/) {}
    ArtifactLists& operator=(const ArtifactLists& /*other*/) = delete;
    ~ArtifactLists() = default;

    [[nodiscard]] const ArtifactList* tryFind(CompileIndex index) const {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_lists.find(index.index());
        return found == m_lists.end() ? nullptr : found->second.get();
    }
    /// If two threads built the list of the same compile, the first one is kept.
    const ArtifactList& keep(CompileIndex index, std::unique_ptr<const ArtifactList> list) const {
        const std::scoped_lock lock(m_mutex);
        return *m_lists.try_emplace(index.index(), std::move(list)).first->second;
    }

private:
    mutable std::mutex m_mutex;
    mutable std::unordered_map<std::uint32_t, std::unique_ptr<const ArtifactList>> m_lists;
};

struct TraceLog::State {
    std::filesystem::path path;
    std::shared_ptr<const FileBytes> file;
    LogIndex index;
    std::optional<std::int32_t> rank;
    ReadOptions options;
    ArtifactLists lists;

    [[nodiscard]] bool holds(RecordId id) const { return id.valid() && id.index() < index.recordCount(); }
    /// A record's text; empty: the file was truncated since.
    [[nodiscard]] RecordText record(RecordId id) const;
    /// From the index, or from the envelope where it has no name.
    [[nodiscard]] RecordName name(RecordId id) const;
};

} // namespace aotscope::load
