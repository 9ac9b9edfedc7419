#include "trace/collect_metadata.h"

#include "dispatch/libtorch_release.h"
#include "dispatch/release_rules.h"
#include "fake/unrecorded_arithmetic.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"
#include "trace/graph_function.h"
#include "trace/pre_dispatch.h"
#include "trace/tracer.h"

#include <ATen/MemoryOverlap.h>
#include <c10/core/GradMode.h>

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace aotscope::torch {

namespace {

using StorageKey = const c10::StorageImpl*;

StorageKey storageOf(const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

/// Outputs of one storage with equal keys are the same view. The dtype is no part of it, as in torch 2.15,
/// torch/_functorch/_aot_autograd/functional_utils.py: MetadataKey.
struct MetadataKey {
    std::vector<std::string> parts;
    friend auto operator<=>(const MetadataKey&, const MetadataKey&) = default;
};

std::string sizeText(const c10::SymInt& size) {
    const auto known = size.maybe_as_int();
    return known ? std::to_string(*known) : size.toSymNodeImplUnowned()->str();
}

MetadataKey metadataKey(const at::Tensor& tensor) {
    MetadataKey key;
    for (const c10::SymInt& size : tensor.sym_sizes()) {
        key.parts.push_back(sizeText(size));
    }
    key.parts.emplace_back("|");
    for (const c10::SymInt& stride : tensor.sym_strides()) {
        key.parts.push_back(sizeText(stride));
    }
    key.parts.push_back(sizeText(tensor.sym_storage_offset()));
    key.parts.push_back(std::to_string(static_cast<int>(tensor.layout())));
    key.parts.push_back(tensor.is_conj() ? "conj" : "");
    key.parts.push_back(tensor.is_neg() ? "neg" : "");
    return key;
}

bool sameMetadata(const at::Tensor& left, const at::Tensor& right) {
    return metadataKey(left) == metadataKey(right);
}

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

/// Decides the OutputType of every output (Note [AOT Autograd: outputs aliasing inputs or intermediates!]).
class OutputAnalysis {
public:
    OutputAnalysis(const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& outputs)
        : m_outputs(outputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (inputs[i].isTensor()) {
                m_inputOfStorage[storageOf(inputs[i].toTensor())] = i;
                m_inputs.insert(inputs[i].toTensor().unsafeGetTensorImpl());
            }
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i].isTensor() && outputs[i].toTensor().defined()) {
                noteOutput(outputs[i].toTensor(), i);
            }
        }
    }

    [[nodiscard]] ir::OutputAliasInfo classify(const c10::IValue& output);
    [[nodiscard]] const std::vector<at::Tensor>& intermediateBases() const { return m_bases; }
    /// For each base, the output that it is returned for.
    [[nodiscard]] const std::vector<std::size_t>& baseOwners() const { return m_baseOwners; }
    std::size_t current = 0;

private:
    void noteOutput(const at::Tensor& output, std::size_t index);
    void classifyTensor(const at::Tensor& output, ir::OutputAliasInfo& info);
    void classifyView(const at::Tensor& output, ir::OutputAliasInfo& info);
    [[nodiscard]] std::size_t aliasesThatAreNoMultiOutputViews(StorageKey storage) const;
    [[nodiscard]] const at::Tensor* twinThatRequiresGrad(const at::Tensor& output) const;

    const std::vector<c10::IValue>& m_outputs;
    std::map<StorageKey, std::size_t> m_inputOfStorage;
    std::set<const c10::TensorImpl*> m_inputs;
    std::unordered_map<const c10::TensorImpl*, std::size_t> m_outputIndex;
    std::map<StorageKey, std::size_t> m_aliases;
    std::map<StorageKey, std::size_t> m_multiOutputViews;
    std::map<std::pair<StorageKey, MetadataKey>, std::vector<at::Tensor>> m_twins;
    std::unordered_map<const c10::TensorImpl*, std::size_t> m_baseIndex;
    std::vector<at::Tensor> m_bases;
    std::vector<std::size_t> m_baseOwners;
};

void OutputAnalysis::noteOutput(const at::Tensor& output, std::size_t index) {
    const StorageKey storage = storageOf(output);
    m_outputIndex[output.unsafeGetTensorImpl()] = index;
    ++m_aliases[storage];
    if (const FunctionalTensorImpl* outer = asFunctional(output);
        outer != nullptr && outer->wrapper().is_multi_output_view()) {
        ++m_multiOutputViews[storage];
    }
    if (output.requires_grad()) {
        std::vector<at::Tensor>& twins = m_twins[{storage, metadataKey(output)}];
        const bool known = std::any_of(twins.begin(), twins.end(),
                                       [&](const at::Tensor& twin) { return twin.is_same(output); });
        if (!known) {
            twins.push_back(output);
        }
    }
}

std::size_t OutputAnalysis::aliasesThatAreNoMultiOutputViews(StorageKey storage) const {
    const auto aliases = m_aliases.find(storage);
    const auto views = m_multiOutputViews.find(storage);
    return (aliases == m_aliases.end() ? 0 : aliases->second) -
           (views == m_multiOutputViews.end() ? 0 : views->second);
}

