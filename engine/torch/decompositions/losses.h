#pragma once

#include "decompositions/decomposition.h"

/// Losses that are decomposed before autograd as well as by the tables.
namespace aotscope::torch {

Decomposed multiMarginLoss(const DecompositionCall& call);
Decomposed multilabelMarginLossForward(const DecompositionCall& call);

} // namespace aotscope::torch
