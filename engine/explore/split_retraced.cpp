#include "explore/split_retraced.h"

#include "explore/joint_input.h"

#include "aot/saved_tensors_hooks.h"

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

aot::CompiledFunction functionOf(const RetraceSnapshot& retraced) {
    return retraced.result ? aot::CompiledFunction(*retraced.result) : aot::CompiledFunction();
}

bool isSplittable(const RetraceSnapshot& retraced) {
    return retraced.made && retraced.result && retraced.result->joint;
}

std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced, aot::TraceProgram trace) {
    auto inlining = retraced.hooks ? aot::hookInlining(*retraced.result, std::move(trace)) : std::nullopt;
    if (inlining) {
        inlining->trace = tracedBefore(*retraced.hooks, std::move(inlining->trace));
    }
    return inlining;
}

aot::PipelineChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log) {
    return {.partition = givenOptions(*retraced.made, &retraced, log),
            .hooks = hookInlining(retraced, refuseToTrace)};
}

base::Result<aot::CompiledFunction> splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log,
                                                  base::Progress progress, const aot::Observer& observer) {
    return isSplittable(retraced) ? aot::partitioned(functionOf(retraced), splitChoices(retraced, log),
                                                     std::move(progress), observer)
                                  : functionOf(retraced);
}

base::Result<std::optional<std::vector<passes::InlinedHook>>>
traceHooks(const RetraceSnapshot& retraced, const LogSnapshot& log, aot::TraceProgram trace) {
    using Traced = std::optional<std::vector<passes::InlinedHook>>;
    auto hooks =
        isSplittable(retraced) ? aot::hookInlining(*retraced.result, std::move(trace)) : std::nullopt;
    if (!hooks) {
        return Traced();
    }
    aot::PipelineChoices choices = splitChoices(retraced, log);
    choices.hooks = std::move(hooks);
    const auto split = aot::partitioned(functionOf(retraced), choices);
    return split ? base::Result(Traced(split->partition->hooks)) : split.error();
}

} // namespace aotscope::session
