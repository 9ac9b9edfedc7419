#include "explore/partition_by_choices.h"

#include "explore/hooked_split.h"
#include "explore/partition_rows.h"
#include "explore/split_retraced.h"
#include "files/logged_partitions.h"
#include "judge/answers.h"
#include "judge/halves_verdict.h"

#include "aot/compile.h"
#include "aot/partition_config.h"
#include "ir/operators/operator.h"
#include "memory/memory_profile.h"
#include "passes/alternative.h"
#include "passes/inline_hooks.h"
#include "passes/value_size.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace aotscope::session {
namespace {

/// The name of a half that is computed here: "forward of joint".
ArtifactReference halfReference(const ArtifactReference& joint, const char* half) {
    ArtifactReference reference = joint;
    reference.artifact = std::string(half) + " of " + joint.artifact;
    for (const std::string& part : joint.subgraph) {
        reference.artifact += "/" + part;
    }
    reference.subgraph.clear();
    return reference;
}

/// Whose rules apply with these choices.
aot::RulesChoice chosenRules(const JointInput& input, const PartitionChoices& choices) {
    return {input.rules.logged, choices.torch ? choices.torch : input.rules.chosen};
}

/// Only min-cut can honor such choices: the default partition follows from the graph alone.
bool needsMinCut(const PartitionChoices& choices) {
    return !choices.nodes.empty() || choices.memoryBudget.value_or(1.0) != 1.0;
}

MemoryProfilePtr profileOf(const ir::Graph& forward, const ir::Graph& backward, std::size_t forwardOutputs,
                           const std::vector<std::size_t>& staticInputs, const PartitionChoices& choices,
                           const passes::PartitionRules& rules) {
    return std::make_shared<const memory::MemoryProfile>(memory::profileTrainingStep(
        {forward, backward, forwardOutputs, staticInputs}, profileOptions(choices, forward, rules)));
}

void addLogged(PartitionSnapshot& split, const judge::LoggedAnswer& logged,
               const PartitionSnapshotPtr& before, const base::Progress& progress) {
    static_cast<HalvesComparison&>(split) = judge::judgeHalves(split, logged, progress);
    const bool known = before && before->loggedForward == split.loggedForward &&
                       before->choices.rounding == split.choices.rounding &&
                       before->choices.donated == split.choices.donated;
    const ir::Graph& forward = *split.loggedForward->graph;
    const ir::Graph& backward = *split.loggedBackward->graph;
    split.loggedProfile = known
                              ? before->loggedProfile
                              : profileOf(forward, backward, forwardOutputsOf(forward, backward),
                                          split.options.staticInputs, split.choices, split.partition->rules);
    if (split.lacksHooks) {
        split.notes.emplace_back("PyTorch inlined saved-tensors hooks into the halves, and these are without "
                                 "them: trace the compile again to have its hooks inlined.");
    }
}

void addEager(PartitionSnapshot& split, const PartitionSnapshotPtr& before) {
    const bool known = before && before->joint == split.joint &&
                       before->partition->report.forwardOutputs == split.partition->report.forwardOutputs &&
                       before->choices.rounding == split.choices.rounding;
    split.eagerProfile =
        known ? before->eagerProfile
              : std::make_shared<const memory::MemoryProfile>(memory::profileEager(
                    *split.joint->graph, split.partition->report.forwardOutputs, split.options.staticInputs,
                    {split.choices.rounding,
                     passes::guessedSizes(*split.joint->graph, split.partition->rules)}));
}

void addNotes(PartitionSnapshot& split) {
    if (std::string note =
            aot::configurationNote(split.config, split.rules.release(), aot::touches::partition);
        !note.empty()) {
        split.notes.push_back(std::move(note));
    }
    const passes::PartitionReport& report = split.partition->report;
    if (report.tokensStay) {
        split.notes.emplace_back(
            "unlift_effect_tokens is not followed here: a token of an effect goes into a "
            "subgraph or is saved, so the halves take and return their tokens.");
    }
    if (report.fellBackToDefault) {
        split.notes.emplace_back(
            "No gradient is computed here, so the default partition is used, as in PyTorch.");
    }
    if (!report.unboundSymbols.empty()) {
        const ir::SymbolBindings guesses =
            passes::guessedSizes(*split.partition->joint, split.partition->rules);
        std::map<std::int64_t, std::string> names;
        for (const std::string& symbol : report.unboundSymbols) {
            const auto guess = guesses.find(symbol);
            std::string& named = names[guess == guesses.end() ? 4096 : guess->second];
            named += (named.empty() ? "" : ", ") + symbol;
        }
        for (const auto& [value, named] : names) {
            split.notes.push_back("No example value is known for " + named + ": " + std::to_string(value) +
                                  " is used.");
        }
    }
}

/// A saved value that the caller gets too says so in its row.
void noteSavedOutputs(PartitionSnapshot& split) {
    for (const passes::GraphWarning& warning : split.warnings) {
        if (warning.code != passes::savedIsOutput) {
            continue;
        }
        for (SavedTensor& row : split.saved) {
            if (row.name == warning.nodes.front()) {
                row.reason += " The caller gets it too: see the note.";
            }
        }
    }
}

std::optional<base::Verdict> jointDoubt(const RetraceSnapshot* trace) {
    if (trace == nullptr || !trace->logged ||
        (trace->verdict.word != base::VerdictWord::NotComparable &&
         trace->verdict.word != base::VerdictWord::NotSupported)) {
        return std::nullopt;
    }
    return base::Verdict{.word = trace->verdict.word, .reason = trace->verdict.reason};
}

} // namespace

