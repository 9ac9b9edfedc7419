// The stages of a FunctionTrace that capture a graph.
#include "trace/function_trace.h"

#include "dispatch/failure.h"
#include "run/execution/executor.h"
#include "trace/export.h"
#include "trace/returned_tree.h"
#include "trace/tangent_metas.h"
#include "trace/traced_inputs.h"

#include <utility>

namespace aotscope::torch {

CaptureContext FunctionTrace::context() {
    CaptureContext context{
        m_position, m_environment, decompositions(),
        [stop = m_progress.stopToken(), pauser = m_pauser](GraphRecorder& recorder, const ir::Node& node) {
            if (stop.stop_requested()) {
                throw Canceled{};
            }
            if (pauser != nullptr) {
                pauser->beforeNode(recorder, node);
            }
        }};
    context.preDispatch = exportedAs(&aot::ExportOptions::preDispatch);
    context.fromOnes = isModuleExport();
    context.makesTokens = m_configuration.functorch.unliftEffectTokens;
    context.backwardPassAutocast = m_configuration.functorch.backwardPassAutocast;
    context.lazyArithmetic = m_request.lazyArithmetic;
    context.isHook = m_request.returnsTree;
    // PyTorch exports without a tracing context.
    context.keepsUnusedRandom =
        m_configuration.functorch.inductorFallbackRandom || m_request.export_ || !m_request.tracingContext;
    context.constants = &m_constants;
    return context;
}

ir::GraphBuilder FunctionTrace::capture() {
    const CaptureContext given = context();
    if (!isJoint()) {
        return captureInferenceGraph(m_wrapped.call, m_wrapped.inputs, m_wrapped.metadata, given);
    }
    if (m_wrapped.metadata.needsToken && isModuleExport() && m_request.export_->joint) {
        fail("trace.unsupported",
             "effect tokens in an exported joint graph, which this release of torch needs "
             "for aten._linalg_check_errors",
             "Export the forward alone.");
    }
    ir::GraphBuilder joint = captureJointGraph(m_wrapped.call, m_wrapped.inputs, m_wrapped.metadata, given);
    if (m_environment.rules().metadataIsThatOfBothPaths) {
        m_wrapped.metadata.meta.tangentSourceStackTraces =
            sourcesOfTangents(joint, m_wrapped.metadata.meta.tracedTangentsDescs);
    }
    return isModuleExport() && m_request.export_->joint
               ? flattenJointGraph(joint, m_wrapped.inputs, m_wrapped.metadata, given, m_progress)
               : std::move(joint);
}

aot::CompiledFunction FunctionTrace::traceStage(aot::CompiledFunction function) {
    if (exportedAs(&aot::ExportOptions::simple)) {
        checkSameCalls(m_wrapped.inputs, m_wrapped.metadata.meta);
    }
    ir::GraphBuilder captured = capture();
    captured.editSymbolHints().merge(unloggedHints(m_request));
    if (m_request.returnsTree) {
        returnTree(captured, m_program.returned());
    }
    function.graph = captured.finish();
    function.metadata = m_wrapped.metadata.meta;
    function.guards = m_environment.guards();
    return function;
}

} // namespace aotscope::torch
