#pragma once

#include "fake/meta/layouts.h"
#include "fake/meta/shape_call.h"

/// The shape rules by the files that define them; the operators they belong to are in operators. Most follow
/// torch 2.11, torch/_meta_registrations.py.
namespace aotscope::torch::shapes {

/// Results like the arguments at these positions: each in that one's memory format, contiguous, or in
/// column-major order.
template<std::size_t... positions>
ShapeResults like(const ShapeCall& call) {
    return {emptyLike(call.arguments()[positions].toTensor())...};
}
template<std::size_t... positions>
ShapeResults contiguousLike(const ShapeCall& call) {
    return {emptyContiguous(call.arguments()[positions].toTensor())...};
}
template<std::size_t position>
ShapeResults columnMajorLike(const ShapeCall& call) {
    const at::Tensor& tensor = call.arguments()[position].toTensor();
    return {newColumnMajor(tensor, tensor.sizes())};
}
/// The elementwise result of the arguments at these positions.
template<std::size_t... positions>
ShapeResults elementwiseOf(const ShapeCall& call) {
    return {elementwise({call.arguments()[positions].toTensor()...})};
}

// convolution.cpp
ShapeFunction convolution, convolutionBackward, slowConvolution;
// elementwise.cpp
ShapeFunction oneValue, promoted, sameType, floatOfFirst, boolOfFirst, angle, itself, nothing, whereSelf,
    nativeDropout, remainderOfNumber, depToken, preluBackward, bySelf, logSoftmaxBackward,
    contiguousFloatOfFirst, gluBackward, dropoutBackward, power, timesLogarithm, ledByFirst, toBool, copySign,
    timesPowerOfTwo, floorDivide, divideInMode, absolute, complexOfParts, frexp, copied, cloned, maskedFill,
    maskedScatterBackward, safeSoftmax, intoOut, steps, emptyLikeSelf, inFormatOfSelf, logSigmoidForward;
// normalization.cpp
ShapeFunction nativeLayerNorm, nativeLayerNormBackward, nativeBatchNorm, batchNormNoTraining,
    batchNormFunctional, batchNormWithUpdate, batchNormWithUpdateFunctional, batchNormNoUpdate,
    batchNormBackward, cudnnBatchNorm, cudnnBatchNormBackward, nativeGroupNorm, nativeGroupNormBackward,
    fusedRmsNorm, fusedRmsNormBackward, weightNorm;

} // namespace aotscope::torch::shapes
