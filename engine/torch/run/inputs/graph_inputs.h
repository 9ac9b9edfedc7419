#pragma once

#include "run/inputs/tensor_maker.h"
#include "run/state/run_context.h"

#include "torch_headers.h"

#include "contract/backend.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// Values for a graph's placeholders: those in `options`, else synthetic ones from metadata and seed. Throws
/// RunFailure with the name of the placeholder (run.unsupported_input), or run.too_large with the sizes in
/// megabytes, before anything is allocated. `more`: for each placeholder what it must hold besides what the
/// graph's own operators require.
[[nodiscard]] std::vector<c10::IValue> graphInputs(const ir::Graph& graph, const session::RunOptions& options,
                                                   RunContext& context,
                                                   std::span<const ValueNeeds> more = {});

} // namespace aotscope::torch
