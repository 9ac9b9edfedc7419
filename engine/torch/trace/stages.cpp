#include "trace/stages.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/executor.h"
#include "trace/collect_metadata.h"
#include "trace/dead_code.h"
#include "trace/differentiate.h"
#include "trace/functional_tensor.h"
#include "trace/graph_capture.h"
#include "trace/tracer.h"

#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

namespace aotscope::torch {

namespace {

using aot::TraceStage;
using aot::TraceStageKind;

/// The forward alone without mutations and views.
ir::GraphBuilder functionalGraph(const StageSource& source, const DecompositionSet* decompositions) {
    const c10::AutoGradMode noGrad(false);
    std::vector<TracedInput> inputs = source.inputs;
    for (TracedInput& input : inputs) {
        input.requiresGrad = false;
    }
    CollectedMetadata metadata =
        collectMetadata(source.captured, inputs, source.metadataOptions, source.environment);
    const CaptureContext context{source.position, source.environment, decompositions,
                                 [&](GraphRecorder&, const ir::Node&) {
                                     if (source.progress.stopRequested()) {
                                         throw Canceled{};
                                     }
                                 }};
    return captureInferenceGraph(source.captured, inputs, metadata, context);
}

template<typename Make>
aot::TraceStage stage(aot::TraceStageKind kind, Make&& make) {
    aot::TraceStage made{kind, nullptr};
    if (const auto error = failureOf(
            "trace.unsupported", [&] { made.graph = make().finish(); }, handledError)) {
        made.note = error->message;
    }
    return made;
}

/// The operators that the program calls, with mutations and views, before autocast and autograd. Follows
/// torch 2.11, torch/fx/experimental/proxy_tensor.py: make_fx (pre_dispatch). Throws RunFailure, c10::Error,
/// Canceled.
ir::GraphBuilder preDispatchGraph(const StageSource& source) {
    Tracer tracer(nullptr, source.environment);
    const TraceScope scope(tracer);
    const c10::AutoGradMode grad(c10::GradMode::is_enabled());
    GraphRecorder recorder;
    std::vector<c10::IValue> outer;
    for (std::size_t i = 0; i < source.programInputs.size(); ++i) {
        const TracedInput& input = source.programInputs[i];
        outer.push_back(outerInput(input.value, input.requiresGrad));
        recorder.placeholder("arg" + std::to_string(i) + "_1", input.descriptor, outer.back());
    }
    ir::NodeId called;
    const auto detach = c10::make_scope_exit([&] { source.position.attach(nullptr); });
    source.position.attach(&recorder);
    std::vector<c10::IValue> results;
    {
        const ObserveProgram observing(
            tracer.beforeAutograd(),
            [&](const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
                if (source.progress.stopRequested()) {
                    throw Canceled{};
                }
                called = recorder.call(op, arguments);
            },
            [&](const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> made) {
                recorder.bindResults(called, op, made);
            });
        results = source.program(outer);
    }
    source.position.leave();
    std::vector<ir::Descriptor> descriptors;
    for (std::size_t i = 0; i < results.size(); ++i) {
        descriptors.push_back({ir::AOTOutput(ir::PlainAOTOutput{static_cast<std::int64_t>(i)})});
    }
    recorder.output(results, std::move(descriptors));
    eliminateDeadCode(recorder.graph(), true);
    return std::move(recorder.graph());
}

} // namespace

std::vector<aot::TraceStage> traceStages(const StageSource& source, const ir::GraphPtr& program,
                                         const ir::GraphPtr& captured) {
    std::vector<aot::TraceStage> stages = {{aot::TraceStageKind::Program, program}};
    stages.push_back(stage(aot::TraceStageKind::Resolved, [&] { return preDispatchGraph(source); }));
    stages.push_back(
        stage(aot::TraceStageKind::Functional, [&] { return functionalGraph(source, nullptr); }));
    if (source.decompositions == nullptr) {
        // Without decompositions it is the same graph.
        stages.push_back({aot::TraceStageKind::Decomposed, stages.back().graph, stages.back().note});
    } else {
        stages.push_back(stage(aot::TraceStageKind::Decomposed,
                               [&] { return functionalGraph(source, source.decompositions); }));
    }
    stages.push_back({aot::TraceStageKind::Joint, captured});
    return stages;
}

} // namespace aotscope::torch
