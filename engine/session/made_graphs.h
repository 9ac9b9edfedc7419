#pragma once

#include "contract/retrace_snapshot.h"
#include "contract/snapshots.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace aotscope::session {

/// Graphs that are in no file: re-traces, halves of partitions, and partial graphs of paused traces. They can
/// be named like logged graphs, as long as their log is open. Thread-safe.
class MadeGraphs {
public:
    /// Described on demand, because printing and deriving take longer than building the graph.
    struct Half {
        ArtifactReference reference;
        ir::GraphPtr graph;
        /// The sources that describeGraph takes.
        std::vector<std::string> inputSources;
    };

    /// Replaces graphs of the same names. Does nothing if `isCurrent` returns false, that is if the log was
    /// closed.
    void insert(const RetraceSnapshotPtr& traced, const std::function<bool()>& isCurrent);
    void insert(std::vector<Half> halves, const std::function<bool()>& isCurrent);
    void insert(const GraphSnapshotPtr& described, const std::function<bool()>& isCurrent);
    void erase(const ArtifactReference& reference);
    void eraseLog(std::uint32_t log);

    /// Null: there is none.
    [[nodiscard]] GraphSnapshotPtr tryFind(const ArtifactReference& reference);
    /// The re-trace that a graph comes from; null if it was not traced here.
    [[nodiscard]] RetraceSnapshotPtr tryTrace(const ArtifactReference& reference) const;

private:
    mutable std::mutex m_mutex;
    std::map<ArtifactReference, RetraceSnapshotPtr> m_traced;
    std::map<ArtifactReference, Half> m_halves;
    std::map<ArtifactReference, GraphSnapshotPtr> m_described;
};

} // namespace aotscope::session
