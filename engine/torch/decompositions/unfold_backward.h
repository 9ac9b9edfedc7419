#pragma once

#include "decompositions/decomposition_set.h"

namespace aotscope::torch {

/// The gradient of `unfold`. Follows torch 2.15, torch/_decomp/decompositions.py: unfold_backward.
[[nodiscard]] Decomposed unfoldBackward(const DecompositionCall& call);

} // namespace aotscope::torch
