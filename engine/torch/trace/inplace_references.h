#pragma once

#include "torch_headers.h"

#include <string_view>

namespace aotscope::torch {

using InPlaceQuestions = void (*)(c10::ArrayRef<c10::IValue> arguments);

/// The size checks of an in-place operator whose reference implementation creates intermediate tensors:
/// cumulative sums, random numbers, matrix products. Null for other operators. The name includes the overload
/// ("aten::addmm_"). Follows torch 2.11, torch/_refs/__init__.py, torch/_decomp/decompositions.py and
/// torch/_meta_registrations.py.
[[nodiscard]] InPlaceQuestions inPlaceReference(std::string_view name);

} // namespace aotscope::torch