RuntimeProfilePtr runtimeProfile(const RunSnapshot& run) {
    constexpr double nanosecondsEach = 1e6;
    auto profile = std::make_shared<passes::NodeRuntimes>();
    for (const NodeRun& node : run.nodes) {
        profile->emplace(run.graph->graph->node(node.node).name,
                         static_cast<double>(node.nanoseconds) / nanosecondsEach);
    }
    return profile;
}

MemoryProfilePtr predictedMemory(const passes::Partition& partition,
                                 const std::vector<std::size_t>& staticInputs,
                                 const PartitionChoices& choices) {
    return profileOf(*partition.forward, *partition.backward, partition.forwardOutputs, staticInputs, choices,
                     partition.rules);
}

memory::ProfileOptions profileOptions(const PartitionChoices& choices, const ir::Graph& forward,
                                      const passes::PartitionRules& rules) {
    memory::ProfileOptions options{choices.rounding, passes::guessedSizes(forward, rules)};
    if (choices.donated == DonatedBuffers::Reused) {
        options.writesOver = [](std::string_view target) {
            return ir::Operator(target).is(ir::Trait::Pointwise);
        };
    }
    return options;
}

std::vector<std::string> halfSources(const GraphSnapshot& joint, const ir::Graph& half) {
    if (joint.inputSources.empty()) {
        return {};
    }
    std::unordered_map<std::string_view, std::size_t> places;
    for (const ir::NodeId id : joint.graph->placeholders()) {
        places.emplace(joint.graph->node(id).name, places.size());
    }
    std::vector<std::string> sources;
    for (const ir::NodeId id : half.placeholders()) {
        const auto place = places.find(half.node(id).name);
        const bool known = place != places.end() && place->second < joint.inputSources.size();
        sources.push_back(known ? joint.inputSources[place->second] : std::string());
    }
    return sources;
}

PartitionerSource partitionerSourceOf(const JointInput& input, const PartitionChoices& choices) {
    return choices.partitioner || needsMinCut(choices) ? PartitionerSource::Chosen : input.partitionerSource;
}

base::Result<passes::PartitionOptions> partitionOptions(const JointInput& input,
                                                        const PartitionChoices& choices,
                                                        const RuntimeProfilePtr& runtimes) {
    AOTSCOPE_TRY(config, aot::withSettings(input.config, choices.config));
    passes::PartitionOptions options = input.given;
    aot::applyConfig(chosenRules(input, choices).release(), config, options);
    options.partitioner = choices.partitioner.value_or(passes::Partitioner::MinCut);
    if (options.partitioner == passes::Partitioner::Default && needsMinCut(choices)) {
        return base::Error{.code = "session.choices_need_min_cut",
                           .message = "The default partition saves what the backward reads: it has no budget "
                                      "and no choices for nodes.",
                           .hint = "Use the min-cut partitioner."};
    }
    options.forwardOutputs = choices.forwardOutputs;
    options.budgetIsChosen = options.budgetIsChosen || choices.memoryBudget.has_value();
    options.memoryBudget = choices.memoryBudget.value_or(options.memoryBudget);
    options.solver = choices.solver.value_or(options.solver);
    if (choices.runtime) {
        options.estimator = *choices.runtime == RuntimeSource::Testing ? passes::RuntimeEstimator::Testing
                                                                       : passes::RuntimeEstimator::Flops;
    }
    if (choices.runtime == RuntimeSource::Profile && runtimes) {
        options.runtimes = *runtimes;
    }
    options.choices = choices.nodes;
    return options;
}

