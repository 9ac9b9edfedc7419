#include "session/explore/halves_verdict.h"

#include "session/explore/saved_comparison.h"

#include "aot/config_verdict.h"
#include "aot/versions/versions.h"
#include "ir/compare/first_difference.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace aotscope::session {
namespace {

constexpr std::size_t mostListed = 3;

std::string firstNames(const std::vector<std::string>& lines) {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.size(), mostListed); ++i) {
        text += (i == 0 ? "" : "; ") + lines[i];
    }
    return lines.size() <= mostListed ? text
                                      : text + "; and " + std::to_string(lines.size() - mostListed) + " more";
}

std::string joinedReason(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += (text.empty() ? "" : "; ") + part;
    }
    return text;
}

/// The configuration of the partition, for both verdicts.
std::vector<std::string> configurationOf(const PartitionSnapshot& split) {
    std::vector<std::string> lines;
    const bool isDefault = split.options.partitioner == passes::Partitioner::Default;
    lines.push_back(std::string("partitioner = ") + (isDefault ? "default" : "min-cut") + " (" +
                    std::string(partitionerSourceName(split.partitionerSource)) + ")");
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

/// What is said of equal halves whose partitioner was found with their help.
std::string inferredText(const PartitionSnapshot& split) {
    return split.partitionerSource == PartitionerSource::LoggedHalves
               ? "with the partitioner read from the log's own halves"
               : std::string();
}

base::Verdict savedVerdict(const PartitionSnapshot& split, const SavedComparison& saved) {
    base::Verdict verdict;
    verdict.configuration = configurationOf(split);
    verdict.compared.push_back("the saved values: set, bytes and order (made " + std::to_string(saved.made) +
                               " with " + std::to_string(saved.madeBytes) + " bytes, logged " +
                               std::to_string(saved.logged) + " with " + std::to_string(saved.loggedBytes) +
                               " bytes)");
    for (const std::string& line : saved.renamed) {
        verdict.compared.push_back("by what it computes: " + line);
    }
    std::vector<std::string> reasons;
    if (!saved.onlyMade.empty()) {
        reasons.push_back("saved only here: " + firstNames(saved.onlyMade));
    }
    if (!saved.onlyLogged.empty()) {
        reasons.push_back("saved only in the log: " + firstNames(saved.onlyLogged));
    }
    if (!saved.changed.empty()) {
        reasons.push_back("saved otherwise: " + firstNames(saved.changed));
    }
    if (!saved.isOrderEqual) {
        reasons.emplace_back("what both save is in another order");
    } else if (!saved.isOrderEqualWithRenamed) {
        verdict.notCompared.emplace_back(
            "the places, in the order, of values that have other names: they are computed elsewhere");
    }
    if (reasons.empty()) {
        verdict.word = base::VerdictWord::Equal;
        verdict.reason = inferredText(split);
    } else {
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = joinedReason(reasons);
    }
    return verdict;
}

bool isEqualUpToNames(const PartitionSnapshot& split, const LoggedHalves& logged) {
    const bool isHooked = !split.function.partition->hooks.empty() && logged.hookedForward;
    const auto isAlike = [](const ir::Graph& made, const GraphSnapshotPtr& other) {
        return !ir::firstDifference(made, *other->graph, {.ignoreNames = true});
    };
    return !isHooked && isAlike(*split.partition.forward, logged.forward) &&
           isAlike(*split.partition.backward, logged.backward);
}

base::Verdict graphsVerdict(const PartitionSnapshot& split, const JointInput& input,
                            const LoggedHalves& logged) {
    base::Verdict verdict;
    verdict.configuration = configurationOf(split);
    verdict.compared.emplace_back("forward and backward: operators, arguments, printed metadata, names and "
                                  "order of the nodes");
    if (!split.function.partition->hooks.empty() && logged.hookedForward && logged.hookedBackward) {
        verdict.compared.emplace_back("the same before and after saved-tensors hooks, and each pack and "
                                      "unpack graph");
    } else if (logged.hookedForward) {
        verdict.notCompared.emplace_back("the halves with saved-tensors hooks: none are inlined here");
    }
    verdict.notCompared.emplace_back("descriptors of the forward's outputs, source comments");
    const std::vector<std::string>& differences = *split.differences;
    if (differences.empty()) {
        verdict.word = base::VerdictWord::Equal;
        verdict.reason = inferredText(split);
    } else if (input.isJointRewritten) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = "Inductor rewrote the joint graph before the partition (constant folding, pattern "
                         "matching, removal of copies, views and pairs of permutations, its own random "
                         "operators), and these passes are not here";
        verdict.notCompared.push_back("from the first difference on: " + differences.front());
    } else if (isEqualUpToNames(split, logged)) {
        verdict.word = base::VerdictWord::EqualUpToNames;
        verdict.reason = differences.front();
    } else {
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = differences.front();
    }
    return verdict;
}

} // namespace

void judgeHalves(PartitionSnapshot& split, const JointInput& input, const LoggedHalves& logged) {
    const SavedComparison saved =
        compareSaved(split.partition, *logged.forward->graph, *logged.backward->graph);
    split.savedVerdict = savedVerdict(split, saved);
    split.graphsVerdict = graphsVerdict(split, input, logged);
    for (base::Verdict* verdict : {&*split.savedVerdict, &*split.graphsVerdict}) {
        aot::doubtDifference(*verdict, split.config, split.rules.release(), aot::touches::partition);
        if (split.partition.report.tokensStay && verdict->word == base::VerdictWord::Differs) {
            verdict->word = base::VerdictWord::NotSupported;
            verdict->notCompared.push_back("from the first difference on: " +
                                           std::exchange(verdict->reason,
                                                         "effect tokens that go into subgraphs "
                                                         "(unlift_effect_tokens)"));
        }
    }
}

base::VerdictWord halvesWord(const PartitionSnapshot& split) {
    const base::Verdict& saved = *split.savedVerdict;
    const base::Verdict& graphs = *split.graphsVerdict;
    if (!saved.isEqual()) {
        return saved.word;
    }
    return graphs.word == base::VerdictWord::NotComparable ? saved.word : graphs.word;
}

} // namespace aotscope::session
