#pragma once

#include "wrappers/boxed_call.h"

#include <mutex>

namespace aotscope::torch {

/// Returns tensors without data, shaped like the results, at the first call. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/runtime_wrappers.py: FakifiedOutWrapper, whose fake tensors are tensors of
/// the meta device here.
class FakifiedOutCall final : public BoxedCall {
public:
    explicit FakifiedOutCall(BoxedCallPtr inner) : m_inner(std::move(inner)) {}

    Values call(Values& arguments) override;

private:
    BoxedCallPtr m_inner;
    std::once_flag m_first;
};

} // namespace aotscope::torch
