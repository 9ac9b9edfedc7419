#pragma once

#include "ir/graph.h"

#include <string>
#include <vector>

namespace aotscope::passes {

/// Which nodes of a Dynamo graph may be part of autograd's graph, read from the calls alone: without their
/// derivatives, and without values.
struct GradientFlow {
    /// By node id index: depends on an input that requires grad.
    std::vector<bool> requires_;
    /// By node id index: an output, or an input that the program writes to, depends on it.
    std::vector<bool> reaches;

    [[nodiscard]] bool passes(ir::NodeId node) const {
        return requires_[node.index()] && reaches[node.index()];
    }
};

/// `requiresGrad`: one per placeholder. `gradEnabled`: the mode that the program begins in.
[[nodiscard]] GradientFlow gradientFlow(const ir::Graph& program, const std::vector<bool>& requiresGrad,
                                        bool gradEnabled);

/// Whether the call writes to its first argument: a method or operator whose name ends in "_", or "copy_".
[[nodiscard]] bool writesToFirst(const ir::Node& node);

/// Nodes of an autograd.Function's backward that depend on an incoming gradient, have the shape of an
/// argument of its forward, and are used by nothing.
[[nodiscard]] std::vector<std::string> unusedGradients(const ir::Graph& forward, const ir::Graph& backward);

} // namespace aotscope::passes
