#pragma once

#include "fake/meta/shape_kernels.h"

/// One function per family of operators; each adds its shape rules. Most follow torch 2.11,
/// torch/_meta_registrations.py.
namespace aotscope::torch {

void addAttentionRules(ShapeKernels& kernels);
void addConvolutionRules(ShapeKernels& kernels);
void addElementwiseRules(ShapeKernels& kernels);
void addIndexingRules(ShapeKernels& kernels);
void addLinearAlgebraRules(ShapeKernels& kernels);
void addLossRules(ShapeKernels& kernels);
void addNormalizationRules(ShapeKernels& kernels);
void addPoolingRules(ShapeKernels& kernels);
void addQuantizationRules(ShapeKernels& kernels);
void addRecurrentRules(ShapeKernels& kernels);
void addReductionRules(ShapeKernels& kernels);
void addSamplingRules(ShapeKernels& kernels);
void addSpectralRules(ShapeKernels& kernels);
void addViewRules(ShapeKernels& kernels);

void addAllRules(ShapeKernels& kernels);

} // namespace aotscope::torch
