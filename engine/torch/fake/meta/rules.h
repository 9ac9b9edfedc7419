#pragma once

#include "fake/meta/shape_call.h"

/// The shape rules by the files that define them; the operators they belong to are in operators. Most follow
/// torch 2.11, torch/_meta_registrations.py.
namespace aotscope::torch::shapes {

// convolution.cpp
ShapeFunction convolution, convolutionBackward, slowConvolution;
// elementwise.cpp
ShapeFunction promoted, sameType, floatOfFirst, boolOfFirst, angle, contiguousLikeFirst, itself, nothing,
    whereSelf, nativeDropout, remainderOfNumber, fusedDropout, maskedScale, depToken, preluBackward, bySelf,
    logSoftmaxBackward, contiguousFloatOfFirst, lossGradient, gluBackward, dropoutBackward,
    logSigmoidBackward, power, timesLogarithm, ledByFirst, toBool, copySign, timesPowerOfTwo, floorDivide,
    divideInMode, absolute, complexOfParts, frexp, withNoise, copied, cloned, maskedFill,
    maskedScatterBackward, safeSoftmax, intoOut, steps, emptyLikeSelf, logSigmoidForward, contiguousLikeSelf,
    likeSelf, likeFirst;
// losses.cpp
ShapeFunction pointwiseLoss, binaryCrossEntropy, binaryCrossEntropyBackward, mseLossBackward,
    nllLoss2dForward, multiMarginLoss, multilabelMarginForward, ctcLossBackward;
// normalization.cpp
ShapeFunction nativeLayerNorm, nativeLayerNormBackward, nativeBatchNorm, batchNormNoTraining,
    batchNormFunctional, batchNormWithUpdate, batchNormWithUpdateFunctional, batchNormNoUpdate,
    batchNormBackward, cudnnBatchNorm, cudnnBatchNormBackward, nativeGroupNorm, nativeGroupNormBackward,
    fusedRmsNorm, fusedRmsNormBackward, weightNorm, weightNormBackward;
// reductions.cpp
ShapeFunction oneValue, wholeSum, sumOverDims, countNonzero, variance, varianceAndMean, logSumExp,
    valuesAndIndices, kthValue, minAndMax, sorted, insertionPoints, histc, histogramOfCount, histogramOfEdges,
    segmentReduce, segmentReduceBackward, product;
// sampling.cpp
ShapeFunction gridSampler, gridSamplerBackward, upsample, upsampleBackward, flip, roll, unfoldBackward,
    trilIndices, triuIndices, randomPermutation, multinomial, binomial, normalOfTensors;
// views.cpp
ShapeFunction view, expand, pixelShuffle, pixelUnshuffle, amongZeros;

} // namespace aotscope::torch::shapes
