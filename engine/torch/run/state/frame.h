#pragma once

#include "dispatch/operators.h"
#include "run/state/run_context.h"

#include "ir/graph.h"

#include <span>
#include <vector>

namespace aotscope::torch {

/// A running graph and the values of its nodes, by node index.
struct Frame {
    const ir::Graph& graph;
    RunContext& context;
    std::vector<c10::IValue> values;

    Frame(const ir::Graph& runGraph, RunContext& runContext)
        : graph(runGraph), context(runContext), values(runGraph.idBound()) {}
};

/// The run-time value of an argument. Dtypes, layouts and memory formats become LibTorch's enum values,
/// symbols their values in this run. Throws RunFailure.
[[nodiscard]] c10::IValue argumentValue(const ir::Argument& argument, const Frame& frame);
[[nodiscard]] std::vector<c10::IValue> argumentValues(std::span<const ir::Argument> arguments,
                                                      const Frame& frame);
[[nodiscard]] NamedValues keywordValues(const std::vector<ir::KeywordArgument>& kwargs, const Frame& frame);

/// What the graph returns.
[[nodiscard]] inline std::vector<c10::IValue> returnedValues(const Frame& frame) {
    return argumentValues(frame.graph.returned(), frame);
}

/// The value of a symbolic expression in this run: an integer, float or bool. Throws RunFailure.
[[nodiscard]] c10::IValue symbolValue(const ir::SymExpr& expression, const RunContext& context);
[[nodiscard]] std::int64_t sizeValue(const ir::SymInt& size, const RunContext& context);

} // namespace aotscope::torch
