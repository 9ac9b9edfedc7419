#pragma once

#include "torch_headers.h"

#include "aot/versions/trace_rules.h"
#include "ir/aot_metadata.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::torch {

using StorageKey = const c10::StorageImpl*;
[[nodiscard]] StorageKey storageOf(const at::Tensor& tensor);

/// Outputs of one storage with equal keys are the same view. The dtype is no part of it, as in torch 2.15,
/// torch/_functorch/_aot_autograd/functional_utils.py: MetadataKey.
struct MetadataKey {
    std::vector<std::string> parts;
    friend auto operator<=>(const MetadataKey&, const MetadataKey&) = default; // NOLINT
};

[[nodiscard]] MetadataKey metadataKey(const at::Tensor& tensor);
[[nodiscard]] bool sameMetadata(const at::Tensor& left, const at::Tensor& right);

/// Decides the OutputType of every output (Note [AOT Autograd: outputs aliasing inputs or intermediates!]).
class OutputAnalysis {
public:
    OutputAnalysis(const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& outputs,
                   const aot::TraceRules& rules)
        : m_outputs(outputs), m_rules(rules) {
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
    const aot::TraceRules& m_rules;
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

} // namespace aotscope::torch
