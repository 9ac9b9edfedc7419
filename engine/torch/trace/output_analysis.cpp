#include "trace/output_analysis.h"

#include "trace/functional_tensor.h"
#include "trace/graph_function.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

std::string sizeText(const c10::SymInt& size) {
    const auto known = size.maybe_as_int();
    return known ? std::to_string(*known) : size.toSymNodeImplUnowned()->str();
}

std::string rawType(const c10::IValue& value) {
    return value.isNone() || (value.isTensor() && !value.toTensor().defined()) ? "NoneType"
           : value.isTensor()                                                  ? "FunctionalTensor"
           : value.isBool()                                                    ? "bool"
           : value.isInt()                                                     ? "int"
           : value.isDouble()                                                  ? "float"
           : value.isSymInt()                                                  ? "SymInt"
           : value.isSymFloat()                                                ? "SymFloat"
           : value.isSymBool()                                                 ? "SymBool"
                                                                               : "object";
}

} // namespace

StorageKey storageOf(const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
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
        info.baseIdx = existing->second;
    } else if (const auto returned = m_baseIndex.find(key); returned != m_baseIndex.end()) {
        info.outputType = ir::OutputType::AliasOfIntermediate;
        info.baseIdx = returned->second;
    } else {
        info.outputType = ir::OutputType::AliasOfIntermediateSaveAsOutput;
        info.baseIdx = m_bases.size();
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
        info.baseIdx = input->second;
        if (output.grad_fn() && aliasesThatAreNoMultiOutputViews(storage) == 0) {
            info.outputType = ir::OutputType::NonAlias;
        } else {
            info.outputType = isInput ? ir::OutputType::IsInput : ir::OutputType::AliasOfInput;
        }
    } else if (storageChanged && isInput) {
        info.baseIdx = input == m_inputOfStorage.end() ? 0 : input->second;
        info.outputType = ir::OutputType::IsInput;
    } else if (output.is_view() && output.requires_grad() && output._base().requires_grad()) {
        classifyView(output, info);
    } else if (const at::Tensor* twin = twinThatRequiresGrad(output);
               m_aliases[storage] > 1 && twin != nullptr && !output.requires_grad()) {
        info.outputType = ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
        info.baseIdx = m_outputIndex[twin->unsafeGetTensorImpl()];
    } else if (m_rules.undifferentiatedViewsAreAliases && output.is_view() &&
               sameMetadata(output, at::Tensor(output._base()))) {
        if (const auto returned = m_outputIndex.find(output._base().unsafeGetTensorImpl());
            returned != m_outputIndex.end()) {
            info.outputType = ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
            info.baseIdx = returned->second;
        }
    }
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

} // namespace aotscope::torch
