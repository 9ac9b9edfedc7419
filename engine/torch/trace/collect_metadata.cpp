#include "trace/collect_metadata.h"

#include "dispatch/constant_names.h"
#include "dispatch/libtorch_release.h"
#include "fake/unrecorded_arithmetic.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"
#include "trace/graph_function.h"
#include "trace/graph_recorder.h"
#include "trace/output_analysis.h"
#include "trace/pre_dispatch.h"
#include "trace/tracer.h"

#include "ir/text/printer.h"

#include <ATen/FunctionalStorageImpl.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace aotscope::torch {

namespace {

bool wasStorageReplaced(const at::Tensor& functional, const at::Tensor& before) {
    const at::Tensor after =
        at::functionalization::impl::from_functional_tensor(asFunctional(functional)->wrapperTensor());
    return asFunctional(functional)->wrapper().was_storage_changed() && storageOf(before) != storageOf(after);
}

} // namespace

bool hasMetadataMutation(const at::Tensor& functional, const at::Tensor& before) {
    // No sync, as in PyTorch: pending data updates do not change metadata.
    const at::Tensor after =
        at::functionalization::impl::from_functional_tensor(asFunctional(functional)->wrapperTensor());
    return wasStorageReplaced(functional, before) ||
           (asFunctional(functional)->wrapper().has_metadata_mutation() && !sameMetadata(before, after));
}

