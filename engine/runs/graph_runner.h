#pragma once

#include "contract/backend.h"
#include "contract/requests.h"
#include "contract/rerun_request.h"
#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace aotscope::session {

/// A parsed graph that is to run. If that fails, a reproducer stays in `reproducerFolder` (empty: none is
/// written).
struct GraphRun {
    Backend& backend;
    const GraphSnapshotPtr& graph;
    const std::string& title;
    const RunOptions& options;
    const std::filesystem::path& reproducerFolder;
    const base::Progress& progress;
};

/// Library exceptions become errors. Errors: those of RunCall; session.canceled, session.out_of_memory,
/// session.exception.
[[nodiscard]] base::Result<RunSnapshotPtr> runGraph(const GraphRun& run);

/// Like runGraph, for timing. The first run of an operator includes one-time setup, so the graph runs twice
/// and the second run counts, unless the first took so long that setup does not matter. A run that ends early
/// is an error.
[[nodiscard]] base::Result<RunSnapshotPtr> runForTimes(const GraphRun& run);

/// Like runForTimes under LibTorch's profiler, with RunSnapshot::profile. The graph first runs without it, to
/// set up what only the first run does and to say how much the profiler costs.
[[nodiscard]] base::Result<RunSnapshotPtr> runProfiled(const GraphRun& run);

using GraphRunner = decltype(&runGraph);

/// Reruns nodes of a parsed graph on a backend. If that fails, a reproducer stays in `reproducerFolder`
/// (empty: none is written). Library exceptions become errors. Errors: those of RerunRequest;
/// session.canceled, session.out_of_memory, session.exception.
[[nodiscard]] base::Result<RerunSnapshotPtr> rerunNodes(Backend& backend, const GraphSnapshotPtr& graph,
                                                        const std::string& title, const RerunNodes& command,
                                                        const std::filesystem::path& reproducerFolder,
                                                        const base::Progress& progress);

} // namespace aotscope::session
