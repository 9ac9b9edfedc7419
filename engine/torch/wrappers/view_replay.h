#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace aotscope::torch {

/// The views between a value of a graph and the value that it is a view of, to be made again from another
/// tensor. Follows torch 2.15, torch/_functorch/_aot_autograd/functional_utils.py: ViewMetaSequence, which
/// functionalization records; here they are read off the graph.
class ViewReplay {
public:
    /// Nothing if `value` is not made from `base` by views alone, or if one of them takes a symbolic size:
    /// those are not replayed in PyTorch either.
    [[nodiscard]] static std::optional<ViewReplay> between(const ir::Graph& graph, ir::NodeId base,
                                                           ir::NodeId value);

    [[nodiscard]] at::Tensor apply(at::Tensor base) const;
    [[nodiscard]] std::size_t size() const { return m_steps.size(); }

private:
    struct Step {
        c10::OperatorHandle op;
        /// The arguments; the viewed tensor goes in front.
        std::vector<c10::IValue> others;
        /// Which of several results (`split`); nothing: the only one.
        std::optional<std::size_t> item;
    };
    std::vector<Step> m_steps;
};

/// The value that `value` is made from by views alone, the part of a split included; `value` itself if it is
/// no view. Whether the views can be made again does not matter.
[[nodiscard]] ir::NodeId viewedBase(const ir::Graph& graph, ir::NodeId value);

/// The nodes that the graph returns, in order; invalid for what is no node.
[[nodiscard]] std::vector<ir::NodeId> returnedNodes(const ir::Graph& graph);

/// A view of `base` like `target`: by `replay` if there is one and it gives the sizes of `target`, else by
/// as_strided, and with the requires_grad that the program's output has. Follows functional_utils.py:
/// gen_alias_from_base.
[[nodiscard]] at::Tensor aliasOf(const at::Tensor& base, const at::Tensor& target, bool requiresGrad,
                                 const std::optional<ViewReplay>& replay);

} // namespace aotscope::torch