namespace {

ir::InputAliasInfo inputInfo(const at::Tensor& argument, const at::Tensor& functional,
                             const TracedInput& input, bool keepInputMutations) {
    at::FunctionalTensorWrapper& wrapper = asFunctional(functional)->wrapper();
    const bool storageMutated = wasStorageReplaced(functional, argument);
    ir::InputAliasInfo info;
    info.isLeaf = input.isLeaf;
    info.mutatesData = wrapper.has_data_mutation();
    info.mutatesMetadata = hasMetadataMutation(functional, argument);
    info.mutatesStorageMetadata = storageMutated;
    info.mutationsHiddenFromAutograd = wrapper.are_all_mutations_hidden_from_autograd();
    info.mutationsUnderNoGradOrInferenceMode =
        info.mutatesData && wrapper.are_all_mutations_under_no_grad_or_inference_mode();
    info.mutationInductorStorageResize = wrapper.was_inductor_storage_resized();
    if (storageMutated) {
        info.mutatesData = false;
    }
    info.requiresGrad = functional.requires_grad();
    info.keepInputMutations = keepInputMutations;
    return info;
}

/// A tangent is assumed to have the strides of its output where the configuration guesses so, else to be
/// dense in the memory format of its output. Follows torch 2.15, torch/_functorch/_aot_autograd/schemas.py:
/// MemoryFormatMeta.from_tensor.
ir::TangentLayout tangentLayout(const at::Tensor& value, const MetadataOptions& options,
                                const aot::TraceRules& rules) {
    const bool asOutput =
        options.guessTangentStridesAsOutputs && !value.unsafeGetTensorImpl()->has_symbolic_sizes_strides() &&
        !(rules.overlappingTangentsAreDense && at::has_internal_overlap(value) == at::MemOverlap::Yes);
    if (asOutput) {
        const ir::TensorMeta meta = *ir::asTensor(valueMeta(value));
        return {meta.shape, meta.stride, {}};
    }
    return {{}, {}, memoryFormatName(value.suggest_memory_format())};
}

void addTangent(CollectedMetadata& result, const at::Tensor& functional, ir::AOTOutput output,
                const MetadataOptions& options, const aot::TraceRules& rules) {
    at::Tensor value = fromFunctional(functional);
    if (plainNumber(value.sym_numel()) == 0) {
        // PyTorch views each tangent in its own shape, which makes one without elements contiguous.
        value = value.view_symint(value.sym_sizes());
    }
    ir::TangentLayout layout = tangentLayout(value, options, rules);
    const at::Tensor tangent = layout.size ? value : value.contiguous(value.suggest_memory_format());
    result.meta.subclassTangentMeta->push_back(
        {.unwrappedIdx = result.tangents.size(), .layout = std::move(layout)});
    result.tangents.push_back(tangent);
    result.meta.tracedTangents.push_back(*ir::asTensor(valueMeta(tangent)));
    result.meta.tracedTangentsDescs.emplace_back(ir::TangentAOTInput{std::move(output)});
}

/// None is a tensor subclass, so each takes one place.
std::vector<ir::TangentMeta> plainMetas(std::size_t count) {
    std::vector<ir::TangentMeta> metas(count);
    for (std::size_t i = 0; i < count; ++i) {
        metas[i].unwrappedIdx = i;
    }
    return metas;
}

/// How many mutated inputs the metadata counts among what the forward returns. Follows torch 2.11 and 2.15,
/// collect_metadata_analysis.py: fw_graph_outs.
std::size_t returnedMutations(const ir::ViewAndMutationMeta& meta, const std::vector<TracedInput>& inputs,
                              const aot::TraceRules& rules) {
    const bool isTrain = std::ranges::any_of(inputs, &TracedInput::requiresGrad);
    if (rules.metadataIsThatOfBothPaths || isTrain || !meta.keepInputMutations) {
        return meta.inputsWith(ir::MutationType::MutatedOutGraph).size();
    }
    return static_cast<std::size_t>(
        std::ranges::count_if(meta.inputInfo, &ir::InputAliasInfo::mutatesMetadata));
}

/// A view taken under no_grad requires a gradient like its base, but has no history.
bool isDifferentiable(const at::Tensor& output, const aot::TraceRules& rules) {
    return !rules.onlyDifferentiableOutputsGetTangents || !output.is_view() || output.grad_fn();
}

/// Whether PyTorch keeps the views of an output: those that lead to it from what it aliases, unless the
/// program changes the sizes or strides of that input in place. Follows torch 2.15,
/// collect_metadata_analysis.py.
bool keepsViews(const ir::OutputAliasInfo& info, const ir::ViewAndMutationMeta& meta) {
    switch (info.outputType) {
    case ir::OutputType::AliasOfIntermediate:
    case ir::OutputType::AliasOfIntermediateSaveAsOutput:
    case ir::OutputType::AliasOfIntermediateBaseIsUserOutput:
        return true;
    case ir::OutputType::AliasOfInput:
        return info.baseIdx && !meta.inputInfo.at(*info.baseIdx).mutatesMetadata;
    default:
        return false;
    }
}

/// The views that functionalization recorded between the memory of a functional tensor and the tensor
/// (`view_meta_sequence`), as the text of a graph with one input. Nothing for other tensors, and where a view
/// takes a symbolic size. Follows torch 2.15, torch/_functorch/_aot_autograd/functional_utils.py:
/// ViewMetaSequence, and schemas.py: ViewAndMutationMeta.make_runtime_safe.
std::optional<std::string> viewSequence(const at::Tensor& functional, ShapeEnvironment& environment) {
    const FunctionalTensorImpl* outer = asFunctional(functional);
    if (outer == nullptr) {
        return std::nullopt;
    }
    const auto& views = outer->wrapper().view_metas();
    if (std::ranges::any_of(views, [](const auto& view) { return view->has_symbolic_inputs; })) {
        return std::nullopt;
    }
    // The memory of every functional tensor is one of these.
    auto* storage = static_cast<at::functionalization::FunctionalStorageImpl*>(
        outer->wrapperTensor().unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl());
    const FakeTensorImpl* known = asFake(storage->base());
    if (known == nullptr) {
        return std::nullopt;
    }
    GraphRecorder recorder;
    at::Tensor value(known->shallow_copy_and_detach(c10::VariableVersion(0), true));
    static_cast<void>(recorder.placeholder("base", ir::PlainAOTInput{0}, value));
    {
        Tracer tracer(&recorder, environment);
        const TraceScope scope(tracer);
        const at::AutoDispatchBelowADInplaceOrView belowAutograd;
        for (const auto& view : views) {
            value = view->forward(value);
        }
    }
    recorder.output(std::vector<c10::IValue>{value}, {});
    return ir::printGraph(*recorder.graph().finish()).text;
}

} // namespace

bool getsTangent(const ir::OutputAliasInfo& info, const c10::IValue& output, const aot::TraceRules& rules) {
    return (info.outputType == ir::OutputType::NonAlias ||
            info.outputType == ir::OutputType::UnsafeViewAlias ||
            info.outputType == ir::OutputType::CustomFunctionView) &&
           info.rawType == "FunctionalTensor" && info.requiresGrad &&
           isDifferentiable(output.toTensor(), rules);
}

