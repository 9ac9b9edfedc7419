#pragma once

#include "session/graph_cache.h"
#include "session/log_store.h"
#include "session/made_graphs.h"

#include "aot/global_state.h"
#include "contract/requests.h"
#include "contract/retrace_snapshot.h"
#include "contract/snapshots.h"
#include "layout/layout.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// Pictures of a trace's stages. All stages are laid out together and kept, so that switching between them
/// takes no time. Thread-safe.
class StageLayouts {
public:
    /// One picture per stage, null for a stage without a graph. Errors: session.canceled.
    [[nodiscard]] base::Result<std::vector<layout::LayoutPtr>>
    of(const RetraceSnapshotPtr& traced, const layout::LayoutOptions& options, base::Progress progress);
    void eraseLog(std::uint32_t log);

private:
    struct Made {
        RetraceSnapshotPtr traced;
        layout::LayoutOptions options;
        std::vector<layout::LayoutPtr> layouts;
    };

    std::mutex m_mutex;
    /// Most recent first.
    std::list<Made> m_made;
};

/// All graphs that a reference can name, read from an open log (and cached) or computed here. Thread-safe.
class GraphSource {
public:
    explicit GraphSource(std::size_t cachedNodes) : m_cache(cachedNodes) {}

    [[nodiscard]] LogStore& logs() { return m_logs; }
    [[nodiscard]] const LogStore& logs() const { return m_logs; }
    [[nodiscard]] MadeGraphs& made() { return m_made; }

    /// Errors as for Session::graph.
    [[nodiscard]] base::Result<GraphSnapshotPtr> graph(const ArtifactReference& reference,
                                                       const base::Progress& progress);
    /// Like `graph`, but a parse error is an error here.
    [[nodiscard]] base::Result<GraphSnapshotPtr> parsedGraph(const ArtifactReference& reference,
                                                             const base::Progress& progress);
    /// The global state that the graph's compile had; nothing: its file does not tell.
    [[nodiscard]] std::optional<aot::GlobalState> stateOf(const ArtifactReference& reference) const;
    /// Has no layout if the graph could not be parsed.
    [[nodiscard]] base::Result<LayoutSnapshotPtr> layout(const LayOutGraph& command, base::Progress progress);
    /// A layout by its number; null if unknown or no longer held by anyone.
    [[nodiscard]] LayoutSnapshotPtr tryPicture(std::uint64_t number);
    [[nodiscard]] base::Result<DiffSnapshotPtr> compare(const CompareGraphs& command,
                                                        base::Progress progress);
    /// "trace.log:0/0:joint"
    [[nodiscard]] std::string titleOf(const GraphSnapshot& graph) const;
    /// Call when the log was closed or replaced.
    void forget(std::uint32_t log);
    /// Call when the log has grown. Keeps the graphs that were computed here.
    void forgetRead(const ChangedCompiles& changed);

private:
    [[nodiscard]] base::Result<LayoutSnapshotPtr> stageLayout(const LayOutGraph& command,
                                                              const RetraceSnapshotPtr& traced,
                                                              std::size_t stage,
                                                              const base::Progress& progress);
    /// Gives it a number.
    [[nodiscard]] LayoutSnapshotPtr numbered(LayoutSnapshot snapshot);
    [[nodiscard]] GraphSnapshotPtr tryKnown(const ArtifactReference& reference);

    LogStore m_logs;
    std::mutex m_cacheMutex;
    GraphCache m_cache;
    MadeGraphs m_made;
    StageLayouts m_stageLayouts;
    std::mutex m_picturesMutex;
    std::uint64_t m_lastPicture = 0;
    std::map<std::uint64_t, std::weak_ptr<const LayoutSnapshot>> m_pictures;
};

} // namespace aotscope::session
