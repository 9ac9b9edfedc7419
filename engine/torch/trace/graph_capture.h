#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/collect_metadata.h"
#include "trace/graph_recorder.h"
#include "trace/program_position.h"

namespace aotscope::torch {

/// Traces forward and backward as one functional graph (`aot_dispatch_autograd_graph`).
[[nodiscard]] ir::Graph captureJointGraph(const TracedProgram& program,
                                          const std::vector<TracedInput>& inputs, CollectedMetadata& metadata,
                                          ProgramPosition& position, ShapeEnvironment& environment,
                                          const DecompositionSet* decompositions = nullptr);

/// Traces the forward alone (`aot_dispatch_base_graph`).
[[nodiscard]] ir::Graph captureInferenceGraph(const TracedProgram& program,
                                              const std::vector<TracedInput>& inputs,
                                              CollectedMetadata& metadata, ProgramPosition& position,
                                              ShapeEnvironment& environment,
                                              const DecompositionSet* decompositions = nullptr);

} // namespace aotscope::torch
