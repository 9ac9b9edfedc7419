#include "passes/pass_manager.h"

#include "passes/assemble.h"
#include "passes/classify_nodes.h"
#include "passes/cut_joint.h"
#include "passes/functional_rng.h"
#include "passes/pass_watch.h"
#include "passes/program_flow.h"
#include "passes/subgraph_partition.h"
#include "passes/tensorify_floats.h"
#include "passes/unlift_tokens.h"

#include "ir/operators/operator.h"

#include <array>
#include <string>
#include <tuple>
#include <utility>

namespace aotscope::passes {
namespace {

base::Result<Splitting> tensorify(Splitting split) {
    split.partition.joint = tensorifyFloats(split.partition.joint, split.options.rules);
    return split;
}

base::Result<Splitting> splitSubgraphs(Splitting split) {
    AOTSCOPE_TRY(joint, partitionSubgraphs(split.partition.joint, split.options));
    split.partition.joint = std::move(joint);
    return split;
}

/// Whether the only mutations are copies and assignments into inputs (_is_functional_graph).
bool isFunctional(const JointProgram& program) {
    for (Index i = 0; i < program.size(); ++i) {
        if (!program[i].is(OpMutable)) {
            continue;
        }
        const bool allowed = ir::Operator(program.node(i).target).is(ir::Trait::AssignsInput);
        const Index into = program.argument(i, 0);
        if (!allowed || into == noIndex || program[into].opcode != ir::Opcode::Placeholder) {
            return false;
        }
    }
    return true;
}

/// The default partitioner keeps dead code.
base::Result<Splitting> removeDeadCode(Splitting split) {
    const ir::Graph& joint = *split.partition.joint;
    split.flags = nodeFlags(joint, split.options.rules);
    if (split.options.partitioner == Partitioner::Default) {
        split.cleaned = {{joint.order().begin(), joint.order().end()},
                         std::vector<ir::NodeId>(joint.idBound())};
        split.program = programOf(split);
        // As in PyTorch, recomputation in a graph with mutations is left to the min-cut partitioner.
        if (!hasRecomputableNodes(*split.program) || isFunctional(*split.program)) {
            return split;
        }
        split.program.reset();
        split.options.partitioner = Partitioner::MinCut;
    }
    split.cleaned = withoutDeadCode(joint, split.options, split.flags);
    return split;
}

base::Result<Splitting> mergeEqual(Splitting split) {
    if (split.options.partitioner == Partitioner::MinCut) {
        split.cleaned =
            withoutEqualCalls(*split.partition.joint, std::move(split.cleaned), split.options, split.flags);
    }
    return split;
}

/// Random operators are wrapped before the nodes are ordered, as in PyTorch.
base::Result<Splitting> wrapRandom(Splitting split) {
    if (hasRecomputableRandom(*split.program)) {
        const Halves& halves = *split.halves;
        std::tie(split.partition.forward, split.partition.backward) = functionalizeRandom(
            *split.program, halves, *extractedHalf(*split.program, halves.forward),
            *extractedHalf(*split.program, halves.backward), split.options.generatorStateSymbols);
        split.isBackwardReordered = true;
    }
    return split;
}

std::vector<std::uint32_t> finalOrder(const ProgramFlow& flow, bool likeAutograd) {
    std::vector<std::uint32_t> order = likeAutograd ? orderLikeAutograd(flow) : programOrder(flow);
    raiseGetitems(flow, order);
    return order;
}

base::Result<Splitting> orderNodes(Splitting split) {
    const auto order = [&program = *split.program](ir::GraphPtr& built, const ExtractedGraph& half,
                                                   bool likeAutograd) {
        built = built
                    ? reorderedGraph(*built, finalOrder(flowOf(*built), likeAutograd))
                    : assembleGraph(program, half, finalOrder(flowOf(program, half), likeAutograd)).finish();
    };
    order(split.partition.forward, split.halves->forward, false);
    order(split.partition.backward, split.halves->backward, split.isBackwardReordered);
    return split;
}

base::Result<Splitting> unliftEffects(Splitting split) {
    if (split.options.unliftTokens) {
        split.partition = unliftTokens(std::move(split.partition));
    }
    return split;
}

std::vector<PassGraph> graphsOf(const Splitting& split) {
    if (split.partition.forward) {
        return halvesOf(split.partition);
    }
    if (split.halves) {
        return {{"forward", extractedHalf(*split.program, split.halves->forward)},
                {"backward", extractedHalf(*split.program, split.halves->backward)}};
    }
    const bool isCleaned = !split.cleaned.replacement.empty();
    return {
        {"joint", isCleaned ? cleanedGraph(split.partition.joint, split.cleaned) : split.partition.joint}};
}

constexpr std::array passesToHalves{Pass{PassKind::Tensorify, tensorify},
                                    Pass{PassKind::Subgraphs, splitSubgraphs},
                                    Pass{PassKind::DeadCode, removeDeadCode},
                                    Pass{PassKind::MergeEqual, mergeEqual},
                                    Pass{PassKind::Cut, cutJoint},
                                    Pass{PassKind::Rng, wrapRandom},
                                    Pass{PassKind::Order, orderNodes},
                                    Pass{PassKind::EffectTokens, unliftEffects}};

} // namespace

std::span<const Pass> partitionPasses() {
    return passesToHalves;
}

base::Result<Splitting> runPasses(std::span<const Pass> passes, Splitting split, base::Progress progress,
                                  const PassObserver& observer, bool verify) {
    const auto graphs = [&split] { return graphsOf(split); };
    PassWatch watch(observer, verify, graphs);
    for (std::size_t i = 0; i < passes.size(); ++i) {
        AOTSCOPE_CHECK(progress.checkStop());
        progress.report("partition: " + std::string(base::wordOf(passes[i].kind)), i, passes.size());
        auto passed = passes[i].run(std::move(split));
        if (!passed) {
            return passed;
        }
        split = std::move(passed).value();
        AOTSCOPE_CHECK(watch.passed(passes[i].kind, graphs));
    }
    return split;
}

base::Result<Partition> partitionJointGraph(const ir::GraphPtr& joint, const PartitionOptions& options,
                                            base::Progress progress, const PassObserver& observer) {
    Splitting split{.options = options, .partition = {}};
    split.partition.joint = joint;
    split.partition.rules = options.rules;
    split.partition.donatesBuffers = options.donatesBuffers;
    auto halves = runPasses(partitionPasses(), std::move(split), std::move(progress), observer);
    return halves ? base::Result<Partition>(std::move(halves->partition)) : std::move(halves).error();
}

std::vector<PassGraph> halvesOf(const Partition& partition) {
    return {{"forward", partition.forward}, {"backward", partition.backward}};
}

ir::GraphPtr extractedHalf(const JointProgram& program, const ExtractedGraph& half) {
    return assembleGraph(program, half, programOrder(flowOf(program, half))).finish();
}

} // namespace aotscope::passes
