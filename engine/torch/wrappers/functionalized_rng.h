#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <cstdint>
#include <functional>

namespace aotscope::torch {

/// A Philox generator's state: what PyTorch reads from and writes to the CUDA generator
/// (CUDARngStateHelper).
struct PhiloxState {
    std::function<std::pair<std::int64_t, std::int64_t>()> seedAndOffset;
    std::function<void(std::int64_t offset)> setOffset;
};

/// Passes the generator's seed and offset after the arguments, and sets the offset that the graph returns.
/// Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: FunctionalizedRngRuntimeWrapper.
class FunctionalizedRngCall final : public BoxedCall {
public:
    FunctionalizedRngCall(const aot::FunctionalizedRngRuntimeWrapper& wrapper, PhiloxState generator,
                          BoxedCallPtr inner)
        : m_wrapper(wrapper), m_generator(std::move(generator)), m_inner(std::move(inner)) {}

    Values call(Values& arguments) override;

private:
    aot::FunctionalizedRngRuntimeWrapper m_wrapper;
    PhiloxState m_generator;
    BoxedCallPtr m_inner;
};

} // namespace aotscope::torch
