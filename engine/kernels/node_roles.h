#pragma once

#include "kernels/graph_facts.h"

#include <string>
#include <vector>

namespace aotscope::kernels {

/// What a node is to the planner, by its operator and operands alone.
enum class NodeRole : std::uint8_t {
    /// Makes no values in memory: inputs, numbers, outputs.
    NoKernel,
    View,
    /// A kernel can compute it.
    Eligible,
    /// `reason` says why not.
    NotEligible,
};

struct NodeTraits {
    NodeRole role = NodeRole::NoKernel;
    std::string reason;
    /// Writes to memory that others see, or may: nothing moves across it.
    bool isBarrier = false;
    /// Draws random numbers, or may do something that its values do not show: keeps its place among its like.
    bool isOrdered = false;
};

/// By node id index.
[[nodiscard]] std::vector<NodeTraits> nodeTraits(const GraphFacts& facts);

} // namespace aotscope::kernels
