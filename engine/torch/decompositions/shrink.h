#pragma once

#include "decompositions/decomposition.h"

/// Activations that are decomposed both before autograd and by the tables. Follows torch 2.11,
/// torch/_refs/nn/functional/__init__.py: hardshrink, softshrink.
namespace aotscope::torch {

Decomposed hardshrink(const DecompositionCall& call);
Decomposed softshrink(const DecompositionCall& call);

} // namespace aotscope::torch
