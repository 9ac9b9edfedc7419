#include "trace/graph_capture.h"

#include "trace/dead_code.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"
#include "trace/tracer.h"

#include <ATen/ops/clone.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// How often and in which ways an input was mutated so far.
struct MutationCounters {
    std::int64_t data = 0;
    std::int64_t storage = 0;
    std::int64_t resized = 0;
    friend bool operator==(const MutationCounters&, const MutationCounters&) = default;
};

MutationCounters countersOf(const at::Tensor& functional) {
    at::FunctionalTensorWrapper& wrapper = asFunctional(functional)->wrapper();
    return {static_cast<std::int64_t>(wrapper.mutation_counter()),
            static_cast<std::int64_t>(wrapper.storage_changed_counter()),
            static_cast<std::int64_t>(wrapper.inductor_storage_resized_counter())};
}

/// One capture: placeholders, functional arguments and the epilogue that writes mutated inputs back.
class Capture {
public:
    Capture(const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
            const CaptureContext& context)
        : m_inputs(inputs),
          m_metadata(metadata),
          m_environment(context.environment),
          m_tracer(&m_recorder, context.environment, context.decompositions),
          m_scope(m_tracer) {
        m_recorder.beforeNode = [this, &told = context.beforeNode](const ir::Node& node) {
            if (told) {
                told(m_recorder, node);
            }
        };
    }

    void addPlaceholders(std::string_view prefix, std::string_view suffix, std::size_t firstNumber);
    void addTangents();
    void makeFunctional();
    /// What the graph returns for outer tensors; an input whose mutation stays in the graph is itself.
    [[nodiscard]] std::vector<c10::IValue> outputs(const std::vector<c10::IValue>& values) const;
    /// The graph without what nothing uses.
    [[nodiscard]] ir::Graph finish();
    /// Runs the program; its own arithmetic on symbols is recorded as it happens.
    [[nodiscard]] std::vector<c10::IValue> run(const TracedProgram& program,
                                               std::vector<c10::IValue> arguments);
    void applyMutations(std::size_t index, const at::Tensor& after, const MutationCounters* now,
                        const MutationCounters* applied);

    const std::vector<TracedInput>& m_inputs;
    CollectedMetadata& m_metadata;
    ShapeEnvironment& m_environment;
    GraphRecorder m_recorder;
    Tracer m_tracer;
    TraceScope m_scope;
    /// Inputs as fake tensors (before), and as outer tensors.
    std::vector<c10::IValue> m_before;
    std::vector<c10::IValue> m_functional;
    std::vector<at::Tensor> m_tangents;
};

void Capture::addPlaceholders(std::string_view prefix, std::string_view suffix, std::size_t firstNumber) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const std::string name = std::string(prefix) + std::to_string(i + firstNumber) + std::string(suffix);
        m_recorder.placeholder(name, m_inputs[i].descriptor, m_inputs[i].value);
        m_before.push_back(m_inputs[i].value);
    }
}

void Capture::addTangents() {
    for (std::size_t i = 0; i < m_metadata.tangents.size(); ++i) {
        // A tangent is a tensor of its own, not the output it looks like.
        const at::Tensor& like = m_metadata.tangents[i];
        const at::Tensor tangent(asFake(like)->shallow_copy_and_detach(c10::VariableVersion(0), true));
        m_recorder.placeholder("tangents_" + std::to_string(i + 1), m_metadata.meta.tracedTangentsDescs[i],
                               c10::IValue(tangent));
        m_tangents.push_back(toFunctional(tangent));
    }
}

std::vector<c10::IValue> Capture::run(const TracedProgram& program, std::vector<c10::IValue> arguments) {
    m_environment.onComputed = [this](const c10::SymNode& number) { m_recorder.computed(number); };
    try {
        std::vector<c10::IValue> outputs = program(std::move(arguments));
        m_environment.onComputed = nullptr;
        return outputs;
    } catch (...) {
        m_environment.onComputed = nullptr;
        throw;
    }
}

