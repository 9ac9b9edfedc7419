#pragma once

#include "fake/meta/shape_call.h"

/// Shape kernels that several families share: results shaped like an operand.
namespace aotscope::torch {

/// Contiguous, with the sizes of `self`.
[[nodiscard]] ShapeResults contiguousLikeSelf(const ShapeCall& call);
/// As `self`, in its memory format.
[[nodiscard]] ShapeResults likeSelf(const ShapeCall& call);
/// As the first tensor among the arguments, in its memory format.
[[nodiscard]] ShapeResults likeFirst(const ShapeCall& call);

} // namespace aotscope::torch
