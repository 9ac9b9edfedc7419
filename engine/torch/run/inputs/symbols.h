#pragma once

#include "run/state/run_context.h"

#include "torch_headers.h"

#include "contract/backend.h"
#include "ir/graph.h"

namespace aotscope::torch {

/// Values for the symbols of the graph's inputs, by priority: values in the options, sizes of data in the
/// options, hints, a small default. Symbols that only nodes define (`u0`) get values during the run.
[[nodiscard]] ir::SymbolBindings bindSymbols(const ir::Graph& graph, const session::RunOptions& options);

/// What a run of a graph begins with: its seed, its place and the values of its symbols. Throws as placeFor.
[[nodiscard]] RunContext runContextOf(const ir::Graph& graph, const session::RunOptions& options,
                                      const base::Progress& progress);

/// Adds to `context` the symbols that a value defines: its metadata has an unbound symbol where the value has
/// a number.
void learnSymbols(const ir::ValueMeta& meta, const c10::IValue& value, RunContext& context);

} // namespace aotscope::torch
