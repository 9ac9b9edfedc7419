#pragma once

#include "ops/overloads.h"

namespace aotscope::torch::ops {

/// The signatures of an ATen name in the order in which Python's argument parser tries them.
[[nodiscard]] std::vector<Signature> signaturesOf(std::string_view name, BindingKind kind);

} // namespace aotscope::torch::ops
