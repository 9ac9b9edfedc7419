#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/collect_metadata.h"
#include "trace/graph_recorder.h"
#include "trace/program_position.h"

#include "ir/graph_builder.h"

#include <functional>
#include <map>
#include <string>

namespace aotscope::torch {

/// The settings and shared state of the trace that a capture belongs to.
struct CaptureContext {
    ProgramPosition& position;
    ShapeEnvironment& environment;
    /// Null: nothing is decomposed.
    const DecompositionSet* decompositions = nullptr;
    /// GraphRecorder::beforeNode for forward and backward, with the recorder.
    std::function<void(GraphRecorder&, const ir::Node&)> beforeNode = {};
    /// Runs the program in a PreDispatchScope: composite operators stay whole and autograd is bypassed.
    bool preDispatch = false;
    /// The backward starts from ones at the only output that needs a gradient (`no_tangents`); the tangent
    /// remains as an unused placeholder.
    bool fromOnes = false;
    /// An inference graph makes the token of its effects itself, instead of taking and returning it
    /// (`unlift_effect_tokens`; torch/_functorch/_aot_autograd/utils.py: unlift_tokens).
    bool makesTokens = false;
    /// FunctorchConfig::backwardPassAutocast
    std::string backwardPassAutocast = "same_as_forward";
    /// RetraceRequest::lazyArithmetic
    bool lazyArithmetic = false;
    /// The program is a saved-tensors hook: of unused nodes only arithmetic with sizes is removed. Follows
    /// torch 2.15, torch/fx/experimental/proxy_tensor.py: dispatch_trace.
    bool isHook = false;
    /// Unused calls that draw random numbers stay: in exports, without
    /// RetraceRequest::tracingContext, and with `torch._inductor.config.fallback_random`.
    bool keepsUnusedRandom = false;
    /// Receives the tensors behind the graph's get_attr nodes, by name; may be null.
    std::map<std::string, at::Tensor, std::less<>>* constants = nullptr;
};

/// Traces forward and backward as one functional joint graph. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_capture.py: aot_dispatch_autograd_graph. All captures throw
/// RunFailure, c10::Error, and what `beforeNode` throws.
[[nodiscard]] ir::GraphBuilder captureJointGraph(const TracedProgram& program,
                                                 const std::vector<TracedInput>& inputs,
                                                 CollectedMetadata& metadata, const CaptureContext& context);

/// Traces the forward alone (graph_capture.py: aot_dispatch_base_graph).
[[nodiscard]] ir::GraphBuilder captureInferenceGraph(const TracedProgram& program,
                                                     const std::vector<TracedInput>& inputs,
                                                     CollectedMetadata& metadata,
                                                     const CaptureContext& context);

/// Traces a functional graph once more without dead code removal, so that the detaches of values saved by
/// autograd remain (fx/experimental/proxy_tensor.py: make_fx). `outputs`: the descriptor of each returned
/// value.
[[nodiscard]] ir::GraphBuilder captureFlatGraph(const TracedProgram& program,
                                                const std::vector<TracedInput>& inputs,
                                                CollectedMetadata& metadata, const CaptureContext& context,
                                                std::vector<ir::Descriptor> outputs);

} // namespace aotscope::torch
