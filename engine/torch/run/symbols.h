#pragma once

#include "run/run_context.h"

#include "torch_headers.h"

#include "ir/graph.h"
#include "session/backend.h"

namespace aotscope::torch {

/// Values for the symbols of the graph's inputs: given ones, then those that given data shows, then hints,
/// then a small default. Symbols that only nodes define (`u0`) are left to the run.
[[nodiscard]] ir::SymbolBindings bindSymbols(const ir::Graph& graph, const session::RunOptions& options);

/// Learns symbols that a value defines: its metadata names a symbol without a value where it holds a number.
void learnSymbols(const ir::ValueMeta& meta, const c10::IValue& value, RunContext& context);

} // namespace aotscope::torch
