#pragma once

#include "wrappers/boxed_call.h"

#include "ir/graph.h"

#include <cstddef>
#include <span>
#include <vector>

namespace aotscope::torch {

/// The results of a forward that its nodes compute as views of an argument, or of an earlier result. The
/// graph runs below autograd, so autograd's records of these views are added afterwards. Follows torch 2.15,
/// torch/csrc/autograd/custom_function.cpp: _wrap_outputs, which treats them as views created under no_grad.
class ResultViews {
public:
    /// The first `tokens` placeholders and results are effect tokens, which do not count. Results at the
    /// positions `unsafeViews` are for autograd no views (AOTDispatchAutograd).
    ResultViews(const ir::Graph& forward, std::size_t tokens, std::span<const std::size_t> unsafeViews);

    /// Keeps the arguments that results are views of, before the call empties the list.
    [[nodiscard]] std::vector<at::Tensor> basesAmong(const Values& arguments) const;

    /// A write through a view or its base is noticed at the other one.
    void shareVersions(const Values& results, const std::vector<at::Tensor>& bases) const;

    /// The result at `position` as a view of its argument, if it is one. `results`: how many results with a
    /// gradient the call has.
    [[nodiscard]] at::Tensor asView(std::size_t position, const at::Tensor& result,
                                    const std::vector<at::Tensor>& bases, std::size_t results) const;

private:
    /// A result that is a view of the argument, or the earlier result, at that position.
    struct View {
        std::size_t result;
        std::size_t of;
    };
    /// In the order of the bases that are kept.
    std::vector<View> m_ofArguments;
    std::vector<View> m_ofResults;
};

} // namespace aotscope::torch