void Capture::makeFunctional() {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        if (!m_before[i].isTensor()) {
            m_functional.push_back(m_before[i]);
            continue;
        }
        at::Tensor outer = toFunctional(m_before[i].toTensor());
        // Made before the program runs, as PyTorch does: its arithmetic is none of the program's.
        static_cast<void>(outer.sym_numel());
        if (m_inputs[i].requiresGrad) {
            requireGradAsInput(outer);
        }
        m_functional.emplace_back(std::move(outer));
    }
}

std::vector<c10::IValue> Capture::outputs(const std::vector<c10::IValue>& values) const {
    std::vector<c10::IValue> outputs;
    for (const c10::IValue& value : values) {
        outputs.push_back(value.isTensor() ? c10::IValue(fromFunctional(value.toTensor())) : value);
    }
    const ir::ViewAndMutationMeta& meta = m_metadata.meta;
    for (std::size_t i = 0; meta.keepInputMutations && i < meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& info = meta.outputInfo[i];
        if (info.outputType == ir::OutputType::IsInput && info.baseIndex &&
            meta.inputInfo[*info.baseIndex].mutationType() == ir::MutationType::MutatedInGraph) {
            outputs[i] = m_before[*info.baseIndex];
        }
    }
    return outputs;
}

ir::Graph Capture::finish() {
    dedupeSymbols(m_recorder.graph());
    eliminateDeadCode(m_recorder.graph());
    return std::move(m_recorder.graph());
}

/// Writes an input's final value back inside the graph (`apply_in_graph_mutations`).
void Capture::applyMutations(std::size_t index, const at::Tensor& after, const MutationCounters* now,
                             const MutationCounters* applied) {
    const ir::InputAliasInfo& info = m_metadata.meta.inputInfo[index];
    at::Tensor before = m_before[index].toTensor();
    const c10::AutoGradMode noGrad(false);
    if (info.mutatesStorageMetadata && (now == nullptr || now->storage > applied->storage)) {
        before.set_(after);
    }
    if (before.is_same(after) || !info.mutatesData || (now != nullptr && now->data <= applied->data)) {
        return;
    }
    before.copy_(after);
}

std::vector<std::string> plainOutputDescriptors(const CollectedMetadata& metadata,
                                                const std::vector<TracedInput>& inputs) {
    std::vector<std::string> descriptors;
    for (const std::size_t index : metadata.meta.mutatedInputRuntimeIndices()) {
        descriptors.push_back("InputMutationAOTOutput(mutated_input=" + inputs[index].descriptor + ")");
    }
    for (std::size_t i = 0; i < metadata.meta.outputInfo.size(); ++i) {
        descriptors.push_back("PlainAOTOutput(idx=" + std::to_string(i) + ")");
    }
    return descriptors;
}

/// An input that autograd or a caller must see as it was before a mutation (`maybe_to_fresh_input`).
c10::IValue freshInput(const c10::IValue& value, const ir::InputAliasInfo& info) {
    if (!value.isTensor() || info.mutationType() != ir::MutationType::MutatedOutGraph) {
        return value;
    }
    const at::Tensor& tensor = value.toTensor();
    if (info.requiresGrad && info.mutatesData) {
        return tensor.clone();
    }
    return info.mutatesMetadata ? c10::IValue(tensor.view_symint(tensor.sym_sizes())) : value;
}

/// The forward as autograd needs it: outputs in the compiled forward's order, and which of them get tangents.
struct PreparedOutputs {
    std::vector<c10::IValue> values;
    std::vector<std::string> descriptors;
    std::vector<bool> getTangent;
};

