#include "trace/retrace.h"

#include "run/dtypes.h"
#include "run/executor.h"
#include "run/failure.h"
#include "run/symbols.h"
#include "trace/graph_capture.h"

#include <c10/core/GradMode.h>

#include <chrono>

namespace aotscope::torch {

namespace {

class EnterNodes final : public NodeObserver {
public:
    EnterNodes(const ir::Graph& graph, ProgramPosition& position) : m_graph(graph), m_position(position) {}
    void started(ir::NodeId node) override { m_position.enter(m_graph.node(node).origin); }
    void finished(ir::NodeId, c10::IValue&, std::int64_t) override {}
    void released(ir::NodeId, const c10::IValue&) override {}

private:
    const ir::Graph& m_graph;
    ProgramPosition& m_position;
};

std::int64_t concrete(const ir::SymInt& size, const ir::SymbolBindings& bindings) {
    const auto value = size.value(bindings);
    if (!value) {
        fail("trace.input", "The size " + size.text() + " of an input has no known value.");
    }
    return *value;
}

TracedInput makeInput(const ir::Node& placeholder, const session::RetraceInput& known, std::size_t index,
                      const ir::SymbolBindings& bindings) {
    TracedInput input;
    input.descriptor = "PlainAOTInput(idx=" + std::to_string(index) + ")";
    const ir::TensorMeta* meta = ir::asTensor(placeholder.value);
    if (meta == nullptr) {
        fail("trace.input", "The input " + placeholder.name + " is no tensor.");
    }
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    for (const ir::SymInt& size : meta->shape) {
        sizes.push_back(concrete(size, bindings));
    }
    if (meta->stride) {
        for (const ir::SymInt& stride : *meta->stride) {
            strides.push_back(concrete(stride, bindings));
        }
    } else {
        strides.resize(sizes.size());
        std::int64_t next = 1;
        for (std::size_t i = sizes.size(); i-- > 0;) {
            strides[i] = next;
            next *= std::max<std::int64_t>(sizes[i], 1);
        }
    }
    const auto dtype = scalarType(meta->dtype);
    if (!dtype) {
        fail("trace.input", "The input " + placeholder.name + " has a dtype that LibTorch lacks.");
    }
    c10::Device device(c10::kCPU);
    if (meta->device) {
        device = c10::Device(meta->device->text());
    }
    input.value = makeFake(sizes, strides, known.storageOffset, *dtype, device);
    input.requiresGrad = known.requiresGrad;
    input.isLeaf = known.isLeaf;
    return input;
}

session::RetraceResult retraceOrThrow(const session::RetraceRequest& request, base::Progress progress) {
    const auto start = std::chrono::steady_clock::now();
    const ir::Graph& program = *request.program;
    const std::vector<ir::NodeId> placeholders = program.placeholders();
    std::vector<TracedInput> inputs;
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const session::RetraceInput known =
            i < request.inputs.size() ? request.inputs[i] : session::RetraceInput{};
        inputs.push_back(makeInput(program.node(placeholders[i]), known, i, program.symbolHints()));
    }
    ProgramPosition position;
    const TracedProgram call = [&](std::vector<c10::IValue> arguments) {
        RunContext context;
        context.progress = progress;
        EnterNodes observer(program, position);
        return Executor(context).run(program, std::move(arguments), &observer);
    };
    CollectedMetadata metadata = collectMetadata(call, inputs, request.keepInputMutations);
    session::RetraceResult result;
    const bool anyGrad = std::any_of(inputs.begin(), inputs.end(),
                                     [](const TracedInput& input) { return input.requiresGrad; });
    const bool autograd = anyGrad && metadata.needsGrad;
    metadata.meta.isTrain = autograd;
    result.path = autograd ? session::TracePath::Autograd : session::TracePath::Inference;
    result.reason = autograd  ? "an output or a mutated input requires grad"
                    : anyGrad ? "inputs require grad, but no output and no mutated input does"
                              : "no input requires grad";
    ir::Graph graph = autograd ? captureJointGraph(call, inputs, metadata, position)
                               : captureInferenceGraph(call, inputs, metadata, position);
    result.graph = ir::Graph::freeze(std::move(graph));
    result.metadata = std::move(metadata.meta);
    result.nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
}

} // namespace

base::Result<session::RetraceResult> retrace(const session::RetraceRequest& request,
                                             base::Progress progress) {
    try {
        const c10::AutoGradMode grad(true);
        return retraceOrThrow(request, std::move(progress));
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const RunFailure& failure) {
        return failure.error();
    } catch (const c10::Error& error) {
        base::Error result;
        result.code = "trace.unsupported";
        result.message = error.what_without_backtrace();
        return result;
    } catch (const std::exception& error) {
        base::Error result;
        result.code = "trace.unsupported";
        result.message = error.what();
        return result;
    }
}

} // namespace aotscope::torch
