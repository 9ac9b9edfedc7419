#include "judge/halves_verdict.h"

#include "base/joined.h"
#include "judge/halves_differences.h"
#include "judge/saved_comparison.h"

#include "aot/config_verdict.h"
#include "ir/compare/first_difference.h"

#include <algorithm>
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

HalfGraphs graphsOf(const MadeHalves& made) {
    HalfGraphs graphs{made.partition.forward, made.partition.backward};
    if (!made.inlined.hooks.empty()) {
        graphs.hookedForward = made.inlined.forward;
        graphs.hookedBackward = made.inlined.backward;
        graphs.hooks = made.inlined.hooks;
    }
    return graphs;
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
/// own.
base::Verdict graphsVerdict(const HalfGraphs& made, const LoggedAnswer& logged,
                            const std::vector<std::string>& differences, const std::string& renamed) {
    base::Verdict verdict;
    verdict.compared.emplace_back("forward and backward: operators, arguments, printed metadata, names and "
                                  "order of the nodes");
    if (areHooked(made, logged.graphs)) {
        verdict.compared.emplace_back("the same before and after saved-tensors hooks, and each pack and "
                                      "unpack graph");
    } else if (logged.graphs.hookedForward) {
        verdict.notCompared.emplace_back("the halves with saved-tensors hooks: none are inlined here");
    }
    verdict.notCompared.emplace_back("descriptors of the forward's outputs, source comments");
    if (differences.empty()) {
        verdict.word = renamed.empty() ? base::VerdictWord::Equal : base::VerdictWord::EqualUpToNames;
        verdict.reason = renamed;
    } else if (logged.isJointRewritten) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = "Inductor rewrote the joint graph before the partition (constant folding, pattern "
                         "matching, removal of copies, views and pairs of permutations, its own random "
                         "operators), and these passes are not here";
        verdict.notCompared.push_back("from the first difference on: " + differences.front());
    } else if (isEqualUpToNames(made, logged.graphs)) {
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
bool isOnlyOfDefault(const MadeHalves& made, const HalfGraphs& graphs, const LoggedAnswer& logged,
                     const base::Progress& progress) {
    if (!made.isPartitionerAssumed || logged.isPartitionerNamed || areLogged(graphs, logged.graphs)) {
        return false;
    }
    passes::PartitionOptions options = made.options;
    options.partitioner = passes::Partitioner::Default;
    options.generatorStateSymbols = logged.stateSymbols;
    const auto other =
        passes::partitionJointGraph(made.joint, options, base::Progress({}, progress.stopToken()));
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
void takeBackDifference(base::Verdict& verdict, const MadeHalves& made) {
    const auto doubt = made.isChosen ? aot::doubtNotFollowed : aot::doubtDifference;
    doubt(verdict, made.config, made.torch, aot::touches::partition);
    if (made.partition.report.tokensStay && verdict.word == base::VerdictWord::Differs) {
        verdict.word = base::VerdictWord::NotSupported;
        verdict.notCompared.push_back(
            "from the first difference on: " +
            std::exchange(verdict.reason, "effect tokens that go into subgraphs (unlift_effect_tokens)"));
    }
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

HalvesVerdict judgeHalves(const MadeHalves& made, const LoggedAnswer& logged,
                          const base::Progress& progress) {
    const HalfGraphs own = graphsOf(made);
    const passes::StateSymbols& ours = made.options.generatorStateSymbols;
    const HalfGraphs graphs = withStateSymbols(own, ours, logged.stateSymbols);
    HalvesVerdict judged;
    judged.differences = halvesDifferences(graphs, logged.graphs, logged.isText);
    judged.saved = savedVerdict(
        compareSaved(made.partition, *graphs.forward, *logged.graphs.forward, logged.forwardOutputs));
    judged.graphs = graphsVerdict(graphs, logged, judged.differences,
                                  renamedText(own, graphs, ours, logged.stateSymbols));
    const bool isOther =
        judged.graphs.word == base::VerdictWord::Differs && isOnlyOfDefault(made, graphs, logged, progress);
    if (isOther) {
        blamePartitioner(judged.saved);
        blamePartitioner(judged.graphs);
        judged.graphs.notCompared.emplace_back(
            "what hooks and the partition's metadata add to the halves of the default partitioner");
    }
    for (base::Verdict* verdict : {&judged.saved, &judged.graphs}) {
        verdict->configuration = made.configuration;
        takeBackDifference(*verdict, made);
    }
    // The log describes the halves that ran.
    const bool isHooked = areHooked(graphs, logged.graphs);
    if (logged.metadata && !isOther && (isHooked || !logged.graphs.hookedForward)) {
        judged.metadataDifferences =
            metadataDifferences(isHooked ? made.inlined : made.partition, *logged.metadata);
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
