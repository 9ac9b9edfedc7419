#pragma once

#include "base/describe.h"

#include <cstdint>
#include <vector>

namespace aotscope::ir {

/// What a partition of a joint graph does with a node.
enum class NodeFate : std::uint8_t {
    /// Only in the forward; the backward does not need it.
    ForwardOnly,
    /// An output of the forward and an input of the backward.
    Saved,
    /// In both graphs: the backward recomputes it.
    Recomputed,
    BackwardOnly,
    Removed,
};
AOTSCOPE_WORDS(NodeFate, "forward_only", "saved", "recomputed", "backward_only", "removed")
/// By node id index.
using NodeFates = std::vector<NodeFate>;

} // namespace aotscope::ir
