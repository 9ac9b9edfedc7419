#pragma once

#include "fake/meta/shape_call.h"

/// Shape kernels that several rooms of operators share: results shaped as an operand is.
namespace aotscope::torch {

/// As `self`, dense and in order.
[[nodiscard]] ShapeResults contiguousLikeSelf(const ShapeCall& call);
/// As `self`, in its memory format.
[[nodiscard]] ShapeResults likeSelf(const ShapeCall& call);
/// As the first tensor among the arguments, in its memory format.
[[nodiscard]] ShapeResults likeFirst(const ShapeCall& call);

} // namespace aotscope::torch
