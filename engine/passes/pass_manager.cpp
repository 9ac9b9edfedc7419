#include "passes/pass_manager.h"

#include "passes/assemble.h"
#include "passes/classify_nodes.h"
#include "passes/cut_joint.h"
#include "passes/functional_rng.h"
#include "passes/pass_watch.h"
#include "passes/subgraph_partition.h"
#include "passes/tensorify_floats.h"
#include "passes/unlift_tokens.h"

#include "ir/operators/operator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace aotscope::passes {

namespace {

enum class FlowKind : std::uint8_t { Call, Placeholder, Tangent, Getitem, CopyInto, Output };

/// A graph reduced to what ordering needs: kinds and inputs of nodes, by position; the output is last.
struct ProgramFlow {
    std::vector<FlowKind> kinds;
    std::vector<std::uint32_t> inputOffsets{0};
    std::vector<std::uint32_t> inputs;

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kinds.size()); }
    [[nodiscard]] std::span<const std::uint32_t> inputsOf(std::uint32_t i) const {
        return std::span(inputs).subspan(inputOffsets[i], inputOffsets[i + 1] - inputOffsets[i]);
    }
};

constexpr std::uint32_t none = 0xFFFFFFFFU;

/// Position of the first node that uses a tangent; `none` if no node does.
std::uint32_t firstBackwardNode(const ProgramFlow& flow) {
    for (std::uint32_t i = 0; i < flow.size(); ++i) {
        for (const std::uint32_t input : flow.inputsOf(i)) {
            if (flow.kinds[input] == FlowKind::Tangent) {
                return i;
            }
        }
    }
    return none;
}

/// Appends nodes, each after everything it needs.
class Inserter {
public:
    explicit Inserter(const ProgramFlow& flow) : m_flow(flow), m_placed(flow.size(), false) {}

    void place(std::uint32_t i) {
        m_placed[i] = true;
        m_order.push_back(i);
    }

    void insert(std::uint32_t wanted) {
        m_stack.assign(1, wanted);
        m_needed.clear();
        while (!m_stack.empty()) {
            const std::uint32_t i = m_stack.back();
            m_stack.pop_back();
            if (!m_placed[i]) {
                m_placed[i] = true;
                m_needed.push_back(i);
                const auto inputs = m_flow.inputsOf(i);
                m_stack.insert(m_stack.end(), inputs.begin(), inputs.end());
            }
        }
        std::ranges::sort(m_needed);
        m_order.insert(m_order.end(), m_needed.begin(), m_needed.end());
    }

    std::vector<std::uint32_t> take() { return std::move(m_order); }

private:
    const ProgramFlow& m_flow;
    std::vector<bool> m_placed;
    std::vector<std::uint32_t> m_order;
    std::vector<std::uint32_t> m_stack;
    std::vector<std::uint32_t> m_needed;
};

FlowKind flowKindOf(std::uint32_t op, InputRole role) {
    if (role == InputRole::Tangent) {
        return FlowKind::Tangent;
    }
    if (role != InputRole::None) {
        return FlowKind::Placeholder;
    }
    if ((op & OpGetitem) != 0) {
        return FlowKind::Getitem;
    }
    return (op & OpCopyInto) != 0 ? FlowKind::CopyInto : FlowKind::Call;
}

/// Positions count the extracted graph's inputs, then its nodes, then its output.
ProgramFlow flowOf(const JointProgram& program, const ExtractedGraph& extracted) {
    ProgramFlow flow;
    std::vector<std::uint32_t> positionOf(program.size(), none);
    const std::size_t total = extracted.inputs.size() + extracted.nodes.size() + 1;
    flow.kinds.reserve(total);
    flow.inputOffsets.reserve(total + 1);
    for (const Index input : extracted.inputs) {
        positionOf[input] = flow.size();
        const bool tangent = program[input].role == InputRole::Tangent;
        flow.kinds.push_back(tangent ? FlowKind::Tangent : FlowKind::Placeholder);
        flow.inputOffsets.push_back(0);
    }
    for (const Index i : extracted.nodes) {
        positionOf[i] = flow.size();
        flow.kinds.push_back(flowKindOf(program[i].op, program[i].role));
        for (const Index input : program.inputs(i)) {
            flow.inputs.push_back(positionOf[input]);
        }
        flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    }
    flow.kinds.push_back(FlowKind::Output);
    for (const ReturnedValue& value : extracted.returned) {
        if (value.node != noIndex) {
            flow.inputs.push_back(positionOf[value.node]);
        }
    }
    flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    return flow;
}

