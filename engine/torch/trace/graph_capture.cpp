#include "trace/graph_capture.h"

#include "base/mapped.h"
#include "trace/capture.h"
#include "trace/collect_metadata.h"
#include "trace/dead_code.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"

#include "dispatch/failure.h"

#include <ATen/ops/clone.h>
#include <ATen/ops/ones_like.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

std::vector<ir::Descriptor> plainOutputDescriptors(const CollectedMetadata& metadata,
                                                   const std::vector<TracedInput>& inputs) {
    std::vector<ir::Descriptor> descriptors;
    for (const std::size_t index : metadata.meta.mutatedInputRuntimeIndices()) {
        descriptors.push_back({ir::AOTOutput(ir::InputMutationAOTOutput{inputs[index].descriptor})});
    }
    const std::size_t outputs = metadata.meta.outputInfo.size() - metadata.metadataMutations;
    for (std::size_t i = 0; i < outputs; ++i) {
        descriptors.push_back({ir::AOTOutput(ir::PlainAOTOutput{static_cast<std::int64_t>(i)})});
    }
    for (std::size_t i = 0; i < metadata.metadataMutations; ++i) {
        descriptors.push_back({ir::AOTOutput(ir::MetadataMutationAOTOutput{static_cast<std::int64_t>(i)})});
    }
    return descriptors;
}

/// A copy or view of an input that is mutated outside the graph, so that the input itself keeps its value
/// (_functorch/_aot_autograd/utils.py: maybe_to_fresh_input).
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

/// The outputs of the forward in the compiled order, and which of them get tangents
/// (fn_prepped_for_autograd).
struct PreparedOutputs {
    std::vector<c10::IValue> values;
    std::vector<ir::Descriptor> descriptors;
    std::vector<bool> getTangent;
};

