#include "fake/meta/rules.h"

namespace aotscope::torch {

void addAllRules(ShapeKernels& kernels) {
    addAttentionRules(kernels);
    addConvolutionRules(kernels);
    addElementwiseRules(kernels);
    addIndexingRules(kernels);
    addLinearAlgebraRules(kernels);
    addLossRules(kernels);
    addNormalizationRules(kernels);
    addPoolingRules(kernels);
    addQuantizationRules(kernels);
    addRecurrentRules(kernels);
    addReductionRules(kernels);
    addSamplingRules(kernels);
    addSpectralRules(kernels);
    addViewRules(kernels);
}

} // namespace aotscope::torch
