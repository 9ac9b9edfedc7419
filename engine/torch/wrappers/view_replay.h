#pragma once

#include "torch_headers.h"

#include "ir/graph.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// Views that functionalization recorded, to be applied to another tensor. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/functional_utils.py: ViewMetaSequence.
class ViewReplay {
public:
    /// The views of a graph's only input that lead to its result (`ir::OutputAliasInfo::views`). Nothing if
    /// it is no such graph.
    [[nodiscard]] static std::optional<ViewReplay> of(const std::string& graph);

    [[nodiscard]] at::Tensor apply(at::Tensor base) const;
    /// "select, view"; empty: the tensor itself.
    [[nodiscard]] std::string text() const;

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

/// The value that `value` is a chain of views of, the part of a split included; `value` itself if it is no
/// view. Whether the views can be replayed does not matter.
[[nodiscard]] ir::NodeId viewedBase(const ir::Graph& graph, ir::NodeId value);

/// How an output is derived anew from what it aliases.
struct AliasRecipe {
    /// Nothing: by as_strided.
    std::optional<ViewReplay> replay;
    /// Whether the graph makes the result as a view of another of its values.
    bool isView = false;
    /// Whether its offset counts from the base where the graph worked on a copy (a rule of the release).
    bool offsetIsRelative = false;
};

/// A view of `base` in place of `target`, the graph's result: by the recorded views, whatever they give, else
/// by as_strided; and with the requires_grad that the program's output has. Where PyTorch takes a wrong part
/// of `base`, so does this. Throws RunFailure (call.alias) where PyTorch's assertion fails. Follows
/// torch 2.15, functional_utils.py: gen_alias_from_base.
[[nodiscard]] at::Tensor aliasOf(const at::Tensor& base, const at::Tensor& target, bool requiresGrad,
                                 const AliasRecipe& recipe);

} // namespace aotscope::torch