CollectedMetadata collectMetadata(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                  const MetadataOptions& options, ShapeEnvironment& environment) {
    const aot::TraceRules& rules = environment.rules();
    Tracer tracer(nullptr, environment);
    const TraceScope scope(tracer);
    // The symbolic arithmetic of this pass is not recorded: the capture later reads the sizes of a tangent
    // off its placeholder.
    const UnrecordedArithmetic untold(environment);
    const bool gradBefore = c10::GradMode::is_enabled();
    std::vector<c10::IValue> functional;
    // A tensor passed twice is one tensor for the program as well.
    std::unordered_map<const c10::TensorImpl*, std::size_t> seen;
    for (const TracedInput& input : inputs) {
        if (!input.value.isTensor()) {
            functional.push_back(input.value);
            continue;
        }
        const auto [first, isNew] =
            seen.try_emplace(input.value.toTensor().unsafeGetTensorImpl(), functional.size());
        if (!isNew) {
            functional.push_back(functional[first->second]);
            continue;
        }
        functional.push_back(outerInput(input.value, input.requiresGrad));
    }
    const std::vector<c10::IValue> outputs = [&] {
        std::optional<PreDispatchScope> beforeAutograd;
        if (options.preDispatch) {
            beforeAutograd.emplace(tracer);
        }
        return program(functional);
    }();
    const bool gradAfter = c10::GradMode::is_enabled();
    c10::GradMode::set_enabled(gradBefore);

    CollectedMetadata result;
    result.needsToken = tracer.effects.isNeeded;
    ir::ViewAndMutationMeta& meta = result.meta;
    meta.keepInputMutations = options.keepInputMutations;
    meta.deterministic = at::globalContext().deterministicAlgorithms();
    meta.subclassTangentMeta.emplace();
    if (rules.metadataIsThatOfBothPaths) {
        meta.actInputPaths.emplace();
    }
    if (gradAfter != gradBefore) {
        meta.gradEnabledMutation = gradAfter;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (functional[i].isTensor()) {
            meta.inputInfo.push_back(inputInfo(inputs[i].value.toTensor(), functional[i].toTensor(),
                                               inputs[i], options.keepInputMutations));
        } else {
            ir::InputAliasInfo info;
            info.mutationsHiddenFromAutograd = false;
            info.keepInputMutations = options.keepInputMutations;
            meta.inputInfo.push_back(info);
        }
        if (rules.metadataIsThatOfBothPaths) {
            const FunctionalTensorImpl* outer =
                functional[i].isTensor() ? asFunctional(functional[i].toTensor()) : nullptr;
            meta.inputInfo.back().mutationIsShallowCopyData =
                outer != nullptr && wasShallowCopyData(outer->wrapper());
        }
    }
    OutputAnalysis analysis(functional, outputs, rules);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        analysis.current = i;
        meta.outputInfo.push_back(analysis.classify(outputs[i]));
        ir::OutputAliasInfo& info = meta.outputInfo.back();
        if (rules.onlyDifferentiableOutputsGetTangents) {
            info.requiresGradForBackward =
                info.requiresGrad && isDifferentiable(outputs[i].toTensor(), rules);
        }
        if (keepsViews(info, meta)) {
            info.views = viewSequence(outputs[i].toTensor(), environment);
        }
    }
    meta.numIntermediateBases = analysis.intermediateBases().size();

    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ir::InputAliasInfo& info = meta.inputInfo[i];
        result.needsGrad = result.needsGrad ||
                           (info.requiresGrad && info.mutatesData &&
                            !info.mutationsUnderNoGradOrInferenceMode && !info.mutationsHiddenFromAutograd);
        if (info.mutationType() == ir::MutationType::MutatedOutGraph && info.mutatesData &&
            info.requiresGrad) {
            addTangent(result, functional[i].toTensor(), ir::InputMutationAOTOutput{inputs[i].descriptor},
                       options, rules);
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ir::OutputAliasInfo& info = meta.outputInfo[i];
        const bool inputItself =
            (info.outputType == ir::OutputType::AliasOfInput || info.outputType == ir::OutputType::IsInput) &&
            info.baseIdx && meta.inputInfo[*info.baseIdx].requiresGrad;
        result.needsGrad = result.needsGrad || (info.requiresGrad && !inputItself);
        if (getsTangent(info, outputs[i], rules)) {
            addTangent(result, outputs[i].toTensor(), ir::PlainAOTOutput{static_cast<std::int64_t>(i)},
                       options, rules);
        }
    }
    for (std::size_t i = 0; i < analysis.intermediateBases().size(); ++i) {
        const ir::AOTOutput owner = ir::PlainAOTOutput{static_cast<std::int64_t>(analysis.baseOwners()[i])};
        addTangent(result, analysis.intermediateBases()[i], ir::IntermediateBaseAOTOutput{owner}, options,
                   rules);
    }
    meta.subclassInpMeta = plainMetas(inputs.size());
    const bool countsBases =
        rules.metadataIsThatOfBothPaths || std::ranges::any_of(inputs, &TracedInput::requiresGrad);
    meta.subclassFwGraphOutMeta = plainMetas(returnedMutations(meta, inputs, rules) + outputs.size() +
                                             (countsBases ? meta.numIntermediateBases : 0));
    return result;
}

} // namespace aotscope::torch
