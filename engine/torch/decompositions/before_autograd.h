#pragma once

#include "decompositions/decomposition_set.h"

/// Operators that PyTorch's Python dispatcher handles with Python kernels while AOTAutograd traces
/// (`py_impl`), where C++ alone would take another way.
namespace aotscope::torch {

/// Python's kernels for the Autograd keys: they run in place of the operator's autograd formula, so that what
/// they call is differentiated.
[[nodiscard]] const DecompositionSet& autogradKernels();

/// Python's kernels for CompositeImplicitAutograd: they run wherever a C++ composite kernel would, above
/// autograd as below it (`OpOverload.decompose`).
[[nodiscard]] const DecompositionSet& compositeKernels();

/// Kernels that the decomposition tables share.
Decomposed cudnnBatchNorm(const DecompositionCall& call);
Decomposed miopenBatchNorm(const DecompositionCall& call);

/// One function per family of operators.
void addMatmulKernels(DecompositionSet& composite);
void addDropoutKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addBatchNormKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addUpsampleKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addRecurrentKernels(DecompositionSet& autograd, DecompositionSet& composite);
void addLossKernels(DecompositionSet& autograd);
void addShrinkKernels(DecompositionSet& autograd);
void addSequenceKernels(DecompositionSet& composite);
void addSpectralKernels(DecompositionSet& composite);

} // namespace aotscope::torch
