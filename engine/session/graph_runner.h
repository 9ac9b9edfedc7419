#pragma once

#include "session/backend.h"
#include "session/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace aotscope::session {

/// Runs a graph, which could be parsed, on a backend and leaves a reproducer in `reproducerFolder` (empty:
/// nowhere) when it fails. An exception of a library becomes the run's error. Errors: those of Backend::run;
/// session.canceled, session.out_of_memory, session.exception.
[[nodiscard]] base::Result<RunSnapshotPtr> runGraph(Backend& backend, const GraphSnapshotPtr& graph,
                                                    const std::string& title, const RunOptions& options,
                                                    const std::filesystem::path& reproducerFolder,
                                                    const base::Progress& progress);

/// The same for its times: the first run of an operator sets up what later ones find ready, so that the
/// graph is run twice and the second counts, unless the first took so long that this cannot matter. A run
/// that ends early is an error.
[[nodiscard]] base::Result<RunSnapshotPtr> runForTimes(Backend& backend, const GraphSnapshotPtr& graph,
                                                       const std::string& title, const RunOptions& options,
                                                       const std::filesystem::path& reproducerFolder,
                                                       const base::Progress& progress);
using GraphRunner = decltype(&runGraph);

[[nodiscard]] base::Error outOfMemory();

} // namespace aotscope::session
