#pragma once

#include "aot/versions/decomposition_rules.h"

/// What AOTAutograd's trace does differently from one release of torch to the next. Which release does what
/// stands in versions.cpp alone; defaults are those of torch 2.11.
namespace aotscope::aot {

struct TraceRules {
    /// Nodes recorded while a node of autograd runs are marked as backward (`autograd_backward`), which their
    /// source comments say.
    bool marksBackwardNodes = false;
    /// Where tangents have the strides of their outputs (`guess_tangent_strides_as_outputs`), those of
    /// outputs with overlapping elements are dense in the output's memory format.
    bool overlappingTangentsAreDense = false;
    /// The metadata of training and of inference has the same fields: it leaves out whether it is for
    /// training
    /// (`is_train`), and tells the sources of tangents, collectives and assignments to `data`.
    bool metadataIsThatOfBothPaths = false;
    /// An output that views another output without being differentiable is regenerated from that one.
    bool undifferentiatedViewsAreAliases = false;
    /// A view that was created under no_grad gets no tangent, although its base requires grad.
    bool onlyDifferentiableOutputsGetTangents = false;
    /// The storage size of a view or a changed tensor is taken over from its functional wrapper. Before, it
    /// was computed anew for each, and the trace recorded the arithmetic on symbolic sizes.
    bool storageSizesAreTakenOver = false;
    /// `x[…] = number` fills with the number; before, the number became a tensor first.
    bool assignedNumbersStayNumbers = false;
    /// The decomposition of `one_hot` asserts that the classes are in range.
    bool oneHotChecksItsClasses = false;
    /// `multi_head_attention_forward` ends in reshape instead of contiguous and view.
    bool attentionReshapesItsOutput = false;
    /// `dropout` that drops nothing returns its input instead of a clone.
    bool dropoutMayReturnItsInput = false;
    /// A clamped value gets no gradient where it equals a bound.
    bool clampsHaveNoGradientAtBounds = false;
    /// The zeros into which max, sort, topk and their likes scatter a gradient come from it (`new_zeros`).
    bool zerosAreMadeFromTheGradient = false;
    /// Group norm makes its input contiguous in its memory format first, which gives the result its strides.
    bool groupNormMakesItsInputContiguous = false;
    /// The inverse and the counts of `unique` are whole numbers; before, fake tensors gave them the dtype of
    /// the elements.
    bool uniqueCountsAreWhole = false;
    /// `bincount` gives whole numbers, with weights sums of their dtype (float64 unless they are float32),
    /// and of nothing minlength zeros; before, fake tensors had the dtype of the numbers that are counted.
    bool countsHaveTheirDtype = false;
    /// The strides of a Fourier transform's result are those of MKL's kernels: the transformed dimensions
    /// come last, in their own order.
    bool transformsKeepOrder = false;
    /// `pad_sequence` to the left is written like that to the right.
    bool padsSequencesToTheLeft = false;
    /// The checks that linear algebra operators make of their results are effects, ordered by tokens.
    bool linalgChecksAreEffects = false;
    /// Where a slice of a size that only data tell may end before it, its length is computed with Min and
    /// Max; before, it was a new symbol.
    bool slicesOfDataAreComputed = false;
    /// What `torch.asarray` makes of a tensor requires grad if that does; before, it was cut off from
    /// autograd.
    bool asarrayKeepsRequiringGrad = false;
    /// lp_pool with an infinite power is a max_pool of magnitudes; before, of powers like any other.
    bool infinitePowersPoolExtremes = false;
    /// Complex numbers with a part that is 0 or not finite are printed as calls: complex(0.0, 1.0).
    bool complexNumbersAreCalls = false;
    /// The composite `linear` of more than two dimensions ends in _unsafe_view instead of view.
    bool linearEndsInUnsafeView = false;
    /// `prims.fma` has a derivative; before, a backward through it was an error.
    bool fmaHasAGradient = false;
    /// An output that is regenerated from what it aliases counts its offset from there where the graph's
    /// result lies in other memory; before, from the start of the memory.
    bool aliasOffsetsAreRelative = false;
    DecompositionRules decompositions = {};
    friend bool operator==(const TraceRules&, const TraceRules&) = default;
};

} // namespace aotscope::aot