PreparedOutputs runForward(const TracedProgram& program, Capture& capture, ProgramPosition& position) {
    const ir::ViewAndMutationMeta& meta = capture.m_metadata.meta;
    std::vector<c10::IValue> arguments;
    for (std::size_t i = 0; i < capture.m_functional.size(); ++i) {
        arguments.push_back(freshInput(capture.m_functional[i], meta.inputInfo[i]));
    }
    const std::vector<c10::IValue> outputs = capture.run(program, arguments);
    position.leave();
    PreparedOutputs prepared;
    prepared.descriptors = plainOutputDescriptors(capture.m_metadata, capture.m_inputs);
    for (const std::size_t index : meta.mutatedInputRuntimeIndices()) {
        prepared.values.push_back(arguments[index]);
        prepared.getTangent.push_back(meta.inputInfo[index].mutatesData &&
                                      meta.inputInfo[index].requiresGrad);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ir::OutputAliasInfo& info = meta.outputInfo[i];
        prepared.values.push_back(outputs[i]);
        prepared.getTangent.push_back((info.outputType == ir::OutputType::NonAlias ||
                                       info.outputType == ir::OutputType::UnsafeViewAlias ||
                                       info.outputType == ir::OutputType::CustomFunctionView) &&
                                      info.rawType == "FunctionalTensor" && info.requiresGrad);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (meta.outputInfo[i].outputType == ir::OutputType::AliasOfIntermediateSaveAsOutput) {
            prepared.values.emplace_back(at::Tensor(outputs[i].toTensor()._base()));
            prepared.getTangent.push_back(true);
            prepared.descriptors.push_back(
                "IntermediateBaseAOTOutput(base_of=PlainAOTOutput(idx=" + std::to_string(i) + "))");
        }
    }
    for (const c10::IValue& argument : arguments) {
        if (argument.isTensor()) {
            syncFunctional(argument.toTensor());
        }
    }
    return prepared;
}

bool sameShape(c10::SymIntArrayRef left, c10::SymIntArrayRef right) {
    return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                     [](const c10::SymInt& a, const c10::SymInt& b) {
                                                         return a.sym_eq(b).guard_or_true(__FILE__, __LINE__);
                                                     });
}

std::vector<at::Tensor> runBackward(const PreparedOutputs& prepared, const std::vector<at::Tensor>& primals,
                                    const Capture& capture, GraphRecorder& recorder,
                                    const ProgramPosition& position) {
    std::vector<at::Tensor> neededOutputs;
    std::vector<at::Tensor> neededTangents;
    std::size_t next = 0;
    for (std::size_t i = 0; i < prepared.values.size(); ++i) {
        if (!prepared.getTangent[i]) {
            continue;
        }
        const at::Tensor& tangent = capture.m_tangents.at(next++);
        const at::Tensor& output = prepared.values[i].toTensor();
        if (!output.requires_grad()) {
            continue;
        }
        neededOutputs.push_back(sameShape(output.sym_sizes(), tangent.sym_sizes())
                                    ? output
                                    : output.view_symint(tangent.sym_sizes()));
        neededTangents.push_back(tangent);
    }
    recorder.state().partitionerTag = ir::PartitionerTag::Backward;
    std::vector<at::Tensor> gradients;
    if (!primals.empty() && !neededOutputs.empty()) {
        gradients = differentiate(neededOutputs, primals, neededTangents, &recorder,
                                  [&](std::uint64_t number) { return position.originOf(number); });
    } else {
        gradients.resize(primals.size());
    }
    recorder.state() = RecordingState{};
    return gradients;
}

} // namespace