const at::Tensor* OutputAnalysis::twinThatRequiresGrad(const at::Tensor& output) const {
    const auto twins = m_twins.find({storageOf(output), metadataKey(output)});
    if (twins == m_twins.end()) {
        return nullptr;
    }
    for (const at::Tensor& twin : twins->second) {
        if (!twin.is_same(output)) {
            return &twin;
        }
    }
    return nullptr;
}

void OutputAnalysis::classifyView(const at::Tensor& output, ir::OutputAliasInfo& info) {
    const StorageKey storage = storageOf(output);
    if (m_aliases[storage] == 1 || aliasesThatAreNoMultiOutputViews(storage) <= 1) {
        info.outputType = ir::OutputType::UnsafeViewAlias;
        return;
    }
    const at::Tensor base(output._base());
    const c10::TensorImpl* key = base.unsafeGetTensorImpl();
    if (const auto existing = m_outputIndex.find(key); existing != m_outputIndex.end()) {
        info.outputType = ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
        info.baseIndex = existing->second;
    } else if (const auto returned = m_baseIndex.find(key); returned != m_baseIndex.end()) {
        info.outputType = ir::OutputType::AliasOfIntermediate;
        info.baseIndex = returned->second;
    } else {
        info.outputType = ir::OutputType::AliasOfIntermediateSaveAsOutput;
        info.baseIndex = m_bases.size();
        m_baseIndex[key] = m_bases.size();
        m_bases.push_back(base);
        m_baseOwners.push_back(current);
    }
}

void OutputAnalysis::classifyTensor(const at::Tensor& output, ir::OutputAliasInfo& info) {
    const StorageKey storage = storageOf(output);
    const FunctionalTensorImpl* outer = asFunctional(output);
    const bool storageChanged = outer != nullptr && outer->wrapper().was_storage_changed();
    const auto input = m_inputOfStorage.find(storage);
    const bool isInput = m_inputs.contains(output.unsafeGetTensorImpl());
    if (input != m_inputOfStorage.end() && isGraphFunctionOutput(output)) {
        info.outputType = ir::OutputType::CustomFunctionView;
    } else if (input != m_inputOfStorage.end() && !storageChanged) {
        info.baseIndex = input->second;
        if (output.grad_fn() && aliasesThatAreNoMultiOutputViews(storage) == 0) {
            info.outputType = ir::OutputType::NonAlias;
        } else {
            info.outputType = isInput ? ir::OutputType::IsInput : ir::OutputType::AliasOfInput;
        }
    } else if (storageChanged && isInput) {
        info.baseIndex = input == m_inputOfStorage.end() ? 0 : input->second;
        info.outputType = ir::OutputType::IsInput;
    } else if (output.is_view() && output.requires_grad() && output._base().requires_grad()) {
        classifyView(output, info);
    } else if (const at::Tensor* twin = twinThatRequiresGrad(output);
               m_aliases[storage] > 1 && twin != nullptr && !output.requires_grad()) {
        info.outputType = ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
        info.baseIndex = m_outputIndex[twin->unsafeGetTensorImpl()];
    } else if (traceRules().undifferentiatedViewsAreAliases && output.is_view() &&
               sameMetadata(output, at::Tensor(output._base()))) {
        if (const auto returned = m_outputIndex.find(output._base().unsafeGetTensorImpl());
            returned != m_outputIndex.end()) {
            info.outputType = ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
            info.baseIndex = returned->second;
        }
    }
}

std::string rawType(const c10::IValue& value) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? "FunctionalTensor" : "NoneType";
    }
    if (value.isNone()) {
        return "NoneType";
    }
    if (value.isBool()) {
        return "bool";
    }
    if (value.isInt()) {
        return "int";
    }
    if (value.isDouble()) {
        return "float";
    }
    return value.isSymInt()     ? "SymInt"
           : value.isSymFloat() ? "SymFloat"
           : value.isSymBool()  ? "SymBool"
                                : "object";
}

ir::OutputAliasInfo OutputAnalysis::classify(const c10::IValue& output) {
    ir::OutputAliasInfo info;
    info.rawType = rawType(output);
    if (!output.isTensor() || !output.toTensor().defined()) {
        return info;
    }
    const at::Tensor& tensor = output.toTensor();
    classifyTensor(tensor, info);
    info.dynamicDims.emplace();
    const auto sizes = tensor.sym_sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!sizes[i].maybe_as_int()) {
            info.dynamicDims->push_back(i);
        }
    }
    info.requiresGrad = tensor.requires_grad();
    return info;
}

/// A tangent is assumed to have the strides of its output where a release guesses so, else to be dense in the
/// memory format of its output. Follows torch 2.15, torch/_functorch/_aot_autograd/schemas.py:
/// MemoryFormatMeta.from_tensor.
ir::TangentLayout tangentLayout(const at::Tensor& value) {
    const bool asOutput = traceRules().tangentsTakeOutputStrides &&
                          !value.unsafeGetTensorImpl()->has_symbolic_sizes_strides() &&
                          at::has_internal_overlap(value) != at::MemOverlap::Yes;
    if (asOutput) {
        const ir::TensorMeta meta = *ir::asTensor(valueMeta(value));
        return {meta.shape, meta.stride, {}};
    }
    const c10::MemoryFormat format = value.suggest_memory_format();
    return {{},
            {},
            format == c10::MemoryFormat::ChannelsLast     ? "channels_last"
            : format == c10::MemoryFormat::ChannelsLast3d ? "channels_last_3d"
                                                          : "contiguous_format"};
}

