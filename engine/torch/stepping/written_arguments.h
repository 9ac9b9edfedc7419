#pragma once

#include "run/state/frame.h"

#include <vector>

namespace aotscope::torch {

/// Which arguments the nodes of a graph write to, by the schemas of their operators.
class WrittenArguments {
public:
    explicit WrittenArguments(const ir::Graph& graph);

    /// The tensors that the node is going to write to, of the values in the frame.
    [[nodiscard]] std::vector<at::Tensor> of(ir::NodeId node, const Frame& frame) const;

    /// Whether the node gives a tensor another storage, or its storage another size: more than new elements.
    [[nodiscard]] bool changesStorage(ir::NodeId node) const { return m_writes[node.index()].changesStorage; }

private:
    struct Writes {
        std::vector<const ir::Argument*> arguments;
        bool changesStorage = false;
    };
    /// What a node's call writes to.
    static Writes writesOf(const ir::Node& node);

    /// By node index; empty for most.
    std::vector<Writes> m_writes;
};

} // namespace aotscope::torch
