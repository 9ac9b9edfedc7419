#pragma once

#include "decompositions/decomposition_set.h"
#include "trace/dynamo_program.h"
#include "trace/traced_program.h"

#include "aot/retrace.h"

namespace aotscope::torch {

/// What the stages of a trace are made from.
struct StageSource {
    /// The program itself, and its inputs.
    DynamoProgram& program;
    const std::vector<TracedInput>& programInputs;
    /// What was captured: the same, but for inputs that are views of one base.
    const TracedProgram& captured;
    const std::vector<TracedInput>& inputs;
    const DecompositionSet* decompositions = nullptr;
    bool keepInputMutations = true;
    ProgramPosition& position;
    ShapeEnvironment& environment;
    base::Progress progress;
};

/// The operators that the program calls, with mutations and views, before autocast and autograd see them
/// (`make_fx` with `pre_dispatch`). Throws RunFailure, c10::Error, Canceled.
[[nodiscard]] ir::Graph preDispatchGraph(const StageSource& source);

/// The graphs on the way from a program to what was captured of it, the captured graph last. Each is traced
/// by the passes that make the captured one, with the later of them left out; one that cannot be made so says
/// why. Throws Canceled.
[[nodiscard]] std::vector<aot::TraceStage> traceStages(const StageSource& source, const ir::GraphPtr& program,
                                                       const ir::GraphPtr& captured);

} // namespace aotscope::torch