ir::Graph captureJointGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                            CollectedMetadata& metadata, const CaptureContext& context) {
    const ir::ViewAndMutationMeta& meta = metadata.meta;
    ProgramPosition& position = context.position;
    Capture capture(inputs, metadata, context);
    GraphRecorder& recorder = capture.m_recorder;
    capture.addPlaceholders("primals_", "", 1);
    capture.makeFunctional();
    capture.addTangents();
    position.attach(&recorder);
    const PreparedOutputs prepared = runForward(program, capture, position);
    recorder.tagForward();

    // What the forward left in inputs that are mutated in the graph, before the backward can touch them.
    std::vector<at::Tensor> afterForward(inputs.size());
    std::vector<MutationCounters> countersAfterForward(inputs.size());
    const bool anyInGraph = !meta.mutatedGraphHandledIndices().empty();
    if (anyInGraph) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (capture.m_functional[i].isTensor()) {
                afterForward[i] = fromFunctional(capture.m_functional[i].toTensor());
            }
        }
        for (const std::size_t i : meta.mutatedGraphHandledIndices()) {
            countersAfterForward[i] = countersOf(capture.m_functional[i].toTensor());
        }
    }

    std::vector<at::Tensor> primals;
    for (const c10::IValue& value : capture.m_functional) {
        if (value.isTensor() && value.toTensor().requires_grad()) {
            primals.push_back(value.toTensor());
        }
    }
    const std::vector<at::Tensor> gradients = runBackward(prepared, primals, capture, recorder, position);
    position.attach(nullptr);

    if (meta.keepInputMutations) {
        const MutationCounters none;
        for (const std::size_t i : meta.mutatedGraphHandledIndices()) {
            recorder.state().partitionerTag = ir::PartitionerTag::Forward;
            recorder.state().placement = "must_be_in_forward";
            capture.m_tracer.keepTensorValues = true;
            capture.applyMutations(i, afterForward[i], &countersAfterForward[i], &none);
            capture.m_tracer.keepTensorValues = false;
        }
        for (const std::size_t i : meta.mutatedGraphHandledIndices()) {
            const at::Tensor& functional = capture.m_functional[i].toTensor();
            const at::Tensor after = fromFunctional(functional);
            const MutationCounters now = countersOf(functional);
            if (now != countersAfterForward[i]) {
                recorder.state().partitionerTag = ir::PartitionerTag::Backward;
                recorder.state().placement = "must_be_in_backward";
                capture.applyMutations(i, after, &now, &countersAfterForward[i]);
            }
        }
    }

    std::vector<c10::IValue> outputs = capture.outputs(prepared.values);
    std::vector<std::string> descriptors = prepared.descriptors;
    std::size_t next = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const c10::IValue& value = capture.m_functional[i];
        const bool hasGradient = value.isTensor() && value.toTensor().requires_grad();
        const at::Tensor gradient = hasGradient ? gradients[next++] : at::Tensor();
        outputs.emplace_back(gradient.defined() ? fromFunctional(gradient) : gradient);
        descriptors.push_back(hasGradient ? "GradAOTOutput(grad_of=" + inputs[i].descriptor + ")" : "None");
    }
    recorder.output(outputs, std::move(descriptors));
    return capture.finish();
}

ir::Graph captureInferenceGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                CollectedMetadata& metadata, const CaptureContext& context) {
    const ir::ViewAndMutationMeta& meta = metadata.meta;
    ProgramPosition& position = context.position;
    Capture capture(inputs, metadata, context);
    GraphRecorder& recorder = capture.m_recorder;
    capture.addPlaceholders("arg", "_1", 0);
    capture.makeFunctional();
    position.attach(&recorder);
    const std::vector<c10::IValue> results = capture.run(program, capture.m_functional);
    position.leave();
    position.attach(nullptr);
    std::vector<c10::IValue> values;
    for (const std::size_t index : meta.mutatedInputRuntimeIndices()) {
        values.push_back(capture.m_functional[index]);
    }
    values.insert(values.end(), results.begin(), results.end());
    if (meta.keepInputMutations) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!capture.m_functional[i].isTensor()) {
                continue;
            }
            const at::Tensor after = fromFunctional(capture.m_functional[i].toTensor());
            if (meta.inputInfo[i].mutationType() == ir::MutationType::MutatedInGraph) {
                recorder.state().partitionerTag = ir::PartitionerTag::Backward;
                recorder.state().placement = "must_be_in_backward";
                capture.applyMutations(i, after, nullptr, nullptr);
            }
        }
    }
    const std::vector<c10::IValue> outputs = capture.outputs(values);
    recorder.output(outputs, plainOutputDescriptors(metadata, inputs));
    return capture.finish();
}

} // namespace aotscope::torch
