#pragma once

#include "decompositions/decomposition.h"

/// Losses that are decomposed both before autograd and by the tables. Follows torch 2.11,
/// torch/_decomp/decompositions.py: multi_margin_loss, multilabel_margin_loss_forward.
namespace aotscope::torch {

Decomposed multiMarginLoss(const DecompositionCall& call);
Decomposed multilabelMarginLossForward(const DecompositionCall& call);

} // namespace aotscope::torch
