#pragma once

#include "ops/overloads.h"

namespace aotscope::torch::ops {

/// The signatures of an ATen name, in the order in which Python's argument parser tries them. Follows torch
/// 2.11, tools/autograd/gen_python_functions.py: sort_overloads.
[[nodiscard]] std::vector<Signature> signaturesOf(std::string_view name, BindingKind kind);

} // namespace aotscope::torch::ops
