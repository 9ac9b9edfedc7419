#include "session/split_retraced.h"

#include "evidence/golden_unit.h"
#include "evidence/hook_filter.h"
#include "session/explore/joint_input.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

namespace {

/// Finds hooks among those that were traced before, by the name of the saved tensor; else traces them.
passes::TraceHook tracedBefore(std::vector<passes::InlinedHook> hooks, passes::TraceHook trace) {
    return [hooks = std::move(hooks), trace = std::move(trace)](
               const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
        const auto found = std::ranges::find(hooks, forward.node(saved).name, &passes::InlinedHook::saved);
        return found == hooks.end() ? trace(forward, saved) : *found;
    };
}

/// Without a backend: what the partition of a re-trace saves was traced with it.
base::Result<aot::RetraceResult> refuseToTrace(const aot::RetraceRequest& /*request*/) {
    return base::Error{.code = "hooks.not_traced",
                       .message = "A saved-tensors hook was not traced with the compile.",
                       .hint = "Trace the compile again with these choices."};
}

} // namespace

passes::HookFilter hookFilterOf(const RetraceSnapshot& retraced, const LogSnapshot& log) {
    constexpr passes::HookFilter otherwise = passes::HookFilter::Donated;
    const std::optional<ArtifactReference>& program = retraced.target.program;
    if (!program || program->log != log.log) {
        return otherwise;
    }
    if (log.traceLog) {
        const auto compile = log.traceLog->tryFindCompile(program->compile, program->rank);
        const auto graph =
            compile ? log.traceLog->tryFindArtifact(*compile, program->artifact) : std::nullopt;
        return graph ? evidence::loggedHookFilter({log.traceLog, *compile, graph->record}).value_or(otherwise)
                     : otherwise;
    }
    const std::string& artifact = program->artifact;
    const std::size_t end = artifact.rfind('/');
    if (!artifact.starts_with("units/") || end == std::string::npos) {
        return otherwise;
    }
    const auto unit = evidence::readGoldenUnit(log.path, artifact.substr(0, end));
    return unit ? unit->hookFilter.value_or(otherwise) : otherwise;
}

aot::CompiledFunction functionOf(const RetraceSnapshot& retraced) {
    return retraced.result ? aot::CompiledFunction(*retraced.result) : aot::CompiledFunction();
}

bool isSplittable(const RetraceSnapshot& retraced) {
    return retraced.made && retraced.result && retraced.result->joint;
}

std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced, const LogSnapshot& log,
                                              aot::TraceProgram trace) {
    auto hooks =
        retraced.hooks ? aot::hooksOf(*retraced.result->program) : std::optional<aot::SavedTensorsHooks>();
    if (!hooks) {
        return std::nullopt;
    }
    return aot::HookInlining{
        hookFilterOf(retraced, log),
        tracedBefore(*retraced.hooks,
                     aot::hookTracer(*retraced.result, *std::move(hooks), std::move(trace)))};
}

aot::PipelineChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log) {
    return {.partition = givenOptions(*retraced.made, &retraced, log, retraced.target.compile),
            .hooks = hookInlining(retraced, log, refuseToTrace)};
}

base::Result<aot::CompiledFunction> splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log,
                                                  base::Progress progress, const aot::Observer& observer) {
    aot::CompiledFunction function = functionOf(retraced);
    if (!isSplittable(retraced)) {
        return function;
    }
    return aot::partitionPipeline(splitChoices(retraced, log), std::move(progress))
        .run(std::move(function), observer);
}

base::Result<std::optional<std::vector<passes::InlinedHook>>>
traceHooks(const RetraceSnapshot& retraced, const LogSnapshot& log, aot::TraceProgram trace) {
    using Traced = std::optional<std::vector<passes::InlinedHook>>;
    auto hooks = isSplittable(retraced) && retraced.result->program ? aot::hooksOf(*retraced.result->program)
                                                                    : std::nullopt;
    if (!hooks) {
        return Traced();
    }
    aot::PipelineChoices choices = splitChoices(retraced, log);
    choices.hooks = aot::HookInlining{hookFilterOf(retraced, log),
                                      aot::hookTracer(*retraced.result, *std::move(hooks), std::move(trace))};
    const auto split = aot::partitionPipeline(choices).run(functionOf(retraced));
    return split ? base::Result(Traced(split->partition->hooks)) : split.error();
}

} // namespace aotscope::session
