#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// `value` with the strides of the tensors in `like`, which has the same structure and sizes.
[[nodiscard]] c10::IValue laidOutLike(const c10::IValue& value, const c10::IValue& like);

} // namespace aotscope::torch
