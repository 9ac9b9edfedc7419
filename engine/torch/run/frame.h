#pragma once

#include "dispatch/operators.h"
#include "run/run_context.h"

#include "ir/graph.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// One graph being run: the values of its nodes so far.
struct Frame {
    const ir::Graph& graph;
    RunContext& context;
    std::vector<c10::IValue> values;

    Frame(const ir::Graph& runGraph, RunContext& runContext)
        : graph(runGraph), context(runContext), values(runGraph.idBound()) {}
};

/// The run-time value of an argument: integers, floats, tensors as they are; lists and tuples as such;
/// dtypes, layouts and memory formats as LibTorch's numbers for them; symbols by the run's bindings. Throws
/// RunFailure.
[[nodiscard]] c10::IValue argumentValue(const ir::Argument& argument, const Frame& frame);
[[nodiscard]] std::vector<c10::IValue> argumentValues(std::span<const ir::Argument> arguments,
                                                      const Frame& frame);
[[nodiscard]] NamedValues keywordValues(const std::vector<ir::KeywordArgument>& kwargs, const Frame& frame);

/// The integer, float or bool a symbolic expression has in this run.
[[nodiscard]] c10::IValue symbolValue(const ir::SymExpr& expression, const RunContext& context);
[[nodiscard]] std::int64_t sizeValue(const ir::SymInt& size, const RunContext& context);

/// The nested graph an argument names through a get_attr node; null when it names none.
[[nodiscard]] ir::GraphPtr subgraphArgument(const ir::Argument& argument, const Frame& frame);

} // namespace aotscope::torch
