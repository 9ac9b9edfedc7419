#pragma once

#include "fake/shape_environment.h"

#include "session/retrace.h"

#include <cstddef>
#include <functional>

namespace aotscope::torch {

/// Traces a function with other values for its symbols where the trace does not go through with the first:
/// what a program may ask of sizes, its guards tell only in part. Symbols that the trace finds equal become
/// one, as they do in PyTorch, which prints all its sizes at the end.
[[nodiscard]] session::RetraceResult
inAttempts(std::size_t symbols, const std::function<session::RetraceResult(const SymbolChoice&)>& trace);

} // namespace aotscope::torch
