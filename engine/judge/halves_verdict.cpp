#include "judge/halves_verdict.h"

#include "judge/half_graphs.h"
#include "judge/halves_differences.h"
#include "judge/logged_answer.h"
#include "judge/saved_comparison.h"

#include "aot/config_verdict.h"
#include "ir/compare/first_difference.h"

#include "base/joined.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::judge {
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

HalfGraphs graphsOf(const session::PartitionSnapshot& split) {
    HalfGraphs graphs{split.partition->forward, split.partition->backward};
    const passes::Partition& inlined = *split.function.partition;
    if (!inlined.hooks.empty()) {
        graphs.hookedForward = inlined.forward;
        graphs.hookedBackward = inlined.backward;
        graphs.hooks = inlined.hooks;
    }
    return graphs;
}

/// The configuration of the halves, for both verdicts.
std::vector<std::string> configurationOf(const session::PartitionSnapshot& split) {
    std::vector<std::string> lines;
    const bool isDefault = split.options.partitioner == passes::Partitioner::Default;
    lines.push_back(session::partitionerLine(split.options.partitioner, split.partitionerSource));
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

base::Verdict savedVerdict(const SavedComparison& saved) {
    base::Verdict verdict;
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
    verdict.word = reasons.empty() ? base::VerdictWord::Equal : base::VerdictWord::Differs;
    verdict.reason = base::joined(reasons, "; ");
    return verdict;
}

bool isEqualUpToNames(const HalfGraphs& made, const HalfGraphs& logged) {
    const auto isAlike = [](const ir::GraphPtr& ours, const ir::GraphPtr& theirs) {
        return !ir::firstDifference(*ours, *theirs, {.ignoreNames = true});
    };
    return !areHooked(made, logged) && isAlike(made.forward, logged.forward) &&
           isAlike(made.backward, logged.backward);
}

/// `renamed`: what is said of graphs that are equal with the log's names for some symbols; empty: with their
/// own. `isJointRewritten`: by Inductor, before it split the joint graph.
base::Verdict graphsVerdict(const HalfGraphs& made, const HalfGraphs& logged,
                            const std::vector<std::string>& differences, const std::string& renamed,
                            bool isJointRewritten) {
    base::Verdict verdict;
    verdict.compared.emplace_back("forward and backward: operators, arguments, printed metadata, names and "
                                  "order of the nodes");
    if (areHooked(made, logged)) {
        verdict.compared.emplace_back("the same before and after saved-tensors hooks, and each pack and "
                                      "unpack graph");
        verdict.notCompared.emplace_back(
            "what the record of the hooks repeats: its lists of names, its mode, "
            "and the halves as printed before its assertions");
    } else if (logged.hookedForward) {
        verdict.notCompared.emplace_back("the halves with saved-tensors hooks: none are inlined here");
    }
    verdict.notCompared.emplace_back("descriptors of what the halves return, source comments");
    if (differences.empty()) {
        verdict.word = renamed.empty() ? base::VerdictWord::Equal : base::VerdictWord::EqualUpToNames;
        verdict.reason = renamed;
    } else if (isJointRewritten) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = "Inductor rewrote the joint graph before the partition (constant folding, pattern "
                         "matching, removal of copies, views and pairs of permutations, its own random "
                         "operators), and these passes are not here";
        verdict.notCompared.push_back("from the first difference on: " + differences.front());
    } else if (isEqualUpToNames(made, logged)) {
        verdict.word = base::VerdictWord::EqualUpToNames;
        verdict.reason = differences.front();
    } else {
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = differences.front();
    }
    return verdict;
}

/// Before hooks.
bool areLogged(const HalfGraphs& made, const HalfGraphs& logged) {
    return !differingNode(*made.forward, *logged.forward) && !differingNode(*made.backward, *logged.backward);
}

/// Whether the default partitioner gives the logged halves, and the partitioner that is assumed does not.
bool isOnlyOfDefault(const session::PartitionSnapshot& split, const HalfGraphs& graphs,
                     const LoggedAnswer& logged, const base::Progress& progress) {
    if (split.partitionerSource != session::PartitionerSource::Assumed || !logged.partitioner.empty() ||
        areLogged(graphs, logged.graphs)) {
        return false;
    }
    passes::PartitionOptions options = split.options;
    options.partitioner = passes::Partitioner::Default;
    options.generatorStateSymbols = logged.stateSymbols;
    const auto other =
        passes::partitionJointGraph(split.joint->graph, options, base::Progress({}, progress.stopToken()));
    return other && areLogged({other->forward, other->backward}, logged.graphs);
}

/// A difference from the halves of a partitioner that nobody chose decides nothing.
void blamePartitioner(base::Verdict& verdict) {
    if (verdict.word != base::VerdictWord::Differs) {
        return;
    }
    verdict.word = base::VerdictWord::EqualUnderDefault;
    verdict.notCompared.push_back(
        "under min-cut: " +
        std::exchange(verdict.reason,
                      "min-cut, which is assumed, gives other halves; the log does not name its backend's "
                      "partitioner (--partitioner default, or the Partition menu, chooses it)"));
}

