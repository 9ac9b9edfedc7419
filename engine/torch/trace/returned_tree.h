#pragma once

#include "ops/value.h"

#include "ir/graph_builder.h"

#include <map>
#include <vector>

namespace aotscope::torch {

/// A Python value that a program returns, as torch.utils._pytree takes it apart.
struct ReturnedTree {
    /// The leaf with node index k stands for output k; all other leaves are constants.
    ir::Argument tree;
    /// Tensors and symbolic numbers, in the order of the leaves.
    std::vector<c10::IValue> outputs;
    /// The symbolic numbers among them, by index: an IValue does not hold one that is known to be constant.
    std::map<std::size_t, c10::SymNode> numbers;
};

/// Throws RunFailure (trace.output) for a value that no graph can return.
[[nodiscard]] ReturnedTree returnedTree(const ops::Value& value);

/// Puts the outputs of a traced graph back into the leaves they came from.
void returnTree(ir::GraphBuilder& graph, const ir::Argument& tree);

} // namespace aotscope::torch
