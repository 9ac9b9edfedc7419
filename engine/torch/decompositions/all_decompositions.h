#pragma once

#include "decompositions/decomposition.h"

/// The decompositions by the files that define them; the operators they belong to are in operators.
namespace aotscope::torch::decomposed {

// inductor_matrices.cpp
DecompositionFunction convolutionBackward, bmm, mm, addmm;
// inductor_pointwise.cpp
DecompositionFunction inductorSilu, clamp, roundDecimals, itself, fmin, fmax, amax, amin,
    inductorSoftmaxBackward, dist, lcm, foreachAddcmul, foreachAddcdiv, foreachLerp;
// matmul.cpp
DecompositionFunction matmul;
// recurrent.cpp
DecompositionFunction rnnTanh, rnnRelu, gru, lstm;
// reflection_padding.cpp
DecompositionFunction reflectionPadBackward;
// table_columns.cpp
DecompositionFunction im2col, col2im;
// table_creation.cpp
DecompositionFunction zeros, ones, newZeros, newOnes, newFull, newEmpty, zerosLike, onesLike, emptyLike,
    fullLike, fullWithoutType, arangeDefault, arangeStart, fillScalar, fillTensor, zero, eye, bernoulli,
    hannWindow;
// table_grids.cpp
DecompositionFunction gridSampler2d, affineGridGenerator;
// table_indexing.cpp
DecompositionFunction unsafeIndex, unsafeIndexPut, unsafeMaskedIndex, unsafeMaskedIndexPut,
    embeddingDenseBackward, maskedFill, indexAdd, indexAddUnlessBfloat16, indexCopy, indexFill, indexSelect,
    selectBackward, selectScatter, sliceBackward, diagonalBackward, take, roll, maxUnpool;
// table_inductor.cpp
DecompositionFunction emptyPermuted, cat, viewCopy, viewCopyType, toCopy, arange, flip, put, indexReduce,
    maskedScatter, repeatInterleave;
// table_linear_algebra.cpp
DecompositionFunction addmv, baddbmm, mv, dot, vdot, addr, flashAttentionForCpu, euclideanDistance, cross,
    renorm, weightNorm;
// table_losses.cpp
DecompositionFunction mseLoss, mseLossBackward, smoothL1Loss, smoothL1LossBackward, huberLoss,
    huberLossBackward, softMarginLoss, softMarginLossBackward, binaryCrossEntropy, binaryCrossEntropyBackward,
    binaryCrossEntropyWithLogits, nllLossForward, nllLossBackward;
// table_normalization.cpp
DecompositionFunction layerNormBackward, groupNormBackward, layerNorm, groupNorm, fusedRmsNorm,
    fusedRmsNormBackward;
// table_pointwise.cpp
DecompositionFunction addcmul, addcdiv, inductorAddcmul, inductorAddcdiv, rsub, clampMin, clampMax,
    floorDivide, frac, deg2rad, rad2deg, isPositiveInfinity, isNegativeInfinity, sgn, sinc, mvlgamma, logit,
    logitBackward, nanToNum, xlogy, xlog1py, entr, logNdtr, inductorLogNdtr, dropoutBackward;
// table_reductions.cpp
DecompositionFunction all, countNonzero, logsumexp, standardDeviation, standardDeviationAndMean, sumOfAll,
    nansum, aminmax, norm, trace, softmax, logSoftmax, softmaxBackward, logSoftmaxBackward, safeSoftmax,
    vectorNorm, coreVectorNorm;
// table_search.cpp
DecompositionFunction isIn, searchSortedNumber, bucketizeNumber, lowerTriangleIndices, upperTriangleIndices;
// table_views.cpp
DecompositionFunction aliased, transposeMatrix, transpose, squeeze, viewed, copyOfView, tril, triu, rot90,
    pixelShuffle, pixelUnshuffle, channelShuffle, blockDiag, diagEmbed, reflectionPad, replicationPad;
// unfold_backward.cpp
DecompositionFunction unfoldBackward;
// upsample.cpp
DecompositionFunction upsampleNearestVec, upsampleNearestExactVec, upsampleLinearVec, upsampleNearestSized,
    upsampleNearestExactSized, upsampleLinearSized, upsampleBicubicVec, upsampleBicubicSized,
    upsampleBilinearAntialiasVec, upsampleBicubicAntialiasVec;

} // namespace aotscope::torch::decomposed
