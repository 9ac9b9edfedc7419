#pragma once

#include "run/run_context.h"

#include "torch_headers.h"

#include "session/backend.h"

#include <vector>

namespace aotscope::torch {

/// Values for a graph's placeholders: given ones, else made from metadata and seed. Throws RunFailure that
/// names the placeholder: run.unsupported_input; run.too_large with the numbers, before anything is
/// allocated.
[[nodiscard]] std::vector<c10::IValue> graphInputs(const ir::Graph& graph, const session::RunOptions& options,
                                                   RunContext& context);

} // namespace aotscope::torch
