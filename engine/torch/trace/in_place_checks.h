#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// Repeats the size checks of PyTorch's shape function for an in-place operator, which functionalization runs
/// on meta tensors before it calls the functional operator. A trace records this symbolic arithmetic, so its
/// nodes take FX names (`eq_1`) even though dead code removal erases them. Does nothing for operators without
/// checks. Follows torch 2.11, torch/_meta_registrations.py and torch/_refs/__init__.py.
void checkAsInPlace(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
