#pragma once

#include "contract/run_options.h"
#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"
#include "ir/graph.h"

namespace aotscope::torch {

/// Answers RunCall with RunOptions::fused: the graph with its kernels in place of the nodes that they
/// compute. Nodes whose values only exist inside of a kernel are not in the snapshot. All failures are
/// returned as errors.
[[nodiscard]] base::Result<session::RunSnapshot>
runFusedGraph(const ir::Graph& graph, const session::RunOptions& options, const base::Progress& progress);

} // namespace aotscope::torch
