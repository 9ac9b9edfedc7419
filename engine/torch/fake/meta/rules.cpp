#include "fake/meta/rules.h"

namespace aotscope::torch {

void addAllRules(ShapeKernels& kernels) {
    addAttentionRules(kernels);
    addConvolutionRules(kernels);
    addElementwiseRules(kernels);
    addIndexingRules(kernels);
    addLossRules(kernels);
    addNormalizationRules(kernels);
    addPoolingRules(kernels);
}

} // namespace aotscope::torch
