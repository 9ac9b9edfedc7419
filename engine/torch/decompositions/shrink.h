#pragma once

#include "decompositions/decomposition.h"

/// Activations that are decomposed before autograd as well as by the tables.
namespace aotscope::torch {

Decomposed hardshrink(const DecompositionCall& call);
Decomposed softshrink(const DecompositionCall& call);

} // namespace aotscope::torch
