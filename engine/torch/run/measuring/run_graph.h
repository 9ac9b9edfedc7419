#pragma once

#include "contract/backend.h"

#include "base/progress.h"
#include "base/result.h"

namespace aotscope::torch {

/// Answers RunCall: runs a graph on the device of the options. All failures are returned as errors.
[[nodiscard]] base::Result<session::RunSnapshot>
runGraph(const ir::Graph& graph, const session::RunOptions& options, const base::Progress& progress);

} // namespace aotscope::torch
