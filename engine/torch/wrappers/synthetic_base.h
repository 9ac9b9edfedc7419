#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <vector>

namespace aotscope::torch {

/// Passes one base instead of the arguments that lie in its memory: the tensor that autograd knows as their
/// base, else their whole storage. The graph makes the arguments again as views of it. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: AOTSyntheticBaseWrapper.post_compile.
class SyntheticBaseCall final : public BoxedCall {
public:
    SyntheticBaseCall(const aot::AOTSyntheticBaseWrapper& wrapper, BoxedCallPtr inner);

    Values call(Values& arguments) override;

private:
    [[nodiscard]] static at::Tensor baseOf(const std::vector<std::size_t>& group, const Values& arguments);

    /// The arguments of each base, and those that are passed on after the bases.
    std::vector<std::vector<std::size_t>> m_groups;
    std::vector<std::size_t> m_others;
    /// Arguments whose sizes change; the graph returns them last.
    std::vector<std::size_t> m_reshaped;
    BoxedCallPtr m_inner;
};

} // namespace aotscope::torch