void addTangent(CollectedMetadata& result, const at::Tensor& functional, ir::AOTOutput output) {
    const at::Tensor value = fromFunctional(functional);
    ir::TangentLayout layout = tangentLayout(value);
    const at::Tensor tangent = layout.size ? value : value.contiguous(value.suggest_memory_format());
    result.meta.tangentMetas->push_back(
        {.unwrappedIndex = result.tangents.size(), .layout = std::move(layout)});
    result.tangents.push_back(tangent);
    result.meta.tracedTangents.push_back(*ir::asTensor(valueMeta(tangent)));
    result.meta.tracedTangentsDescs.emplace_back(ir::TangentAOTInput{std::move(output)});
}

/// A view made under no_grad requires a gradient like its base, but has no history.
bool isDifferentiable(const at::Tensor& output) {
    return !traceRules().onlyDifferentiableOutputsGetTangents || !output.is_view() || output.grad_fn();
}

} // namespace

bool getsTangent(const ir::OutputAliasInfo& info, const c10::IValue& output) {
    return (info.outputType == ir::OutputType::NonAlias ||
            info.outputType == ir::OutputType::UnsafeViewAlias ||
            info.outputType == ir::OutputType::CustomFunctionView) &&
           info.rawType == "FunctionalTensor" && info.requiresGrad && isDifferentiable(output.toTensor());
}

CollectedMetadata collectMetadata(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                  bool keepInputMutations, ShapeEnvironment& environment, bool preDispatch) {
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
        at::Tensor outer = toFunctional(input.value.toTensor());
        if (input.requiresGrad) {
            requireGradAsInput(outer);
        }
        functional.emplace_back(std::move(outer));
    }
    const std::vector<c10::IValue> outputs = [&] {
        std::optional<PreDispatchScope> beforeAutograd;
        if (preDispatch) {
            beforeAutograd.emplace(tracer);
        }
        return program(functional);
    }();
    const bool gradAfter = c10::GradMode::is_enabled();
    c10::GradMode::set_enabled(gradBefore);

    CollectedMetadata result;
    result.needsToken = tracer.effects.isNeeded;
    ir::ViewAndMutationMeta& meta = result.meta;
    meta.keepInputMutations = keepInputMutations;
    meta.tangentMetas.emplace();
    if (traceRules().metadataIsThatOfBothPaths) {
        meta.collectiveInputs.emplace();
    }
    if (gradAfter != gradBefore) {
        meta.gradEnabledMutation = gradAfter;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (functional[i].isTensor()) {
            meta.inputInfo.push_back(inputInfo(inputs[i].value.toTensor(), functional[i].toTensor(),
                                               inputs[i], keepInputMutations));
        } else {
            ir::InputAliasInfo info;
            info.mutationsHiddenFromAutograd = false;
            info.keepInputMutations = keepInputMutations;
            meta.inputInfo.push_back(info);
        }
        if (traceRules().metadataIsThatOfBothPaths) {
            const FunctionalTensorImpl* outer =
                functional[i].isTensor() ? asFunctional(functional[i].toTensor()) : nullptr;
            meta.inputInfo.back().mutationIsShallowCopyData =
                outer != nullptr && wasShallowCopyData(outer->wrapper());
        }
    }
    OutputAnalysis analysis(functional, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        analysis.current = i;
        meta.outputInfo.push_back(analysis.classify(outputs[i]));
        ir::OutputAliasInfo& info = meta.outputInfo.back();
        if (traceRules().onlyDifferentiableOutputsGetTangents) {
            info.requiresGradForBackward = info.requiresGrad && isDifferentiable(outputs[i].toTensor());
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
            addTangent(result, functional[i].toTensor(), ir::InputMutationAOTOutput{inputs[i].descriptor});
        }
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ir::OutputAliasInfo& info = meta.outputInfo[i];
        const bool inputItself =
            (info.outputType == ir::OutputType::AliasOfInput || info.outputType == ir::OutputType::IsInput) &&
            info.baseIndex && meta.inputInfo[*info.baseIndex].requiresGrad;
        result.needsGrad = result.needsGrad || (info.requiresGrad && !inputItself);
        if (getsTangent(info, outputs[i])) {
            addTangent(result, outputs[i].toTensor(), ir::PlainAOTOutput{static_cast<std::int64_t>(i)});
        }
    }
    for (std::size_t i = 0; i < analysis.intermediateBases().size(); ++i) {
        const ir::AOTOutput owner = ir::PlainAOTOutput{static_cast<std::int64_t>(analysis.baseOwners()[i])};
        addTangent(result, analysis.intermediateBases()[i], ir::IntermediateBaseAOTOutput{owner});
    }
    return result;
}

} // namespace aotscope::torch