PreparedOutputs runForward(const TracedProgram& program, Capture& capture, ProgramPosition& position) {
    const ir::ViewAndMutationMeta& meta = capture.m_metadata.meta;
    const aot::TraceRules& rules = capture.m_context.environment.rules();
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
        prepared.values.push_back(outputs[i]);
        prepared.getTangent.push_back(getsTangent(meta.outputInfo[i], outputs[i], rules));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (meta.outputInfo[i].outputType == ir::OutputType::AliasOfIntermediateSaveAsOutput) {
            prepared.values.emplace_back(at::Tensor(outputs[i].toTensor()._base()));
            prepared.getTangent.push_back(true);
            const ir::AOTOutput view = ir::PlainAOTOutput{static_cast<std::int64_t>(i)};
            prepared.descriptors.push_back({ir::AOTOutput(ir::IntermediateBaseAOTOutput{view})});
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

/// Replaces the tangent of a loss by ones. Throws RunFailure (trace.export) unless exactly one output needs a
/// gradient and it is a single number.
void beginWithOnes(const std::vector<at::Tensor>& outputs, std::vector<at::Tensor>& tangents) {
    const bool single =
        tangents.size() == 1 && tangents[0].sym_numel().sym_eq(1).guard_bool(__FILE__, __LINE__);
    if (!single) {
        fail("trace.export",
             "An exported backward starts from one output that is a single number, but " +
                 std::to_string(tangents.size()) + " outputs need gradients" +
                 (tangents.size() == 1 ? ", which is not a single number." : "."),
             "The program turns grad mode on by itself: leave that to its caller.");
    }
    tangents[0] =
        at::ones_like(outputs[0], at::TensorOptions().pinned_memory(false), c10::MemoryFormat::Preserve);
}

std::vector<at::Tensor> runBackward(const PreparedOutputs& prepared, const std::vector<at::Tensor>& primals,
                                    Capture& capture, const ProgramPosition& position) {
    GraphRecorder& recorder = capture.m_recorder;
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
    if (capture.m_context.fromOnes && !primals.empty()) {
        beginWithOnes(neededOutputs, neededTangents);
    }
    std::vector<at::Tensor> gradients;
    if (!primals.empty() && !neededOutputs.empty()) {
        gradients = differentiate({neededOutputs, primals, neededTangents}, capture.m_tracer,
                                  capture.m_context.backwardPassAutocast,
                                  [&](std::uint64_t number) { return position.originOf(number); });
    } else {
        gradients.resize(primals.size());
    }
    recorder.state() = RecordingState{};
    return gradients;
}

/// Gives each `copy_` into an input the source of the copied value (functional_utils.py:
/// propagate_input_mutation_stacktraces).
void takeSourcesOfMutations(ir::GraphBuilder& graph) {
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (node.target != "aten.copy_.default" || node.args.size() < 2) {
            continue;
        }
        const auto* value = node.args[1].as<ir::NodeId>();
        if (value != nullptr && graph.node(*value).origin && graph.node(*value).origin->source) {
            auto origin = std::make_shared<ir::NodeOrigin>(node.origin ? *node.origin : ir::NodeOrigin{});
            origin->source = graph.node(*value).origin->source;
            graph.editMeta(id).origin = std::move(origin);
        }
    }
}

/// Writes back inputs that the backward alone changed, and refuses what PyTorch refuses there. Follows torch
/// 2.15, torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_functionalized_fn (its checks of a
/// joint trace).
class BackwardMutations {
public:
    BackwardMutations(Capture& capture, ir::ViewAndMutationMeta& meta) : m_capture(capture), m_meta(meta) {}

    void writeInputs() {
        for (std::size_t i = 0; i < m_capture.m_functional.size(); ++i) {
            if (m_capture.m_functional[i].isTensor()) {
                writeInput(i);
            }
        }
        m_capture.m_recorder.state() = RecordingState{};
    }
    void writeTangents(const std::vector<at::Tensor>& before) {
        for (std::size_t i = 0; i < m_capture.m_tangents.size(); ++i) {
            writeTangent(m_capture.m_tangents[i], before[i]);
        }
    }

private:
    static at::FunctionalTensorWrapper& wrapperOf(const at::Tensor& functional) {
        return asFunctional(functional)->wrapper();
    }
    [[noreturn]] static void refuse(const std::string& what) {
        fail("trace.backward_mutation", "The backward " + what + ", which AOTAutograd does not support.",
             "PyTorch does not compile this either: change a copy of the tensor.");
    }
    static void write(const at::Tensor& before, const at::Tensor& after) {
        const c10::AutoGradMode noGrad(false);
        before.copy_(after);
    }

    void writeInput(std::size_t index) {
        const at::Tensor& functional = m_capture.m_functional[index].toTensor();
        const at::Tensor& before = m_capture.m_before[index].toTensor();
        const ir::InputAliasInfo& info = m_meta.inputInfo[index];
        const at::Tensor after = fromFunctional(functional);
        at::FunctionalTensorWrapper& wrapper = wrapperOf(functional);
        if (!info.mutatesMetadata && hasMetadataMutation(functional, before)) {
            refuse("changes the sizes, strides or storage of an input of the function");
        }
        if (!info.mutationInductorStorageResize && wrapper.was_inductor_storage_resized()) {
            refuse("resizes the storage of an input of the function");
        }
        if (!wrapper.has_data_mutation() || info.mutatesData || info.mutatesStorageMetadata) {
            return;
        }
        m_capture.m_recorder.state().partitionerTag = ir::PartitionerTag::MustBeInBackward;
        write(before, after);
        m_meta.indicesOfInputsThatRequiresGradWithMutationsInBw.push_back(index);
    }

    static void writeTangent(const at::Tensor& functional, const at::Tensor& before) {
        at::FunctionalTensorWrapper& wrapper = wrapperOf(functional);
        if (hasMetadataMutation(functional, before)) {
            refuse("changes the sizes, strides or storage of a gradient that it is given");
        }
        if (!wrapper.has_data_mutation()) {
            return;
        }
        const bool seenByAutograd = functional.requires_grad() &&
                                    !wrapper.are_all_mutations_hidden_from_autograd() &&
                                    !wrapper.are_all_mutations_under_no_grad_or_inference_mode();
        if (seenByAutograd) {
            refuse("changes a gradient that it is given, in a way that autograd sees");
        }
        write(before, fromFunctional(functional));
    }

    Capture& m_capture;
    ir::ViewAndMutationMeta& m_meta;
};

/// A graph returns the last token before everything else, so that nothing that leads to it is dead code.
void returnToken(const at::Tensor& token, std::vector<c10::IValue>& outputs,
                 std::vector<ir::Descriptor>& descriptors) {
    if (token.defined()) {
        outputs.insert(outputs.begin(), token);
        descriptors.insert(descriptors.begin(), {ir::AOTOutput(ir::ForwardTokenAOTOutput{0})});
    }
}

/// Runs the program for a graph without a backward.
std::vector<c10::IValue> runAlone(const TracedProgram& program, Capture& capture, bool makesToken) {
    ProgramPosition& position = capture.m_context.position;
    capture.addPlaceholders("arg", "_1", 0, makesToken);
    capture.makeFunctional();
    position.attach(&capture.m_recorder);
    std::vector<c10::IValue> results = capture.run(program, capture.m_functional);
    position.leave();
    position.attach(nullptr);
    return results;
}

} // namespace

