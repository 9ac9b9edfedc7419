#include "explore/hooked_split.h"

#include "explore/inlined_hooks.h"
#include "explore/partition_by_choices.h"
#include "explore/partition_rows.h"
#include "explore/split_retraced.h"

#include <map>
#include <tuple>
#include <utility>

namespace aotscope::session {
namespace {

/// The compile of the joint graph: its re-trace if it was traced here, else only the graph.
aot::CompiledFunction compileOf(const JointInput& input) {
    aot::CompiledFunction function;
    if (input.trace && input.trace->result) {
        function = input.trace->result->function;
    }
    function.path = aot::TracePath::Autograd;
    function.graph = input.joint->graph;
    function.joint = true;
    return function;
}

} // namespace

base::Result<aot::CompiledFunction> splitFunction(const JointInput& input,
                                                  const passes::PartitionOptions& options,
                                                  PartitionSnapshot& split, const base::Progress& progress) {
    auto function =
        aot::compile(compileOf(input), {.partition = options, .until = aot::StageKind::Partition}, progress);
    if (function) {
        split.partition = function->partition;
        split.profile = predictedMemory(*split.partition, options.staticInputs, split.choices);
        split.saved = savedTensors(*input.joint, *split.partition, *split.profile);
    }
    return function;
}

namespace {

/// Takes saved tensors that a rule wants recomputed out of the plan, as choices for the partitioner. Inputs
/// cannot be recomputed.
std::vector<passes::NodeChoice> recomputedByRule(const PartitionSnapshot& split,
                                                 std::map<std::string, std::string>& hookOf) {
    std::vector<passes::NodeChoice> choices;
    for (const SavedTensor& tensor : split.saved) {
        const auto hook = hookOf.find(tensor.name);
        if (hook == hookOf.end() || hook->second != hooks::recomputeHook) {
            continue;
        }
        if (!tensor.op.empty()) {
            choices.push_back({tensor.name, passes::Forced::Recompute});
        }
        hookOf.erase(hook);
    }
    return choices;
}

/// The hooks that the plan's rules choose for the saved tensors. Tensors to recompute change the partition
/// first.
base::Result<PlannedHooks> planHooks(const JointInput& input, PartitionSnapshot& split,
                                     aot::CompiledFunction& function, const base::Progress& progress) {
    const hooks::HookPlan& plan = *split.choices.hooks;
    PlannedHooks planned;
    planned.filter = plan.filter.value_or(aot::hookFilterOf(input.config));
    AOTSCOPE_TRY(hookOf, hooksByRule(plan, split.saved));
    const auto again = recomputedByRule(split, hookOf);
    if (!again.empty()) {
        if (split.options.partitioner == passes::Partitioner::Default) {
            return base::Error{.code = "session.choices_need_min_cut",
                               .message = "The default partition computes nothing again.",
                               .hint = "Use the min-cut partitioner, or another hook than recompute."};
        }
        split.options.choices.insert(split.options.choices.end(), again.begin(), again.end());
        AOTSCOPE_TRY(changed, splitFunction(input, split.options, split, progress));
        function = std::move(changed);
        hookOf = hooksByRule(plan, split.saved).value();
        // What is saved instead of these is saved as it is.
        std::ignore = recomputedByRule(split, hookOf);
    }
    planned.hookOf = std::move(hookOf);
    return planned;
}

} // namespace

base::Result<void> addHooks(const JointInput& input, PartitionSnapshot& split,
                            aot::CompiledFunction& function, const aot::TraceProgram& traceHook,
                            const base::Progress& progress) {
    std::optional<PlannedHooks> planned;
    passes::HookFilter filter = passes::HookFilter::Donated;
    aot::CompileChoices choices{.until = aot::StageKind::SavedTensorsHooks};
    if (split.choices.hooks) {
        AOTSCOPE_TRY(made, planHooks(input, split, function, progress));
        planned = std::move(made);
        filter = planned->filter;
        choices.chosenHooks = [&](const aot::CompiledFunction& halves) -> base::Result<passes::Partition> {
            AOTSCOPE_TRY(plan, inlinedPlan(input, *split.choices.hooks, traceHook, *planned, halves));
            planned->plan = std::move(plan);
            return planned->plan.partition;
        };
    } else if (input.trace && input.trace->result) {
        choices.hooks = hookInlining(*input.trace, traceHook);
        filter = choices.hooks ? choices.hooks->filter : filter;
    }
    if (!choices.chosenHooks && !choices.hooks) {
        split.function = std::move(function);
        return {};
    }
    AOTSCOPE_TRY(made, aot::compile(std::move(function), choices, progress));
    split.function = std::move(made);
    const MemoryProfilePtr before = split.profile;
    if (!split.function.partition->hooks.empty()) {
        split.profile = predictedMemory(*split.function.partition, split.options.staticInputs, split.choices);
        split.saved = savedTensors(*input.joint, *split.partition, *split.profile);
    }
    split.hooks = inlinedHooks(split, filter, planned ? &*planned : nullptr, before);
    return {};
}

base::Result<ChosenCompile> chosenCompile(const JointInputPtr& input, const aot::CompiledFunction& traced,
                                          const PartitionChoices& choices, const aot::TraceProgram& traceHook,
                                          const base::Progress& progress) {
    AOTSCOPE_TRY(options, partitionOptions(*input, choices, nullptr));
    ChosenCompile chosen{traced, {.partition = options}};
    if (!choices.hooks) {
        // A person's choices may save other tensors than those whose hooks were traced before.
        if (input->trace && input->trace->result) {
            chosen.choices.hooks = hookInlining(*input->trace, traceHook);
        }
        return chosen;
    }
    PartitionSnapshot split;
    split.choices = choices;
    split.options = std::move(options);
    AOTSCOPE_TRY(function, splitFunction(*input, split.options, split, progress));
    AOTSCOPE_TRY(planned, planHooks(*input, split, function, progress));
    chosen.begun.partition = function.partition;
    chosen.choices.partition = split.options;
    chosen.choices.chosenHooks = [input, plan = *choices.hooks, traceHook, planned = std::move(planned)](
                                     const aot::CompiledFunction& halves) -> base::Result<passes::Partition> {
        auto inlined = inlinedPlan(*input, plan, traceHook, planned, halves);
        return inlined ? base::Result<passes::Partition>(std::move(inlined->partition))
                       : std::move(inlined).error();
    };
    chosen.choices.chosenHooksText = hooks::planText(*choices.hooks);
    return chosen;
}

} // namespace aotscope::session
