#pragma once

#include "kernels/device_figures.h"

#include "ir/graph.h"

#include "base/describe.h"

#include <string>

namespace aotscope::kernels {

enum class CostKind : std::uint8_t {
    /// Views, elements of tuples, sizes, empty tensors: no kernel.
    Nothing,
    /// Products of matrices, convolutions, attention: what has a formula in torch/utils/flop_counter.py.
    Matrix,
    Pointwise,
    Reduction,
    /// Moves, fills or converts elements.
    Copy,
    Other,
};
AOTSCOPE_WORDS(CostKind, "nothing", "matrix", "pointwise", "reduction", "copy", "other")

/// What one call of a node's operator moves and computes at least, from its arguments and result.
struct NodeCost {
    CostKind kind = CostKind::Nothing;
    /// Each tensor once; of expanded dimensions one element, of a table that is looked up in the rows that
    /// are taken.
    double bytesRead = 0;
    double bytesWritten = 0;
    /// As PyTorch counts them (torch 2.15, torch/utils/flop_counter.py: flop_registry), which is none for all
    /// but products of matrices, convolutions and attention.
    double flops = 0;
    /// Elements that a pointwise operator or a reduction computes with: at least one operation each.
    double elementOperations = 0;
    /// What it computes in.
    ir::DType dtype = ir::DType::Unknown;
    /// False: `note` says why, and the numbers are too low.
    bool isKnown = true;
    std::string note;

    [[nodiscard]] KernelWork work(bool allowsTf32 = false) const;
};

/// Values of symbols come from `bindings`, else from the graph.
[[nodiscard]] NodeCost nodeCost(const ir::Graph& graph, ir::NodeId id,
                                const ir::SymbolBindings& bindings = {});

} // namespace aotscope::kernels
