#pragma once

#include "torch_headers.h"

#include <functional>
#include <vector>

namespace aotscope::torch {

/// Arguments or results of a compiled function: tensors, numbers and None.
using Values = std::vector<c10::IValue>;

/// A function with PyTorch's boxed calling convention: it empties the caller's list, so that an argument that
/// nobody else holds is freed at its last use inside. Throws RunFailure, c10::Error, Canceled. Follows torch
/// 2.15, torch/_functorch/_aot_autograd/utils.py: make_boxed_func.
using BoxedCall = std::function<Values(Values& arguments)>;

} // namespace aotscope::torch