/// A difference that an option may have caused, or tokens that stay, is none of the partition.
void takeBackDifference(base::Verdict& verdict, const session::PartitionSnapshot& split) {
    const session::PartitionChoices& choices = split.choices;
    const bool isChosen = choices.partitioner || choices.memoryBudget || !choices.nodes.empty();
    const auto doubt = isChosen ? aot::doubtNotFollowed : aot::doubtDifference;
    doubt(verdict, split.config, split.rules.release(), aot::touches::partition);
    if (split.partition->report.tokensStay && verdict.word == base::VerdictWord::Differs) {
        verdict.word = base::VerdictWord::NotSupported;
        verdict.notCompared.push_back(
            "from the first difference on: " +
            std::exchange(verdict.reason, "effect tokens that go into subgraphs (unlift_effect_tokens)"));
    }
}

/// A difference of halves that come of a traced joint graph which decides nothing itself. Returns whether
/// there was one.
bool doubtJoint(base::Verdict& verdict, const session::PartitionSnapshot& split) {
    if (verdict.word != base::VerdictWord::Differs || !split.jointDoubt) {
        return false;
    }
    verdict.word = split.jointDoubt->word;
    verdict.notCompared.push_back(
        "from the first difference on: " +
        std::exchange(verdict.reason, "the traced joint graph may be another than the logged one: " +
                                          split.jointDoubt->reason));
    return true;
}

/// "the size of a random generator's state is s14 in the log and s100 here: …"; empty: it has one name.
std::string renamedText(const HalfGraphs& made, const HalfGraphs& renamed, const passes::StateSymbols& ours,
                        const passes::StateSymbols& theirs) {
    if (made.forward == renamed.forward && made.backward == renamed.backward) {
        return {};
    }
    std::string text;
    for (const auto& [bytes, symbol] : ours) {
        if (const auto other = theirs.find(bytes); other != theirs.end()) {
            text += (text.empty() ? "" : "; ") + std::string("the size of a random generator's state is ") +
                    other->second + " in the log and " + symbol + " here";
        }
    }
    return text + ": PyTorch names it by how many tensors it had made before";
}

} // namespace

session::HalvesComparison judgeHalves(const session::PartitionSnapshot& split, const LoggedAnswer& logged,
                                      const base::Progress& progress) {
    const HalfGraphs own = graphsOf(split);
    const passes::StateSymbols& ours = split.options.generatorStateSymbols;
    const HalfGraphs graphs = withStateSymbols(own, ours, logged.stateSymbols);
    const bool isHooked = areHooked(graphs, logged.graphs);
    session::HalvesComparison judged;
    judged.loggedForward = isHooked ? logged.hookedForward : logged.forward;
    judged.loggedBackward = isHooked ? logged.hookedBackward : logged.backward;
    judged.lacksHooks = logged.hookedForward && !graphs.hookedForward;
    judged.differences = halvesDifferences(graphs, logged.graphs, logged.isText);
    base::Verdict& saved = judged.savedVerdict.emplace(savedVerdict(
        compareSaved(*split.partition, *graphs.forward, *logged.graphs.forward, logged.forwardOutputs)));
    base::Verdict& alike = judged.graphsVerdict.emplace(
        graphsVerdict(graphs, logged.graphs, *judged.differences,
                      renamedText(own, graphs, ours, logged.stateSymbols), split.isJointRewritten));
    const bool isOther =
        alike.word == base::VerdictWord::Differs && isOnlyOfDefault(split, graphs, logged, progress);
    if (isOther) {
        blamePartitioner(saved);
        blamePartitioner(alike);
        alike.notCompared.emplace_back(
            "what hooks and the partition's metadata add to the halves of the default partitioner");
    }
    bool isDoubtful = false;
    for (base::Verdict* verdict : {&saved, &alike}) {
        verdict->configuration = configurationOf(split);
        const bool wasDifferent = verdict->word == base::VerdictWord::Differs;
        takeBackDifference(*verdict, split);
        const bool isTakenBack = wasDifferent && verdict->word != base::VerdictWord::Differs;
        isDoubtful = doubtJoint(*verdict, split) || isTakenBack || isDoubtful;
    }
    // The log describes the halves that ran.
    if (logged.metadata && !isOther && !isDoubtful && (isHooked || !logged.graphs.hookedForward)) {
        const bool isTraced = split.function.program != nullptr;
        judged.metadataDifferences = metadataDifferences(
            isHooked ? *split.function.partition : *split.partition, isTraced, *logged.metadata);
        if (!isTraced) {
            alike.notCompared.emplace_back(
                "num_tensors_saved_with_no_vc_check, num_opaque_objects_saved_for_bw, "
                "num_backward_tokens: a logged joint graph shows none of them");
        }
    }
    return judged;
}

base::VerdictWord halvesWord(const base::Verdict& saved, const base::Verdict& graphs, bool isJointRewritten) {
    if (!saved.isEqual()) {
        return saved.word;
    }
    return isJointRewritten && graphs.word == base::VerdictWord::NotComparable ? saved.word : graphs.word;
}

} // namespace aotscope::judge
