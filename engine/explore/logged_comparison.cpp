#include "explore/logged_comparison.h"

#include "files/logged_partitions.h"

#include "aot/config_verdict.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace aotscope::session {
namespace {

/// The configuration of the halves, for both verdicts.
std::vector<std::string> configurationOf(const PartitionSnapshot& split) {
    std::vector<std::string> lines;
    const bool isDefault = split.options.partitioner == passes::Partitioner::Default;
    lines.push_back(partitionerLine(split.options.partitioner, split.partitionerSource));
    if (!isDefault) {
        std::string budget = std::to_string(split.options.memoryBudget);
        budget.erase(budget.find_last_not_of('0') + 1);
        lines.push_back("activation_memory_budget = " + budget + (budget.ends_with('.') ? "0" : ""));
    }
    std::ranges::copy_if(
        aot::configurationLines(split.config, split.rules.release(), aot::touches::partition),
        std::back_inserter(lines), [](const std::string& line) {
            // Said above with what a person chose.
            return !line.starts_with("activation_memory_budget = ");
        });
    for (const passes::NodeChoice& choice : split.choices.nodes) {
        lines.push_back("chosen: " + choice.node +
                        (choice.choice == passes::Forced::Save ? " is saved" : " is recomputed"));
    }
    lines.push_back(split.rules.text());
    return lines;
}

ir::GraphPtr graphOf(const GraphSnapshotPtr& snapshot) {
    return snapshot ? snapshot->graph : nullptr;
}

} // namespace

judge::HalvesVerdict compareWithLogged(const PartitionSnapshot& split, const JointInput& input,
                                       const LoggedHalves& logged, const base::Progress& progress) {
    const judge::MadeHalves made{
        .joint = split.joint->graph,
        .options = split.options,
        .isPartitionerAssumed = split.partitionerSource == PartitionerSource::Assumed,
        .isChosen = split.choices.partitioner || split.choices.memoryBudget || !split.choices.nodes.empty(),
        .partition = *split.partition,
        .inlined = *split.function.partition,
        .config = split.config,
        .torch = split.rules.release(),
        .configuration = configurationOf(split)};
    judge::LoggedAnswer answer;
    answer.graphs = {graphOf(logged.forward), graphOf(logged.backward), graphOf(logged.hookedForward),
                     graphOf(logged.hookedBackward), logged.hooks};
    answer.forwardOutputs = forwardOutputsOf(*answer.graphs.forward, *answer.graphs.backward);
    answer.metadata = logged.metadata;
    answer.stateSymbols = logged.stateSymbols;
    answer.isText = input.log->traceLog != nullptr;
    answer.isPartitionerNamed = !logged.partitioner.empty();
    answer.isJointRewritten = input.isJointRewritten;
    return judge::judgeHalves(made, answer, progress);
}

} // namespace aotscope::session
