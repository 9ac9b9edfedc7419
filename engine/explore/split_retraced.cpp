#include "explore/split_retraced.h"

#include "explore/joint_input.h"

#include "aot/saved_tensors_hooks.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

passes::TraceHook tracedBefore(std::vector<passes::InlinedHook> hooks, passes::TraceHook otherwise) {
    return [hooks = std::move(hooks), otherwise = std::move(otherwise)](
               const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
        const std::string& name = forward.node(saved).name;
        const auto found = std::ranges::find(hooks, name, &passes::InlinedHook::saved);
        return found != hooks.end() ? *found
               : otherwise          ? otherwise(forward, saved)
                                    : passes::InlinedHook{name, nullptr, nullptr};
    };
}

aot::CompiledFunction functionOf(const RetraceSnapshot& retraced) {
    return retraced.result ? retraced.result->function : aot::CompiledFunction();
}

bool isSplittable(const RetraceSnapshot& retraced) {
    return retraced.made && retraced.result && retraced.result->function.joint;
}

std::optional<aot::HookInlining> hookInlining(const RetraceSnapshot& retraced, aot::TraceProgram trace) {
    auto inlining =
        retraced.hooked ? aot::hookInlining(retraced.result->function, std::move(trace)) : std::nullopt;
    if (inlining) {
        inlining->trace = tracedBefore(retraced.hooked->partition->hooks, std::move(inlining->trace));
    }
    return inlining;
}

aot::CompileChoices splitChoices(const RetraceSnapshot& retraced, const LogSnapshot& log) {
    // All hooks of this partition were traced before.
    return {.partition = givenSplit(*retraced.made, &retraced, log).options,
            .hooks = hookInlining(retraced, {})};
}

base::Result<aot::CompiledFunction> splitRetraced(const RetraceSnapshot& retraced, const LogSnapshot& log,
                                                  const base::Progress& progress) {
    if (retraced.hooked) {
        return *retraced.hooked;
    }
    return isSplittable(retraced) ? aot::compile(functionOf(retraced), splitChoices(retraced, log), progress)
                                  : functionOf(retraced);
}

base::Result<std::shared_ptr<const aot::CompiledFunction>>
splitWithHooks(const RetraceSnapshot& retraced, const LogSnapshot& log, aot::TraceProgram trace) {
    using Split = std::shared_ptr<const aot::CompiledFunction>;
    auto hooks = isSplittable(retraced) ? aot::hookInlining(retraced.result->function, std::move(trace))
                                        : std::nullopt;
    if (!hooks) {
        return Split();
    }
    aot::CompileChoices choices = splitChoices(retraced, log);
    choices.hooks = std::move(hooks);
    auto split = aot::compile(functionOf(retraced), choices);
    return split
               ? base::Result<Split>(std::make_shared<const aot::CompiledFunction>(std::move(split).value()))
               : std::move(split).error();
}

} // namespace aotscope::session
