#pragma once

#include "run/inputs/index_operands.h"

#include "ir/graph.h"

#include <cstdint>
#include <vector>

/// Requirements of integers that divide rows into bags, segments or pieces: offsets or lengths.
namespace aotscope::torch {

struct RowLimits {
    enum class Form : std::uint8_t {
        /// Non-decreasing, from `from` to `to`.
        Offsets,
        /// Not negative; along the last dimension they sum to `to - from`.
        Lengths
    };
    Form form = Form::Offsets;
    std::int64_t from = 0;
    std::int64_t to = 0;
};

struct RowConstraint {
    ir::NodeId node;
    RowLimits limits;
};

/// The requirements of a node on its arguments: of an operator that takes offsets or lengths, a split whose
/// sizes are read from data, or an assertion on the sum of numbers read from data.
[[nodiscard]] std::vector<RowConstraint> rowConstraints(const ir::Graph& graph, const ir::Node& node,
                                                        const OperandView& view);

/// What the arguments of a node must satisfy so that its result satisfies `result`; empty when unknown. Of
/// the operators that only move values, only `cat` is handled here.
[[nodiscard]] std::vector<RowConstraint>
rowConstraintsOfArguments(const ir::Graph& graph, const ir::Node& node, const RowLimits& result);

} // namespace aotscope::torch
