#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/collect_metadata.h"
#include "trace/graph_recorder.h"
#include "trace/program_position.h"

#include <functional>
#include <map>
#include <string>

namespace aotscope::torch {

/// What captures need to know of the trace they belong to.
struct CaptureContext {
    ProgramPosition& position;
    ShapeEnvironment& environment;
    /// Null: nothing is decomposed.
    const DecompositionSet* decompositions = nullptr;
    /// As GraphRecorder::beforeNode, forward and backward, with the graph so far.
    std::function<void(GraphRecorder&, const ir::Node&)> beforeNode = {};
    /// As PreDispatchScope: composite operators stay whole, and autograd sees nothing.
    bool preDispatch = false;
    /// The backward begins with one at the single output that wants a gradient; the tangent stays an input
    /// that nothing uses (`no_tangents`).
    bool fromOnes = false;
    /// Takes the tensors that the graph reads as attributes, which it has by name alone; null: nobody asks.
    std::map<std::string, at::Tensor, std::less<>>* constants = nullptr;
};

/// Traces forward and backward as one functional graph (`aot_dispatch_autograd_graph`).
[[nodiscard]] ir::Graph captureJointGraph(const TracedProgram& program,
                                          const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
                                          const CaptureContext& context);

/// Traces the forward alone (`aot_dispatch_base_graph`).
[[nodiscard]] ir::Graph captureInferenceGraph(const TracedProgram& program,
                                              const std::vector<TracedInput>& inputs,
                                              CollectedMetadata& metadata, const CaptureContext& context);

/// Traces a functional graph once more as it is, with what autograd notes for a backward of its own, used or
/// not (`make_fx`). `outputs`: what each returned value is.
[[nodiscard]] ir::Graph captureFlatGraph(const TracedProgram& program, const std::vector<TracedInput>& inputs,
                                         CollectedMetadata& metadata, const CaptureContext& context,
                                         std::vector<ir::Descriptor> outputs);

} // namespace aotscope::torch
