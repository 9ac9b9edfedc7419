#pragma once

#include "torch_headers.h"

#include <memory>
#include <vector>

namespace aotscope::torch {

/// Arguments or results of a compiled function: tensors, numbers and None.
using Values = std::vector<c10::IValue>;

/// A function with PyTorch's boxed calling convention: it empties the caller's list, so that an argument that
/// nobody else holds is freed at its last use inside. Follows torch 2.15, torch/_functorch/_aot_autograd/
/// utils.py: make_boxed_func.
class BoxedCall {
public:
    BoxedCall() = default;
    BoxedCall(const BoxedCall&) = delete;
    BoxedCall& operator=(const BoxedCall&) = delete;
    virtual ~BoxedCall() = default;

    /// Throws RunFailure, c10::Error, Canceled.
    [[nodiscard]] virtual Values call(Values& arguments) = 0;
};
using BoxedCallPtr = std::unique_ptr<BoxedCall>;

} // namespace aotscope::torch
