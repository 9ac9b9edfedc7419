#include "trace/capture.h"

#include "dispatch/operators.h"
#include "trace/dead_code.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"
#include "trace/pre_dispatch.h"

#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

#include <optional>
#include <utility>

namespace aotscope::torch {

MutationCounters countersOf(const at::Tensor& functional) {
    at::FunctionalTensorWrapper& wrapper = asFunctional(functional)->wrapper();
    return {static_cast<std::int64_t>(wrapper.mutation_counter()),
            static_cast<std::int64_t>(wrapper.storage_changed_counter()),
            static_cast<std::int64_t>(wrapper.inductor_storage_resized_counter())};
}

Capture::Capture(const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
                 const CaptureContext& context)
    : m_inputs(inputs),
      m_context(context),
      m_metadata(metadata),
      m_tracer(&m_recorder, context.environment, context.decompositions),
      m_scope(m_tracer) {
    m_recorder.beforeNode = [this](const ir::Node& node) {
        if (m_context.beforeNode) {
            m_context.beforeNode(m_recorder, node);
        }
    };
}

void Capture::addPlaceholders(std::string_view prefix, std::string_view suffix, std::size_t firstNumber,
                              bool makesToken) {
    std::size_t number = firstNumber;
    const auto add = [&](const ir::AOTInput& descriptor, const c10::IValue& value) {
        const std::string name = std::string(prefix) + std::to_string(number++) + std::string(suffix);
        m_recorder.placeholder(name, descriptor, value);
    };
    m_tracer.effects.isThreaded = true;
    if (m_metadata.needsToken) {
        const std::vector<c10::SymInt> empty{0};
        const std::vector<c10::SymInt> strides{1};
        m_tracer.effects.current =
            makeFake(empty, strides, 0, c10::kFloat, c10::Device(c10::kCPU), m_context.environment);
        if (makesToken) {
            ++number;
        } else {
            add(ir::ForwardTokenAOTInput{0}, m_tracer.effects.current);
        }
    }
    for (const TracedInput& input : m_inputs) {
        add(input.descriptor, input.value);
        m_before.push_back(input.value);
    }
    if (m_metadata.needsToken && makesToken) {
        m_recorder.makeToken(m_tracer.effects.current);
    }
}

at::Tensor Capture::takeToken() {
    return std::exchange(m_tracer.effects.current, {});
}

void Capture::addTangents() {
    for (std::size_t i = 0; i < m_metadata.tangents.size(); ++i) {
        // A tangent is a separate tensor with the metadata of its output.
        const at::Tensor& like = m_metadata.tangents[i];
        const at::Tensor tangent(asFake(like)->shallow_copy_and_detach(c10::VariableVersion(0), true));
        m_recorder.placeholder("tangents_" + std::to_string(i + 1), m_metadata.meta.tracedTangentsDescs[i],
                               c10::IValue(tangent));
        m_tangentsBefore.push_back(tangent);
        m_tangents.push_back(toFunctional(tangent));
    }
}

std::vector<c10::IValue> Capture::run(const TracedProgram& program, std::vector<c10::IValue> arguments) {
    const auto unhear = c10::make_scope_exit([&] { m_context.environment.onComputed = nullptr; });
    if (!m_context.lazyArithmetic) {
        m_context.environment.onComputed = [this](const c10::SymNode& number) {
            m_recorder.computed(number);
        };
    }
    std::optional<PreDispatchScope> beforeAutograd;
    if (m_context.preDispatch) {
        beforeAutograd.emplace(m_tracer);
    }
    return program(std::move(arguments));
}

void Capture::makeFunctional() {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        m_functional.push_back(outerInput(m_before[i], m_inputs[i].requiresGrad));
        if (m_functional[i].isTensor() && !m_inputs[i].requiresGrad) {
            // Computed before the program runs, as in PyTorch, so that it is not recorded as arithmetic of
            // the program.
            static_cast<void>(m_functional[i].toTensor().sym_numel());
        }
    }
}

std::vector<c10::IValue> Capture::outputs(const std::vector<c10::IValue>& values) const {
    std::vector<c10::IValue> outputs;
    outputs.reserve(values.size());
    for (const c10::IValue& value : values) {
        outputs.push_back(value.isTensor() ? c10::IValue(fromFunctional(value.toTensor())) : value);
    }
    const ir::ViewAndMutationMeta& meta = m_metadata.meta;
    for (std::size_t i = 0; meta.keepInputMutations && i < meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& info = meta.outputInfo[i];
        if (info.outputType == ir::OutputType::IsInput && info.baseIdx &&
            meta.inputInfo[*info.baseIdx].mutationType() == ir::MutationType::MutatedInGraph) {
            outputs[i] = m_before[*info.baseIdx];
        }
    }
    return outputs;
}

ir::GraphBuilder Capture::finish() {
    m_recorder.specializeFloats();
    dedupeSymbols(m_recorder.graph());
    if (!m_context.isHook) {
        eliminateDeadCode(m_recorder.graph(), m_context.keepsUnusedRandom);
    }
    if (m_context.constants != nullptr) {
        for (const auto& [tensor, name] : m_recorder.constants()) {
            m_context.constants->emplace(name, tensor);
        }
    }
    return std::move(m_recorder.graph());
}

void Capture::applyMutations(std::size_t index, const at::Tensor& after, const MutationCounters* now,
                             const MutationCounters* applied) {
    const ir::InputAliasInfo& info = m_metadata.meta.inputInfo[index];
    at::Tensor before = m_before[index].toTensor();
    const c10::AutoGradMode noGrad(false);
    if (info.mutatesStorageMetadata && (now == nullptr || now->storage > applied->storage)) {
        if (info.mutationIsShallowCopyData.value_or(false)) {
            // `before.data = after`, an operator since torch 2.15; older LibTorch traces it as `set_`.
            (void)callAten("aten.shallow_copy_data_.default", {before, after});
        } else {
            before.set_(after);
        }
    }
    if (before.is_same(after) || !info.mutatesData || (now != nullptr && now->data <= applied->data)) {
        return;
    }
    before.copy_(after);
}

} // namespace aotscope::torch
