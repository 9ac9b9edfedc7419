#pragma once

#include "run/index_operands.h"

#include "ir/graph.h"

#include <cstdint>
#include <vector>

/// Integers that part rows among bags and segments, or the numbers of a list among its pieces: offsets, or
/// lengths.
namespace aotscope::torch {

struct RowLimits {
    enum class Form : std::uint8_t {
        /// Non-decreasing, from the first to the last limit.
        Offsets,
        /// Not negative; along the last dimension their sum is what lies between the limits.
        Lengths
    };
    Form form = Form::Offsets;
    std::int64_t from = 0;
    std::int64_t to = 0;
};

struct RowNeed {
    ir::NodeId node;
    RowLimits limits;
};

/// What a node asks of the values that part rows: an operator that takes offsets or lengths, a split into
/// pieces whose sizes are data, and an assertion that numbers of the data sum up to something.
[[nodiscard]] std::vector<RowNeed> rowNeeds(const ir::Graph& graph, const ir::Node& node,
                                            const OperandView& view);

/// What the arguments of a node must be so that its result parts rows like this; none where that cannot be
/// told. Operators that only move values are not looked at, but for `cat`.
[[nodiscard]] std::vector<RowNeed> rowNeedsOfArguments(const ir::Graph& graph, const ir::Node& node,
                                                       const RowLimits& result);

} // namespace aotscope::torch
