#pragma once

#include "decompositions/decomposition.h"

/// Operators on lists of tensors.
namespace aotscope::torch {

Decomposed padSequence(const DecompositionCall& call);

} // namespace aotscope::torch
