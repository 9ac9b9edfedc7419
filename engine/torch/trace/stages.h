#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/collect_metadata.h"
#include "trace/dynamo_program.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"
#include "ir/graph_builder.h"

namespace aotscope::torch {

/// The inputs for tracing the intermediate stages.
struct StageSource {
    /// The program itself, and its inputs.
    DynamoProgram& program;
    const std::vector<TracedInput>& programInputs;
    /// The captured function: the same, with synthetic bases in place of inputs that are views of one base.
    const TracedProgram& captured;
    const std::vector<TracedInput>& inputs;
    const DecompositionSet* decompositions = nullptr;
    MetadataOptions metadataOptions;
    ProgramPosition& position;
    ShapeEnvironment& environment;
    base::Progress progress;
};

/// The graphs between a program and its captured graph, which is the last. Each is traced with fewer passes
/// than the captured one. A stage that cannot be traced has a note with the reason. Throws Canceled.
[[nodiscard]] std::vector<aot::TraceStage> traceStages(const StageSource& source, const ir::GraphPtr& program,
                                                       const ir::GraphPtr& captured);

} // namespace aotscope::torch
