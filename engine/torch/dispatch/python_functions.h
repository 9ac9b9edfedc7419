#pragma once

#include "dispatch/operators.h"

#include <optional>
#include <string_view>

namespace aotscope::torch {

/// Whether the target is a Python function this program computes itself: `_operator.*`, `math.*`,
/// `torch.sym_*`.
[[nodiscard]] bool isPythonFunction(std::string_view target);

/// Its result for integers, floats, bools (in 64 bits, overflow is an error) and, where Python's operators
/// take them, tensors and sequences. Throws RunFailure.
[[nodiscard]] c10::IValue callPythonFunction(std::string_view target, const std::vector<c10::IValue>& args,
                                             const NamedValues& kwargs);

} // namespace aotscope::torch