base::Result<PartitionSnapshotPtr>
partitionByChoices(const JointInput& input, const PartitionChoices& choices,
                   const RuntimeProfilePtr& runtimes, const PartitionSnapshotPtr& before,
                   const aot::TraceProgram& traceHook, const base::Progress& progress) {
    AOTSCOPE_TRY(options, partitionOptions(input, choices, runtimes));
    auto split = std::make_shared<PartitionSnapshot>();
    split->joint = input.joint;
    split->choices = choices;
    split->options = std::move(options);
    split->rules = chosenRules(input, choices);
    split->config = aot::withSettings(input.config, choices.config).value();
    split->partitionerSource = partitionerSourceOf(input, choices);
    split->forward = halfReference(input.joint->reference, "forward");
    split->backward = halfReference(input.joint->reference, "backward");
    split->notes = input.answers.notes;
    split->runTimeHooks = input.runTimeHooks;
    AOTSCOPE_TRY(function, splitFunction(input, split->options, *split, progress));
    AOTSCOPE_CHECK(addHooks(input, *split, function, traceHook, progress));
    split->savedBytes = passes::savedBytes(*split->partition);
    split->recomputed = recomputedValues(*input.joint, *split->partition);
    for (const RecomputedValue& value : split->recomputed) {
        split->recomputedFlops += value.flops;
    }
    AOTSCOPE_CHECK(progress.checkStop());
    if (const auto logged = judge::tryAnswerOf(input.answers, split->options.partitioner)) {
        split->isJointRewritten = input.isJointRewritten;
        split->jointDoubt = jointDoubt(input.trace.get());
        addLogged(*split, *logged, before, progress);
        AOTSCOPE_CHECK(progress.checkStop());
    }
    split->warnings = passes::warningsOfHalves(*split->partition->forward, *split->partition->backward,
                                               split->partition->forwardOutputs, split->partition->rules);
    noteSavedOutputs(*split);
    addEager(*split, before);
    addNotes(*split);
    return PartitionSnapshotPtr(std::move(split));
}

base::Result<BudgetSweepSnapshotPtr> sweepBudgets(const JointInput& input, const PartitionChoices& choices,
                                                  const RuntimeProfilePtr& runtimes, std::size_t steps,
                                                  base::Progress progress) {
    PartitionChoices minCut = choices;
    minCut.partitioner = passes::Partitioner::MinCut;
    AOTSCOPE_TRY(options, partitionOptions(input, minCut, runtimes));
    auto sweep = std::make_shared<BudgetSweepSnapshot>();
    sweep->joint = input.joint->reference;
    sweep->choices = choices;
    sweep->rules = chosenRules(input, choices);
    sweep->config = aot::withSettings(input.config, choices.config).value();
    steps = std::max<std::size_t>(steps, 1);
    for (std::size_t i = 0; i <= steps; ++i) {
        progress.report("Budgets", i, steps);
        AOTSCOPE_CHECK(progress.checkStop());
        const double budget = static_cast<double>(i) / static_cast<double>(steps);
        AOTSCOPE_TRY(point, passes::budgetPoint(input.joint->graph, options, budget,
                                                base::Progress({}, progress.stopToken())));
        const passes::Partition& partition = point.partition;
        const MemoryProfilePtr profile = predictedMemory(partition, options.staticInputs, choices);
        sweep->points.push_back({budget, point.savedBytes, profile->peak.bytes,
                                 profile->intermediatePeak.bytes, point.flops, point.saved, point.recomputed,
                                 std::move(point.stage)});
    }
    return BudgetSweepSnapshotPtr(std::move(sweep));
}

base::Result<void> watchPasses(const PartitionSnapshot& split, const passes::PassObserver& observer,
                               base::Progress progress) {
    AOTSCOPE_TRY(partition, passes::partitionJointGraph(split.joint->graph, split.options,
                                                        std::move(progress), observer));
    const std::vector<passes::InlinedHook>& hooks = split.function.partition->hooks;
    if (hooks.empty()) {
        return {};
    }
    auto inlined = passes::inlineHooks(partition, passes::HookFilter::All, {}, tracedBefore(hooks), observer);
    return inlined ? base::Result<void>() : std::move(inlined).error();
}

} // namespace aotscope::session
