#include "aot/versions/versions.h"

#include "aot/versions/rules_choice.h"
#include "aot/versions/torch_version.h"

#include "base/joined.h"
#include "base/numbers.h"

#include <array>

namespace aotscope::aot {

namespace {

using passes::PartitionRules;

constexpr TorchVersion torch211 = unnamedVersion();
constexpr TorchVersion torch215{2, 15};

constexpr std::array known = {torch211, torch215};

constexpr auto rules = std::to_array<VersionRule>({
    {"Nodes recorded while autograd runs are marked as backward", torch215,
     "torch/_functorch/_aot_autograd/logging_utils.py: setup_stacktrace_preservation_hooks",
     &TraceRules::marksBackwardNodes},
    {"A tangent of an output whose elements overlap is dense", torch215,
     "torch/_functorch/_aot_autograd/schemas.py: MemoryFormatMeta.from_tensor",
     &TraceRules::overlappingTangentsAreDense},
    {"Metadata leaves out is_train and tells the sources of tangents", torch215,
     "torch/_functorch/_aot_autograd/schemas.py: ViewAndMutationMeta",
     &TraceRules::metadataIsThatOfBothPaths},
    {"A view of another output that is not differentiable is an alias of it", torch215,
     "torch/_functorch/_aot_autograd/collect_metadata_analysis.py: "
     "run_functionalized_fw_and_collect_metadata",
     &TraceRules::undifferentiatedViewsAreAliases},
    {"The offset of an output that is regenerated counts from what it aliases if the graph worked "
     "on a copy",
     torch215, "torch/_functorch/_aot_autograd/functional_utils.py: gen_alias_from_base",
     &TraceRules::aliasOffsetsAreRelative},
    {"prims.fma has a derivative", torch215, "torch/_inductor/inductor_prims.py: _fma_backward",
     &TraceRules::fmaHasAGradient},
    {"A view made under no_grad gets no tangent", torch215,
     "torch/_functorch/_aot_autograd/collect_metadata_analysis.py: requires_grad_for_backward",
     &TraceRules::onlyDifferentiableOutputsGetTangents},
    {"The storage size of views and changed tensors is taken over, not computed in the trace", torch215,
     "torch/_subclasses/functional_tensor.py: FunctionalTensor.__new__",
     &TraceRules::storageSizesAreTakenOver},
    {"A number assigned to a part of a tensor fills it without becoming a tensor", torch215,
     "aten/src/ATen/TensorIndexing.h: try_dispatch_masked_fill_, try_dispatch_index_fill_",
     &TraceRules::assignedNumbersStayNumbers},
    {"one_hot asserts that its classes are in range", torch215, "torch/_decomp/decompositions.py: one_hot",
     &TraceRules::oneHotChecksItsClasses},
    {"multi_head_attention_forward ends in reshape", torch215,
     "torch/nn/functional.py: multi_head_attention_forward", &TraceRules::attentionReshapesItsOutput},
    {"dropout that drops nothing returns its input", torch215, "torch/_decomp/decompositions.py: dropout",
     &TraceRules::dropoutMayReturnItsInput},
    {"A clamped value gets no gradient where it equals a bound", torch215,
     "torch/csrc/autograd/FunctionsManual.cpp: clamp_backward", &TraceRules::clampsHaveNoGradientAtBounds},
    {"max, sort, topk and their likes scatter a gradient into new_zeros of it", torch215,
     "torch/csrc/autograd/FunctionsManual.cpp: value_selecting_reduction_backward",
     &TraceRules::zerosAreMadeFromTheGradient},
    {"Group norm makes its input contiguous first", torch215, "torch/_refs/__init__.py: native_group_norm",
     &TraceRules::groupNormMakesItsInputContiguous},
    {"The inverse and the counts of unique are whole numbers", torch215,
     "torch/_subclasses/fake_impls.py: _unique", &TraceRules::uniqueCountsAreWhole},
    {"bincount gives whole numbers, or sums of the weights' dtype", torch215,
     "torch/_subclasses/fake_impls.py: bincount", &TraceRules::countsHaveTheirDtype},
    {"Fourier transforms put the transformed dimensions last, in their own order", torch215,
     "torch/_meta_registrations.py: _exec_fft, meta_fft_r2c", &TraceRules::transformsKeepOrder},
    {"pad_sequence to the left is written like that to the right", torch215,
     "torch/_decomp/decompositions.py: pad_sequence", &TraceRules::padsSequencesToTheLeft},
    {"The checks of linear algebra operators are effects, ordered by tokens", torch215,
     "torch/_higher_order_ops/effects.py: _register_effectful_op", &TraceRules::linalgChecksAreEffects},
    {"The length of a slice of data-dependent size is computed with Min and Max", torch215,
     "torch/_subclasses/fake_impls.py: _compute_slice_index", &TraceRules::slicesOfDataAreComputed},
    {"torch.asarray keeps a tensor's gradient unless asked not to", torch215,
     "torch/csrc/utils/tensor_new.cpp: asarray_", &TraceRules::asarrayKeepsRequiringGrad},
    {"lp_pool1d and lp_pool2d with an infinite power are max_pool", torch215,
     "torch/nn/functional.py: lp_pool1d, lp_pool2d", &TraceRules::infinitePowersPoolExtremes},
    {"Complex numbers with a part that is 0 or not finite are printed as calls of complex", torch215,
     "torch/fx/graph.py: CodeGen", &TraceRules::complexNumbersAreCalls},
    {"The composite linear of more than two dimensions ends in _unsafe_view", torch215,
     "aten/src/ATen/native/Linear.cpp: linear", &TraceRules::linearEndsInUnsafeView},
    {"The gradient of silu calls sigmoid", torch215, "torch/_decomp/decompositions.py: silu_backward",
     &DecompositionRules::siluBackwardCallsSigmoid},
    {"The gradient of log_sigmoid reads the buffer of the forward", torch215,
     "torch/_decomp/decompositions.py: log_sigmoid_backward",
     &DecompositionRules::logSigmoidBackwardReadsItsBuffer},
    {"The gradient of rrelu in training is always multiplied by the noise", torch215,
     "torch/_decomp/decompositions.py: rrelu_with_noise_backward",
     &DecompositionRules::rreluBackwardAlwaysMultipliesByNoise},
    {"The gradient of an embedding leaves out indices out of range", torch215,
     "torch/_decomp/decompositions.py: embedding_dense_backward",
     &DecompositionRules::embeddingBackwardMasksIndices},
    {"Batch norm in evaluation calls rsqrt", torch215,
     "torch/_decomp/decompositions.py: native_batch_norm_helper",
     &DecompositionRules::inferenceBatchNormCallsRsqrt},
    {"The gradient of group norm calls addcmul and keeps the memory format", torch215,
     "torch/_decomp/decompositions.py: native_group_norm_backward",
     &DecompositionRules::groupNormBackwardCallsAddcmul},
    {"The gradient of unfold may add window by window", torch215,
     "torch/_decomp/decompositions.py: unfold_backward", &DecompositionRules::unfoldBackwardMayAddByWindow},
    {"adaptive_max_pool2d to one value takes amax and argmax", torch215,
     "torch/_decomp/decompositions.py: adaptive_max_pool2d", &DecompositionRules::adaptiveMaxPoolMayTakeAmax},
    {"addmv expands what it adds", torch215, "torch/_decomp/decompositions.py: addmv",
     &DecompositionRules::addedVectorsAreExpanded},
    {"The gradient of max_pool2d is scattered", torch215,
     "torch/_decomp/decompositions.py: max_pool2d_with_indices_backward",
     &DecompositionRules::maxPoolBackwardScatters},
    {"multi_margin_loss reads the weights by the labels", torch215,
     "torch/_decomp/decompositions.py: multi_margin_loss", &DecompositionRules::marginLossWeighsByLabel},
    {"multilabel_margin_loss leaves out padded targets", torch215,
     "torch/_decomp/decompositions.py: multilabel_margin_loss_forward",
     &DecompositionRules::marginLossLeavesOutPadding},
    {"hann_window is written with a cosine", torch215, "torch/_decomp/decompositions.py: hann_window",
     &DecompositionRules::hannWindowsAreDecomposed},
    {"The table of core ATen has linalg_vector_norm", torch215,
     "torch/_decomp/__init__.py: _core_aten_decompositions_post_autograd",
     &DecompositionRules::coreHasVectorNorm},
    {"linalg_vector_norm counts dimensions from the front", torch215,
     "torch/_refs/linalg/__init__.py: vector_norm", &DecompositionRules::vectorNormCountsFromTheFront},
    {"Inductor keeps addcmul and addcdiv, and writes lerp with them", torch215,
     "torch/_inductor/decomposition.py: decomps_to_exclude, _lerp_scalar",
     &DecompositionRules::inductorFusesMultiplyAdd},
    {"Inductor writes outer products as products with broadcasting", torch215,
     "torch/_inductor/decomposition.py: bmm, mm, addmm", &DecompositionRules::outerProductsAreBroadcast},
    {"Inductor takes the sign of special.log_ndtr from -1", torch215,
     "torch/_inductor/decomposition.py: special_log_ndtr", &DecompositionRules::logNdtrKeepsItsSign},
    {"Inductor decomposes adaptive_max_pool3d", torch215,
     "torch/_inductor/decomposition.py: adaptive_max_pool3d",
     &DecompositionRules::adaptiveMaxPool3dIsDecomposed},
    {"max_unpool2d on the CPU keeps the memory format", torch215,
     "torch/_decomp/decompositions.py: _max_unpoolnd", &DecompositionRules::maxUnpoolKeepsMemoryFormat},
    {"upsample_bicubic2d takes the memory format of its input", torch215,
     "torch/_decomp/decompositions.py: upsample_bicubic2d_default",
     &DecompositionRules::bicubicTakesFormatOfInput},
    {"Grids on a GPU are read with indices of 32 bits", torch215,
     "torch/_decomp/decompositions.py: _grid_sampler_2d", &DecompositionRules::gridsAreReadWith32Bits},
    {"The norm of _weight_norm_interface has the dtype of the gain", torch215,
     "torch/_decomp/decompositions.py: _weight_norm_interface", &DecompositionRules::weightNormKeepsDtype},
    {"dropout of complex values is written with a mask", torch215, "torch/_decomp/decompositions.py: dropout",
     &DecompositionRules::complexDropoutIsWritten},
    {"softmax along a dimension that may be empty is padded", torch215,
     "torch/_decomp/decompositions.py: _softmax_unbacked_safe_amax",
     &DecompositionRules::softmaxPadsEmptyDimensions},
    {"Inductor's index_add unsqueezes an index that is a scalar", torch215,
     "torch/_inductor/decomposition.py: index_add", &DecompositionRules::indexAddUnsqueezesScalars},
    {"The gradient of hardtanh compares in the dtype of computation", torch215,
     "torch/_decomp/decompositions.py: hardtanh_backward",
     &DecompositionRules::hardtanhBackwardComparesInOpmath},
    {"Inductor writes uniform and normal numbers with rand and randn", torch215,
     "torch/_inductor/decomposition.py: uniform, normal; torch/_decomp/decompositions_for_rng.py: "
     "extra_random_decomps",
     &DecompositionRules::inductorDecomposesDraws},
    {"Inductor writes rand_like and its likes unless random numbers fall back", torch215,
     "torch/_inductor/decomposition.py: rand_like, randn_like, randint_like, rrelu_with_noise_functional",
     &DecompositionRules::drawsLikeTensorsMayFallBack},
    {"frac subtracts trunc", torch215, "torch/_refs/__init__.py: frac", &DecompositionRules::fracTruncates},
    {"flip of a tensor without dimensions is a clone", torch215, "torch/_refs/__init__.py: flip",
     &DecompositionRules::flipClonesScalars},
    {"index_fill copies into the strides of its input", torch215, "torch/_refs/__init__.py: _index_fill",
     &DecompositionRules::indexFillCopiesStrided},
    {"index_select keeps the memory format", torch215, "torch/_refs/__init__.py: index_select",
     &DecompositionRules::indexSelectKeepsMemoryFormat},
    {"arange of integers from floats multiplies", torch215, "torch/_refs/__init__.py: arange",
     &DecompositionRules::arangeOfFloatsCountsIntegers},
    {"softshrink rounds its lambda", torch215, "torch/_refs/nn/functional/__init__.py: softshrink",
     &DecompositionRules::softshrinkRoundsLambda},
    {"normal of two tensors has the dtype of the first", torch215, "torch/_refs/__init__.py: normal",
     &DecompositionRules::normalHasDtypeOfFirst},
    {"Nearest neighbors of volumes keep the memory format", torch215,
     "torch/_decomp/decompositions.py: _upsample_nearest", &DecompositionRules::nearestKeepsFormatOfVolumes},
    {"Padded images have the memory format of the input", torch215,
     "torch/_decomp/decompositions.py: _reflection_or_replication_pad",
     &DecompositionRules::paddingTakesFormatOfInput},
    {"Attention on the CPU sums in the dtype of computation", torch215,
     "torch/_meta_registrations.py: meta__scaled_dot_product_flash_attention_for_cpu",
     &DecompositionRules::attentionSumsInOpmath},
    {"Scattering into a tensor that overlaps itself clones it", torch215,
     "torch/_meta_registrations.py: _scatter_meta_output", &DecompositionRules::scatterClonesOverlapping},
    {"The norms of a vector are its absolute values", torch215,
     "torch/_decomp/decompositions.py: _weight_norm_interface",
     &DecompositionRules::weightNormOfVectorIsItself},
    {"Equal calls are merged if both or neither are needed by the backward", torch215,
     "torch/_functorch/partitioners.py: min_cut_rematerialization_partition",
     &PartitionRules::mergesWithinAHalf},
    {"Impure calls are not merged with equal ones", torch215,
     "torch/_functorch/compile_utils.py: fx_graph_cse", &PartitionRules::mergesPureCallsAlone},
    {"Buffers that functional wrappers mutate are not merged", torch215,
     "torch/_functorch/compile_utils.py: fx_graph_cse", &PartitionRules::keepsMutatedBuffersApart},
    {"Calls are equal if their floats are equal bit by bit", torch215,
     "torch/_functorch/compile_utils.py: _normalize_cse_arg", &PartitionRules::comparesFloatsByBits},
    {"Attention with dropout 0 is no random operator", torch215,
     "torch/_functorch/partitioners.py: is_rng_op", &PartitionRules::attentionDrawsOnlyForDropout},
    {"leaky_relu and in-place activations are pointwise", torch215,
     "aten/src/ATen/native/native_functions.yaml: tags", &PartitionRules::leakyReluIsPointwise},
    {"prims.prepare_softmax_online may be recomputed", torch215,
     "torch/_functorch/partitioners.py: get_default_op_list", &PartitionRules::onlineSoftmaxIsRecomputable},
    {"streams.record_stream has an effect", torch215, "torch/_functorch/_aot_autograd/streams.py",
     &PartitionRules::recordStreamHasEffect},
    {"The default partition never saves _assert_async", torch215,
     "torch/_functorch/partitioners.py: default_partition", &PartitionRules::asyncAssertionsAreNeverSaved},
    {"Conditions that are only asserted are not saved", torch215,
     "torch/_functorch/partitioners.py: _is_assert_only_symbool",
     &PartitionRules::assertedConditionsAreNotSaved},
    {"Of a collective's results each tensor is marked to be saved", torch215,
     "torch/_functorch/partitioners.py: force_save_collectives", &PartitionRules::marksElementsOfCollectives},
    {"Effects are never recomputed", torch215, "torch/_functorch/partitioners.py: force_save_effectful_ops",
     &PartitionRules::effectsAreNeverRecomputed},
    {"Inputs that are overwritten after the forward cannot be saved", torch215,
     "torch/_functorch/_aot_autograd/graph_compile.py: _partition_joint_graph_into_fw_bw",
     &PartitionRules::overwrittenInputsCannotBeSaved},
    {"A memory budget with nothing to choose from keeps the leanest cut", torch215,
     "torch/_functorch/partitioners.py: choose_saved_values_set", &PartitionRules::emptyKnapsackKeepsTheCut},
    {"An unbacked symbol is bound only by the node that creates it", torch215,
     "torch/fx/experimental/symbolic_shapes.py: is_symbol_binding_fx_node",
     &PartitionRules::onlyMakersBindSymbols},
    {"Sizes that were found equal keep their own symbols, which are saved", torch215,
     "torch/_functorch/partitioners.py: _extract_fwd_bwd_modules", &PartitionRules::savesSymbolsOfEqualSizes},
    {"Data-dependent sizes are guessed within their asserted bounds", torch215,
     "torch/fx/experimental/_size_hinting.py: _optimization_hint_base",
     &PartitionRules::guessesWithinAssertedBounds},
    {"The operations of all kinds of attention are counted", torch215,
     "torch/utils/flop_counter.py: flop_registry", &PartitionRules::countsAllAttention},
    {"More operators take floats as tensors", torch215,
     "torch/fx/passes/_tensorify_python_scalars.py: SUPPORTED_OPS", &PartitionRules::tensorifiesMore},
    {"Calls of a subgraph are paired by their call_id", torch215,
     "torch/_functorch/_aot_autograd/graph_compile.py: run_joint_graph_passes_on_hops",
     &PartitionRules::pairsCallsById},
});

std::optional<int> takePart(std::string_view& text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const std::string_view number = text.substr(0, digits);
    return number.empty() || number.size() > 3 ? std::nullopt : base::takeNumber<int>(text);
}

} // namespace

void VersionRule::apply(TorchRules& all) const {
    if (const auto* trace = std::get_if<bool TraceRules::*>(&member)) {
        all.trace.*(*trace) = true;
    } else if (const auto* decomposition = std::get_if<bool DecompositionRules::*>(&member)) {
        all.trace.decompositions.*(*decomposition) = true;
    } else {
        all.partition.*std::get<bool PartitionRules::*>(member) = true;
    }
}

std::span<const TorchVersion> knownVersions() {
    return known;
}

std::span<const VersionRule> versionRules() {
    return rules;
}

TorchVersion rulesVersion(TorchVersion release) {
    TorchVersion nearest = known.front();
    for (const TorchVersion version : known) {
        if (version <= release) {
            nearest = version;
        }
    }
    return nearest;
}

TorchRules torchRules(TorchVersion release) {
    const TorchVersion nearest = rulesVersion(release);
    TorchRules all;
    for (const VersionRule& rule : rules) {
        if (rule.begins <= nearest) {
            rule.apply(all);
        }
    }
    return all;
}

std::string rulesText(TorchVersion release) {
    const TorchVersion nearest = rulesVersion(release);
    std::string text = "rules of torch " + torchVersionText(nearest);
    if (release != nearest) {
        text += " (made by torch " + torchVersionText(release) + ", whose own rules are not known)";
    }
    return text;
}

std::optional<TorchVersion> torchVersionFromText(std::string_view text) {
    const std::optional<int> major = takePart(text);
    if (!major || !text.starts_with('.')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const std::optional<int> minor = takePart(text);
    return minor ? std::optional(TorchVersion{*major, *minor}) : std::nullopt;
}

std::string torchVersionText(TorchVersion version) {
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

bool RulesChoice::isOwn() const {
    return rulesVersion(release()) == logged;
}

std::string RulesChoice::text() const {
    if (!chosen || *chosen == logged) {
        return rulesText(logged);
    }
    const TorchVersion nearest = rulesVersion(*chosen);
    std::string text = "rules of torch " + torchVersionText(nearest) + " (chosen";
    if (nearest != *chosen) {
        text += " for torch " + torchVersionText(*chosen) + ", whose own rules are not known";
    }
    return text + "; made by torch " + torchVersionText(logged) + ")";
}

std::string knownVersionsText() {
    return base::joined(knownVersions(), ", ", torchVersionText);
}

base::Result<TorchVersion> chosenVersion(std::string_view text) {
    if (const auto version = torchVersionFromText(text)) {
        return *version;
    }
    constexpr std::size_t longest = 40;
    return base::Error{.code = "aot.torch_version",
                       .message = "\"" + std::string(text.substr(0, longest)) + "\" is no release of torch.",
                       .hint = "Releases whose rules are known: " + knownVersionsText() +
                               ". Of another release the nearest older ones are taken."};
}

} // namespace aotscope::aot
