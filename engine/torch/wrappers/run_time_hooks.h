#pragma once

#include "torch_headers.h"

#include <cstdint>
#include <functional>

namespace aotscope::torch {

/// A saved tensor after its pack hook.
struct PackedTensor {
    /// Calls the unpack hook on what the pack hook returned.
    std::function<at::Tensor()> unpack;
    /// Bytes of the tensors that the pack hook returned.
    std::int64_t bytes = 0;
};

/// A pack hook that is called while a compiled function runs, for each tensor that its autograd node keeps.
/// Follows torch 2.15, torch/csrc/autograd/python_saved_variable_hooks.cpp: PySavedVariableHooks. May throw.
using PackHook = std::function<PackedTensor(const at::Tensor&)>;

} // namespace aotscope::torch
