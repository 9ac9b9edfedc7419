#pragma once

#include "torch_headers.h"

#include "session/run_options.h"

#include "base/progress.h"
#include "ir/graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// What a graph returns, and after that its inputs as it leaves them, in exact arithmetic: each node computed
/// in float64 beside a run of the graph, whose random numbers and unwritten memory are taken over.
///
/// With `roundings`, a seed, it is what another correct implementation may get: each result that its dtype
/// cannot hold is rounded to one of the numbers beside it, up or down by chance, and operators that add up
/// get operands that are as much off as the adding may be.
///
/// Throws as Executor::run, and run.no_float64 when a node can only be computed in the run's dtypes.
[[nodiscard]] std::vector<c10::IValue> exactValues(const ir::Graph& graph, const session::RunOptions& options,
                                                   const base::Progress& progress,
                                                   std::optional<std::uint64_t> roundings = std::nullopt);

} // namespace aotscope::torch
