#pragma once

#include "decompositions/decomposition.h"

/// Operators on lists of tensors. Follows torch 2.11, torch/_decomp/decompositions.py: pad_sequence.
namespace aotscope::torch {

Decomposed padSequence(const DecompositionCall& call);

} // namespace aotscope::torch