ir::GraphBuilder captureJointGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                   CollectedMetadata& metadata, const CaptureContext& context) {
    const c10::AutoGradMode leavesGradMode(c10::GradMode::is_enabled());
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
    const at::Tensor token = capture.takeToken();

    // The values of inputs mutated in the graph after the forward, saved before the backward may mutate them
    // again.
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
    const std::vector<at::Tensor> gradients = runBackward(prepared, primals, capture, position);
    position.attach(nullptr);

    BackwardMutations mutations(capture, metadata.meta);
    mutations.writeInputs();
    mutations.writeTangents(capture.m_tangentsBefore);

    if (meta.keepInputMutations) {
        const MutationCounters none;
        for (const std::size_t i : meta.mutatedGraphHandledIndices()) {
            recorder.state().partitionerTag = ir::PartitionerTag::MustBeInForward;
            capture.m_tracer.keepTensorValues = true;
            capture.applyMutations(i, afterForward[i], &countersAfterForward[i], &none);
            capture.m_tracer.keepTensorValues = false;
        }
        for (const std::size_t i : meta.mutatedGraphHandledIndices()) {
            const at::Tensor& functional = capture.m_functional[i].toTensor();
            const at::Tensor after = fromFunctional(functional);
            const MutationCounters now = countersOf(functional);
            if (now != countersAfterForward[i]) {
                recorder.state().partitionerTag = ir::PartitionerTag::MustBeInBackward;
                capture.applyMutations(i, after, &now, &countersAfterForward[i]);
            }
        }
    }

    std::vector<c10::IValue> outputs = capture.outputs(prepared.values);
    std::vector<ir::Descriptor> descriptors = prepared.descriptors;
    returnToken(token, outputs, descriptors);
    std::size_t next = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const c10::IValue& value = capture.m_functional[i];
        const bool hasGradient = value.isTensor() && value.toTensor().requires_grad();
        const at::Tensor gradient = hasGradient ? gradients[next++] : at::Tensor();
        outputs.emplace_back(gradient.defined() ? fromFunctional(gradient) : gradient);
        descriptors.push_back(hasGradient
                                  ? ir::Descriptor{ir::AOTOutput(ir::GradAOTOutput{inputs[i].descriptor})}
                                  : ir::Descriptor{ir::NoneDescriptor{}});
    }
    recorder.output(outputs, std::move(descriptors));
    return capture.finish();
}

ir::GraphBuilder captureInferenceGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                       CollectedMetadata& metadata, const CaptureContext& context) {
    const c10::AutoGradMode leavesGradMode(c10::GradMode::is_enabled());
    const ir::ViewAndMutationMeta& meta = metadata.meta;
    Capture capture(inputs, metadata, context);
    GraphRecorder& recorder = capture.m_recorder;
    const std::vector<c10::IValue> results = runAlone(program, capture, context.makesTokens);
    auto values = base::mapped(meta.mutatedInputRuntimeIndices(),
                               [&](const std::size_t index) { return capture.m_functional[index]; });
    values.insert(values.end(), results.begin(), results.end());
    if (meta.keepInputMutations) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!capture.m_functional[i].isTensor()) {
                continue;
            }
            const at::Tensor after = fromFunctional(capture.m_functional[i].toTensor());
            if (meta.inputInfo[i].mutationType() == ir::MutationType::MutatedInGraph) {
                recorder.state().partitionerTag = ir::PartitionerTag::MustBeInBackward;
                capture.applyMutations(i, after, nullptr, nullptr);
            }
        }
    }
    std::vector<c10::IValue> outputs = capture.outputs(values);
    std::vector<ir::Descriptor> descriptors = plainOutputDescriptors(metadata, inputs);
    const std::size_t returned = outputs.size();
    returnToken(capture.takeToken(), outputs, descriptors);
    if (metadata.needsToken && context.makesTokens) {
        recorder.sinkToken(outputs.front().toTensor());
        outputs.erase(outputs.begin());
        // PyTorch removes the token from the outputs, not its descriptor, so that the others move.
        descriptors.resize(returned);
    }
    recorder.output(outputs, std::move(descriptors));
    ir::GraphBuilder graph = capture.finish();
    takeSourcesOfMutations(graph);
    return graph;
}

ir::GraphBuilder captureFlatGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                  CollectedMetadata& metadata, const CaptureContext& context,
                                  std::vector<ir::Descriptor> outputs) {
    const c10::AutoGradMode leavesGradMode(c10::GradMode::is_enabled());
    Capture capture(inputs, metadata, context);
    const std::vector<c10::IValue> results = runAlone(program, capture, false);
    const auto values = base::mapped(results, [&](const c10::IValue& value) {
        return value.isTensor() ? c10::IValue(fromFunctional(value.toTensor())) : value;
    });
    capture.m_recorder.output(values, std::move(outputs));
    dedupeSymbols(capture.m_recorder.graph());
    return std::move(capture.m_recorder.graph());
}

} // namespace aotscope::torch
