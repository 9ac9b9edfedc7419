#include "session/split_retraced.h"

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

passes::HookFilter hookFilterOf(const aot::FunctorchConfig& config) {
    return passes::hookFilterFromName(config.savedTensorsHooksFilteringMode)
        .value_or(passes::HookFilter::Donated);
}

aot::CompiledFunction functionOf(const RetraceSnapshot& retraced) {
    return retraced.result ? aot::CompiledFunction(*retraced.result) : aot::CompiledFunction();
}

bool isSplittable(const RetraceSnapshot& retraced) {
    return retraced.made && retraced.result && retraced.result->joint;
}

std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced, aot::TraceProgram trace) {
    auto hooks =
        retraced.hooks ? aot::hooksOf(*retraced.result->program) : std::optional<aot::SavedTensorsHooks>();
    if (!hooks) {
        return std::nullopt;
    }
    return aot::HookInlining{
        hookFilterOf(retraced.result->configuration.functorch),
        tracedBefore(*retraced.hooks,
                     aot::hookTracer(*retraced.result, *std::move(hooks), std::move(trace)))};
}

aot::PipelineChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log) {
    return {.partition = givenOptions(*retraced.made, &retraced, log, retraced.target.compile),
            .hooks = hookInlining(retraced, refuseToTrace)};
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
    choices.hooks = aot::HookInlining{hookFilterOf(retraced.result->configuration.functorch),
                                      aot::hookTracer(*retraced.result, *std::move(hooks), std::move(trace))};
    const auto split = aot::partitionPipeline(choices).run(functionOf(retraced));
    return split ? base::Result(Traced(split->partition->hooks)) : split.error();
}

} // namespace aotscope::session
