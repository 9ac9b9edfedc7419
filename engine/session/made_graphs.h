#pragma once

#include "session/retrace_snapshot.h"
#include "session/snapshots.h"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace aotscope::session {

/// Graphs that are in no file: traced here, halves of a joint graph that was split here, or what a paused
/// trace had recorded. They live as long as their log is open, and can be named like logged graphs.
/// Thread-safe.
class MadeGraphs {
public:
    /// Printing and deriving take longer than making a graph, so a half is described when it is asked for.
    struct Half {
        ArtifactReference reference;
        ir::GraphPtr graph;
        /// As describeGraph takes them.
        std::vector<std::string> inputSources;
    };

    /// Keeps them in place of those of the same names, unless `isCurrent` denies: the log was closed.
    void insert(const RetraceSnapshotPtr& traced, const std::function<bool()>& isCurrent);
    void insert(std::vector<Half> halves, const std::function<bool()>& isCurrent);
    void insert(const GraphSnapshotPtr& described, const std::function<bool()>& isCurrent);
    void erase(const ArtifactReference& reference);
    void eraseLog(std::uint32_t log);

    /// Null when there is none.
    [[nodiscard]] GraphSnapshotPtr tryFind(const ArtifactReference& reference);
    /// Of a graph that was traced here: how. Null when it was not.
    [[nodiscard]] RetraceSnapshotPtr tryTrace(const ArtifactReference& reference) const;

private:
    mutable std::mutex m_mutex;
    std::map<ArtifactReference, RetraceSnapshotPtr> m_traced;
    std::map<ArtifactReference, Half> m_halves;
    std::map<ArtifactReference, GraphSnapshotPtr> m_described;
};

} // namespace aotscope::session