/// Positions are those in the graph's program order.
ProgramFlow flowOf(const ir::Graph& graph) {
    ProgramFlow flow;
    const NodeFlags flags = nodeFlags(graph, {});
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        FlowKind kind = FlowKind::Call;
        if (node.op == ir::Opcode::Placeholder) {
            kind = ir::isTangentOrBackwardToken(node) ? FlowKind::Tangent : FlowKind::Placeholder;
        } else if (node.op == ir::Opcode::Output) {
            kind = FlowKind::Output;
        } else if (node.op == ir::Opcode::CallFunction) {
            kind = flowKindOf(flags[id.index()], InputRole::None);
        }
        flow.kinds.push_back(kind);
        for (const ir::NodeId input : graph.inputs(id)) {
            flow.inputs.push_back(graph.position(input));
        }
        flow.inputOffsets.push_back(static_cast<std::uint32_t>(flow.inputs.size()));
    }
    return flow;
}

std::vector<std::uint32_t> programOrder(const ProgramFlow& flow) {
    std::vector<std::uint32_t> order(flow.size());
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

/// From the first node that uses a tangent on, inserts before each node the earlier nodes that it needs and
/// that are not placed yet, so that recomputed values have short live ranges. Follows torch 2.11,
/// torch/_functorch/partitioners.py: reordering_to_mimic_autograd_engine.
std::vector<std::uint32_t> orderLikeAutograd(const ProgramFlow& flow) {
    const std::uint32_t first = firstBackwardNode(flow);
    if (first == none) {
        return programOrder(flow);
    }
    Inserter inserter(flow);
    for (std::uint32_t i = 0; i < flow.size(); ++i) {
        if (flow.kinds[i] == FlowKind::Placeholder || flow.kinds[i] == FlowKind::Tangent) {
            inserter.place(i);
        }
    }
    for (std::uint32_t i = 0; i < first; ++i) {
        if (flow.kinds[i] == FlowKind::CopyInto) {
            inserter.insert(i);
        }
    }
    for (std::uint32_t i = first; i < flow.size(); ++i) {
        inserter.insert(i);
    }
    return inserter.take();
}

/// Moves each getitem directly after its input. Follows torch 2.11, torch/_functorch/compile_utils.py:
/// raise_getitems.
void raiseGetitems(const ProgramFlow& flow, std::vector<std::uint32_t>& order) {
    // A linked list with a head at position `size`.
    const std::uint32_t head = flow.size();
    std::vector<std::uint32_t> next(head + 1, head);
    std::vector<std::uint32_t> previous(head + 1, head);
    const auto link = [&](std::uint32_t left, std::uint32_t right) {
        next[left] = right;
        previous[right] = left;
    };
    std::uint32_t last = head;
    for (const std::uint32_t i : order) {
        link(std::exchange(last, i), i);
    }
    link(last, head);
    std::for_each(order.rbegin(), order.rend(), [&](std::uint32_t i) {
        const auto inputs = flow.inputsOf(i);
        if (flow.kinds[i] == FlowKind::Getitem && inputs.size() == 1) {
            link(previous[i], next[i]);
            link(i, next[inputs[0]]);
            link(inputs[0], i);
        }
    });
    order.clear();
    for (std::uint32_t i = next[head]; i != head; i = next[i]) {
        order.push_back(i);
    }
}

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
