#pragma once

#include "decompositions/decomposition.h"

#include <array>

/// The decompositions by the files that define them; the operators they belong to are in operators.
namespace aotscope::torch::decomposed {

// inductor_matrices.cpp
DecompositionFunction convolutionBackward, bmm, mm, addmm;
// inductor_pointwise.cpp
Decomposed ofBooleans(const DecompositionCall& call,
                      at::Tensor (*reduce)(const at::Tensor&, at::OptionalIntArrayRef, bool));
Decomposed chosen(const DecompositionCall& call, at::Tensor (*compare)(const at::Tensor&, const at::Tensor&));
Decomposed foreachAddScaled(const DecompositionCall& call,
                            std::vector<at::Tensor> (*scale)(at::TensorList, at::TensorList));
DecompositionFunction clamp, inductorSoftmaxBackward, lcm, foreachLerp;
// matmul.cpp
DecompositionFunction matmul;
// recurrent.cpp
Decomposed recurrentNetwork(const DecompositionCall& call, at::Tensor (*nonlinearity)(const at::Tensor&));
DecompositionFunction gru, lstm;
// reflection_padding.cpp
DecompositionFunction reflectionPadBackward;
// table_columns.cpp
DecompositionFunction im2col, col2im;
// table_creation.cpp
Decomposed filled(const DecompositionCall& call, bool one);
Decomposed newFilled(const DecompositionCall& call, bool one);
Decomposed filledLike(const DecompositionCall& call, bool one);
DecompositionFunction newFull, newEmpty, emptyLike, fullLike, fullWithoutType, eye, bernoulli, hannWindow,
    arangeByOne;
// table_grids.cpp
DecompositionFunction gridSampler2d, affineGridGenerator;
// table_indexing.cpp
DecompositionFunction unsafeIndexPut, unsafeMaskedIndex, unsafeMaskedIndexPut, embeddingDenseBackward,
    maskedFill, indexAdd, indexAddUnlessBfloat16, indexCopy, indexFill, indexSelect, selectBackward,
    selectScatter, sliceBackward, diagonalBackward, take, roll, maxUnpool;
// table_inductor.cpp
DecompositionFunction emptyPermuted, cat, toCopy, arange, flip, put, indexReduce, maskedScatter,
    repeatInterleave;
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
Decomposed isInfinite(const DecompositionCall& call, double value);
DecompositionFunction addcmul, addcdiv, inductorAddcmul, inductorAddcdiv, rsub, clampToOne, floorDivide, sgn,
    sinc, mvlgamma, logit, logitBackward, nanToNum, xlogy, xlog1py, entr, logNdtr, inductorLogNdtr,
    dropoutBackward;
// table_reductions.cpp
DecompositionFunction all, countNonzero, logsumexp, standardDeviation, standardDeviationAndMean, nansum,
    aminmax, norm, trace, softmax, logSoftmax, softmaxBackward, logSoftmaxBackward, safeSoftmax, vectorNorm,
    coreVectorNorm;
// table_search.cpp
DecompositionFunction isIn, searchSortedNumber, bucketizeNumber, lowerTriangleIndices, upperTriangleIndices;
// table_views.cpp
Decomposed triangle(const DecompositionCall& call, bool lower);
DecompositionFunction transposeMatrix, transpose, squeeze, viewed, copyOfView, rot90, pixelShuffle,
    pixelUnshuffle, channelShuffle, blockDiag, diagEmbed, reflectionPad, replicationPad;
// unfold_backward.cpp
DecompositionFunction unfoldBackward;
// upsample.cpp
DecompositionFunction upsampleNearest, upsampleNearestExact, upsampleLinear, upsampleBicubic,
    upsampleBilinearAntialiasVec, upsampleBicubicAntialiasVec;

/// The value between the second and the third of four neighbors (_upsample_cubic_interp1d).
[[nodiscard]] at::Tensor cubicInterpolation(const std::array<at::Tensor, 4>& values,
                                            const at::Tensor& fraction);

} // namespace aotscope::torch::decomposed
