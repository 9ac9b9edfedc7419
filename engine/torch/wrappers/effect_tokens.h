#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

namespace aotscope::torch {

/// Passes a None for each token, and drops the tokens that the graph returns first. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: EffectTokensWrapper.
class EffectTokensCall final : public BoxedCall {
public:
    EffectTokensCall(const aot::EffectTokensWrapper& wrapper, BoxedCallPtr inner)
        : m_tokens(wrapper.tokens), m_inner(std::move(inner)) {}

    Values call(Values& arguments) override;

private:
    std::size_t m_tokens;
    BoxedCallPtr m_inner;
};

} // namespace aotscope::torch
