#pragma once

#include "torch_headers.h"

#include <string_view>

namespace aotscope::torch {

using InPlaceQuestions = void (*)(c10::ArrayRef<c10::IValue> arguments);

/// What the reference of an in-place operator asks that computes by way of other tensors: sums of what a
/// triangle leaves, random numbers, products of matrices. Null for other operators.
[[nodiscard]] InPlaceQuestions inPlaceReference(std::string_view name);

} // namespace aotscope::torch
