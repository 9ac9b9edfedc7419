#pragma once

namespace aotscope::aot {

/// What the decompositions of core ATen and of Inductor do differently from one release of torch to the next
/// (torch/_decomp/decompositions.py, torch/_inductor/decomposition.py). Defaults are those of torch 2.11.
struct DecompositionRules {
    /// The gradient of `silu` calls `sigmoid` instead of dividing by 1 + exp(-x).
    bool siluBackwardCallsSigmoid = false;
    /// The gradient of `log_sigmoid` reads exp(-|x|) from the buffer of the forward, where that is filled.
    bool logSigmoidBackwardReadsItsBuffer = false;
    /// The gradient of `rrelu` in training is multiplied by the noise, however near its bounds are.
    bool rreluBackwardAlwaysMultipliesByNoise = false;
    /// The gradient of an embedding leaves out indices out of range.
    bool embeddingBackwardMasksIndices = false;
    /// Batch norm in evaluation calls `rsqrt` instead of dividing by a root.
    bool inferenceBatchNormCallsRsqrt = false;
    /// The gradient of group norm calls `addcmul` and keeps the memory format of the input.
    bool groupNormBackwardCallsAddcmul = false;
    /// The gradient of `unfold` makes its zeros first, and adds window by window where the windows of the
    /// gradient are not those of the input.
    bool unfoldBackwardMayAddByWindow = false;
    /// Inductor keeps `addcmul` and `addcdiv`, and writes `lerp` with them, so that it can fuse the
    /// multiplication with the addition.
    bool inductorFusesMultiplyAdd = false;
    /// Inductor scatters the gradient of `max_pool2d`.
    bool maxPoolBackwardScatters = false;
    /// `adaptive_max_pool2d` to one value takes `amax` and `argmax`.
    bool adaptiveMaxPoolMayTakeAmax = false;
    /// Inductor writes an outer product as a product with broadcasting, of any size unless on the CPU.
    bool outerProductsAreBroadcast = false;
    /// The vector that `addmv` adds is expanded to the shape of the product first.
    bool addedVectorsAreExpanded = false;
    /// `multi_margin_loss` reads the weights by the labels, and then adds a dimension.
    bool marginLossWeighsByLabel = false;
    /// `multilabel_margin_loss` leaves out the targets from the first -1 on.
    bool marginLossLeavesOutPadding = false;
    /// `hann_window` is written with a cosine.
    bool hannWindowsAreDecomposed = false;
    /// The table of core ATen decomposes `linalg_vector_norm`, too.
    bool coreHasVectorNorm = false;
    /// `linalg_vector_norm` sums over dimensions that are counted from the front, and where an empty list
    /// names them over None; before, over the list as it comes.
    bool vectorNormCountsFromTheFront = false;
    /// Inductor takes the sign of `special.log_ndtr` from -1.
    bool logNdtrKeepsItsSign = false;
    /// Inductor decomposes `adaptive_max_pool3d` like that of images, and forces its strides.
    bool adaptiveMaxPool3dIsDecomposed = false;
    /// `max_unpool2d` on the CPU keeps the memory format of its input.
    bool maxUnpoolKeepsMemoryFormat = false;
    /// `upsample_bicubic2d` takes the memory format of its input, on a GPU the contiguous one; before, that
    /// of what it computed.
    bool bicubicTakesFormatOfInput = false;
    /// Grids on a GPU are read with indices of 32 bits.
    bool gridsAreReadWith32Bits = false;
    /// The norm of `_weight_norm_interface` has the dtype of the gain, in float for half precision.
    bool weightNormKeepsDtype = false;
    /// `dropout` of complex values is written with a mask.
    bool complexDropoutIsWritten = false;
    /// `softmax` along a dimension that may be empty takes the maximum of it and -inf.
    bool softmaxPadsEmptyDimensions = false;
    /// Inductor's `index_add` unsqueezes an index that is a scalar.
    bool indexAddUnsqueezesScalars = false;
    /// The gradient of `hardtanh` compares in the dtype that pointwise operators compute in.
    bool hardtanhBackwardComparesInOpmath = false;
    /// Inductor writes `uniform` with `rand`, and `normal_functional` and the primitive `normal` with
    /// `randn`.
    bool inductorDecomposesDraws = false;
    /// Without `fallback_random` alone Inductor writes `rand_like`, `randn_like`, `randint_like` and `rrelu`;
    /// before, always.
    bool drawsLikeTensorsMayFallBack = false;
    /// `frac` subtracts `trunc`.
    bool fracTruncates = false;
    /// `flip` of a tensor without dimensions clones it.
    bool flipClonesScalars = false;
    /// `index_fill` copies into the strides of its input, unless these overlap.
    bool indexFillCopiesStrided = false;
    /// `index_select` keeps the memory format of its input.
    bool indexSelectKeepsMemoryFormat = false;
    /// `arange` of integers from floats counts from 0 and multiplies.
    bool arangeOfFloatsCountsIntegers = false;
    /// `softshrink` rounds its lambda to half precision.
    bool softshrinkRoundsLambda = false;
    /// `normal` of two tensors has the dtype of the first; before, the promoted one.
    bool normalHasDtypeOfFirst = false;
    /// Nearest neighbors of volumes keep the memory format.
    bool nearestKeepsFormatOfVolumes = false;
    /// Reflected and replicated images have the memory format of the input, on the CPU; before, that of what
    /// was computed.
    bool paddingTakesFormatOfInput = false;
    /// Attention on the CPU keeps its sums in the dtype of computation; before, in float.
    bool attentionSumsInOpmath = false;
    /// Scattering into a tensor that overlaps itself clones it; before, the strides were kept.
    bool scatterClonesOverlapping = false;
    /// The norms of a vector in `_weight_norm_interface` are its absolute values; before, its norm.
    bool weightNormOfVectorIsItself = false;
    friend bool operator==(const DecompositionRules&, const DecompositionRules&) = default;
};

} // namespace aotscope::aot
