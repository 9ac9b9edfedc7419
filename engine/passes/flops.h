#pragma once

#include "passes/value_size.h"

#include "ir/graph.h"
#include "ir/operators/operator.h"

namespace aotscope::passes {

/// Floating-point operations of one call: two for each multiply-add of matrix products, convolutions and
/// attention; 0 for everything else. Follows torch 2.11 and
/// 2.15, torch/utils/flop_counter.py: flop_registry.
[[nodiscard]] double nodeFlops(const ir::Graph& graph, ir::NodeId id, ValueSizes& sizes,
                               const PartitionRules& rules);

/// Whether an operator has a formula there.
[[nodiscard]] bool hasFlopFormula(const ir::Operator& op, const PartitionRules& rules);

} // namespace aotscope::passes
