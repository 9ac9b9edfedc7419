#pragma once

#include "dispatch/operators.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// Whether the target is a Python function this program computes itself: `_operator.*`, `math.*`,
/// `torch.sym_*`.
[[nodiscard]] bool isPythonFunction(std::string_view target);

/// The result of such a function for integers, floats, bools and, where Python's operators take them, tensors
/// and sequences. Integers have 64 bits; overflow is an error. Throws RunFailure. The `torch.sym_*` functions
/// follow torch 2.11, torch/__init__.py: sym_max, sym_min, sym_sum, sym_ite and others.
[[nodiscard]] c10::IValue callPythonFunction(std::string_view target, const std::vector<c10::IValue>& args,
                                             const NamedValues& kwargs);

} // namespace aotscope::torch
