#include "passes/partition.h"

#include "passes/assemble.h"
#include "passes/classify_nodes.h"
#include "passes/default_saves.h"
#include "passes/functional_rng.h"
#include "passes/halves.h"
#include "passes/merge_equal.h"
#include "passes/node_annotations.h"
#include "passes/program_flow.h"
#include "passes/saved_values.h"
#include "passes/subgraph_partition.h"
#include "passes/tensorify_floats.h"
#include "passes/unlift_tokens.h"

#include "ir/operators/operator.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

class Partitioning {
public:
    /// `isBudgetAnnotated`: the options' budget is the program's.
    Partitioning(const ir::Graph& joint, const PartitionOptions& options, bool isBudgetAnnotated,
                 base::Progress progress)
        : m_joint(joint),
          m_options(options),
          m_isBudgetAnnotated(isBudgetAnnotated),
          m_progress(std::move(progress)),
          m_flags(nodeFlags(joint, options.rules)) {}

    base::Result<Partition> run() {
        m_partition.report.partitioner = m_options.partitioner;
        m_partition.report.nodes.resize(m_joint.idBound());
        if (m_options.memoryBudget < 0 || m_options.memoryBudget > 1) {
            return base::Error{.code = "passes.memory_budget",
                               .message = "A memory budget lies between 0 and 1."};
        }
        if (m_options.partitioner == Partitioner::MinCut) {
            return minCut();
        }
        const Cleaned all{{m_joint.order().begin(), m_joint.order().end()},
                          std::vector<ir::NodeId>(m_joint.idBound())};
        JointProgram program(m_joint, all.order, all.replacement, m_options, m_flags);
        return byDefault(program);
    }

private:
    base::Result<Partition> minCut() {
        m_progress.report("partition: clean", 0, 4);
        const Cleaned cleaned = cleanJointGraph(m_joint, m_options, m_flags);
        noteMerged(cleaned);
        JointProgram program(m_joint, cleaned.order, cleaned.replacement, m_options, m_flags);
        if (auto checked = checkJoint(program); !checked) {
            return std::move(checked).error();
        }
        if (auto marked = forceSaves(program, m_options); !marked) {
            return std::move(marked).error();
        }
        auto classes = classifyNodes(program, m_options);
        if (!classes) {
            return std::move(classes).error();
        }
        if (!classes->anyRequiredBackward) {
            m_partition.report.fellBackToDefault = true;
            return byDefault(program);
        }
        if (auto covered = checkBudgetCoverage(program, *classes); !covered) {
            return std::move(covered).error();
        }
        m_progress.report("partition: cut", 1, 4);
        CutInput input{program, *classes, m_options, distancesFromBackward(program, *classes), {}};
        if (auto chosen = readChoices(program, input.forced); !chosen) {
            return std::move(chosen).error();
        }
        auto saved = chooseSavedValues(input);
        if (!saved) {
            return std::move(saved).error();
        }
        if (m_progress.stopRequested()) {
            return base::canceledError();
        }
        m_progress.report("partition: extract", 2, 4);
        std::vector<Index> tensors;
        std::vector<Index> symbols;
        for (const Index i : saved->values) {
            if (!(m_options.rules.assertedConditionsAreNotSaved && isOnlyAsserted(program, i))) {
                (program[i].isSymbolic() ? symbols : tensors).push_back(i);
            }
        }
        auto halves = extractHalves(program, std::move(tensors), std::move(symbols), m_options);
        if (!halves) {
            return std::move(halves).error();
        }
        noteNodes(program, *classes);
        noteCut(input, *saved);
        return assemble(program, *halves, true);
    }

    base::Result<Partition> byDefault(JointProgram& program) {
        if (auto checked = checkJoint(program); !checked) {
            return std::move(checked).error();
        }
        PartitionOptions options = m_options;
        options.partitioner = Partitioner::Default;
        const bool hasRecomputable = hasRecomputableNodes(program);
        if (hasRecomputable && !isFunctional(program) && m_options.partitioner == Partitioner::Default) {
            // As in PyTorch, recomputation in a graph with mutations is left to the min-cut partitioner.
            options.partitioner = Partitioner::MinCut;
            Partitioning other(m_joint, options, m_isBudgetAnnotated, m_progress);
            return other.run();
        }
        if (auto marked = forceSaves(program, options); !marked) {
            return std::move(marked).error();
        }
        auto classes = classifyNodes(program, options);
        if (!classes) {
            return std::move(classes).error();
        }
        auto saves = defaultSaves(program, options);
        if (!saves) {
            return std::move(saves).error();
        }
        auto halves = extractHalves(program, std::move(saves->tensors), std::move(saves->symbols), options);
        if (!halves) {
            return std::move(halves).error();
        }
        removeIdleCollectives(program, halves->forward);
        removeIdleCollectives(program, halves->backward);
        noteNodes(program, *classes);
        for (Index i = 0; i < program.size(); ++i) {
            m_partition.report.nodes[program[i].id.index()].byTag =
                program[i].recompute != RecomputeTag::None;
        }
        return assemble(program, *halves, hasRecomputable);
    }

    /// A budget that the program gives has to hold for the whole forward, unless an option says otherwise.
    base::Result<void> checkBudgetCoverage(const JointProgram& program, const NodeClasses& classes) const {
        if (!m_options.budgetRequiresFullCoverage || !m_isBudgetAnnotated) {
            return {};
        }
        std::vector<ir::NodeId> forward;
        for (Index i = 0; i < program.size(); ++i) {
            if (classes.requiredForward[i]) {
                forward.push_back(program[i].id);
            }
        }
        const std::vector<std::string> without = operatorsWithoutBudget(m_joint, forward);
        if (without.empty()) {
            return {};
        }
        base::Error error{.code = "passes.memory_budget",
                          .message = "The program gives a memory budget that does not hold for " +
                                     std::to_string(without.size()) + " of the forward's operators (" +
                                     without.front() + (without.size() > 1 ? ", …" : "") +
                                     "), which PyTorch refuses.",
                          .hint = "Put the whole forward into one region, or choose --config "
                                  "activation_memory_budget_require_full_coverage=False."};
        error.place.node = without.front();
        return error;
    }

    static base::Result<void> checkJoint(const JointProgram& program) {
        if (program.output() == noIndex || program.primals.empty()) {
            return base::Error{
                .code = "passes.not_joint",
                .message = "This is not a joint graph: it has no inputs of the forward or returns nothing.",
                .hint = "Give the joint graph that AOTAutograd made (aot_joint_graph in a log)."};
        }
        return {};
    }

    /// Whether the only mutations are copies and assignments into inputs (_is_functional_graph).
    static bool isFunctional(const JointProgram& program) {
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

    static void removeIdleCollectives(const JointProgram& program, ExtractedGraph& half) {
        std::vector<bool> used(program.size(), false);
        for (const ReturnedValue& value : half.returned) {
            if (value.node != noIndex) {
                used[value.node] = true;
            }
        }
        std::vector<Index> kept;
        kept.reserve(half.nodes.size());
        for (auto i = half.nodes.rbegin(); i != half.nodes.rend(); ++i) {
            if (used[*i] || !program[*i].is(OpCollective)) {
                kept.push_back(*i);
                for (const Index input : program.inputs(*i)) {
                    used[input] = true;
                }
            }
        }
        half.nodes.assign(kept.rbegin(), kept.rend());
    }

    base::Result<void> readChoices(const JointProgram& program,
                                   std::vector<std::optional<Forced>>& forced) const {
        forced.assign(program.size(), std::nullopt);
        for (const NodeChoice& choice : m_options.choices) {
            const auto id = m_joint.tryFind(choice.node);
            if (!id) {
                base::Error error;
                error.code = "passes.no_such_node";
                error.place.node = choice.node;
                error.message = "The joint graph has no node \"" + choice.node + "\".";
                return error;
            }
            // A choice for a node that was merged into an equal one applies to that one.
            const Index index = program.indexOf(*id);
            if (index != noIndex) {
                forced[index] = choice.choice;
            }
        }
        return {};
    }

    base::Result<Partition> assemble(const JointProgram& program, const Halves& halves, bool likeAutograd) {
        m_progress.report("partition: assemble", 3, 4);
        if (hasRecomputableRandom(program)) {
            assembleWithRandom(program, halves);
        } else {
            const ProgramFlow forward = flowOf(program, halves.forward);
            const ProgramFlow backward = flowOf(program, halves.backward);
            m_partition.forward =
                ir::Graph::freeze(assembleGraph(program, halves.forward, finalOrder(forward, false)));
            m_partition.backward = ir::Graph::freeze(
                assembleGraph(program, halves.backward, finalOrder(backward, likeAutograd)));
        }
        m_partition.forwardNames = namesGivenIn(program, halves.forward);
        if (!likeAutograd) {
            m_partition.backwardNames = namesGivenIn(program, halves.backward);
        }
        m_partition.forwardOutputs = program.forwardOutputs;
        m_partition.report.forwardOutputs = program.forwardOutputs;
        m_partition.report.unboundSymbols = program.unboundSymbols;
        for (const Index i : halves.savedTensors) {
            m_partition.savedTensors.push_back(program.name(i));
        }
        for (const Index i : halves.savedSymbols) {
            m_partition.savedSymbols.push_back(program.name(i));
        }
        noteFates(program, halves);
        return std::move(m_partition);
    }

    /// Where nodes are ordered like autograd they are copied into a new graph, so that only their own names
    /// are taken.
    static std::vector<std::string> namesGivenIn(const JointProgram& program, const ExtractedGraph& half) {
        std::vector<std::string> names;
        names.reserve(half.inputs.size() + half.copied.size() + 1);
        for (const auto* part : {&half.inputs, &half.copied}) {
            for (const Index i : *part) {
                names.push_back(program.name(i));
            }
        }
        names.emplace_back("output");
        return names;
    }

    static std::vector<std::uint32_t> finalOrder(const ProgramFlow& flow, bool likeAutograd) {
        std::vector<std::uint32_t> order = likeAutograd ? orderLikeAutograd(flow) : programOrder(flow);
        raiseGetitems(flow, order);
        return order;
    }

    /// Random operators are wrapped before the nodes are ordered, as in PyTorch.
    void assembleWithRandom(const JointProgram& program, const Halves& halves) {
        const auto extracted = [&program](const ExtractedGraph& half) {
            const ProgramFlow flow = flowOf(program, half);
            return ir::Graph::freeze(assembleGraph(program, half, programOrder(flow)));
        };
        const auto [forward, backward] =
            functionalizeRandom(program, halves, *extracted(halves.forward), *extracted(halves.backward),
                                m_options.generatorStateSymbols);
        m_partition.forward = reorderedGraph(*forward, finalOrder(flowOf(*forward), false));
        m_partition.backward = reorderedGraph(*backward, finalOrder(flowOf(*backward), true));
    }

    NodeDecision& decision(const JointProgram& program, Index i) {
        return m_partition.report.nodes[program[i].id.index()];
    }

    void noteMerged(const Cleaned& cleaned) {
        for (const ir::NodeId id : m_joint.order()) {
            m_partition.report.nodes[id.index()].mergedInto = cleaned.replacement[id.index()];
        }
    }

    void noteNodes(const JointProgram& program, const NodeClasses& classes) {
        for (Index i = 0; i < program.size(); ++i) {
            NodeDecision& note = decision(program, i);
            note.bytes = program[i].bytes;
            note.forwardOrder = classes.forwardOrder[i];
            if (classes.requiredForward[i]) {
                note.side = NodeSide::RequiredForward;
            } else {
                note.side = classes.requiredBackward[i] ? NodeSide::RequiredBackward : NodeSide::Unclaimed;
            }
        }
    }

    void noteCut(const CutInput& input, SavedValues& saved) {
        const JointProgram& program = input.program;
        for (Index i = 0; i < program.size(); ++i) {
            if (input.distance[i] < unreachableDistance) {
                decision(program, i).distanceFromBackward = input.distance[i];
            }
        }
        m_partition.report.budget = std::move(saved.budget);
        if (!saved.cut) {
            return;
        }
        m_partition.report.cutWeight = saved.cut->value;
        for (Index i = 0; i < program.size(); ++i) {
            NodeDecision& note = decision(program, i);
            if (saved.cut->weights[i] >= 0) {
                note.weight = saved.cut->weights[i];
            }
            note.obstacle =
                program[i].mustRecompute() ? SaveObstacle::MustRecompute : saved.cut->obstacles[i];
            note.bans = std::move(saved.cut->bans.reasons[i]);
        }
        for (const Index i : saved.cut->saved) {
            m_partition.report.cut.push_back({program[i].id, saved.cut->weights[i]});
        }
    }

    void noteFates(const JointProgram& program, const Halves& halves) {
        std::vector<bool> inForward(program.size(), false);
        std::vector<bool> inBackward(program.size(), false);
        for (const auto* part : {&halves.forward.inputs, &halves.forward.nodes}) {
            for (const Index i : *part) {
                inForward[i] = true;
            }
        }
        for (const Index i : halves.backward.nodes) {
            inBackward[i] = true;
        }
        for (Index i = 0; i < program.size(); ++i) {
            if (inForward[i]) {
                decision(program, i).fate =
                    inBackward[i] ? ir::NodeFate::Recomputed : ir::NodeFate::ForwardOnly;
            } else if (inBackward[i] || program[i].role == InputRole::Tangent ||
                       program[i].role == InputRole::BackwardSeed) {
                decision(program, i).fate = ir::NodeFate::BackwardOnly;
            }
        }
        for (const auto* part : {&halves.savedTensors, &halves.savedSymbols}) {
            for (const Index i : *part) {
                decision(program, i).fate = ir::NodeFate::Saved;
            }
        }
    }

    const ir::Graph& m_joint;
    const PartitionOptions& m_options;
    const bool m_isBudgetAnnotated;
    base::Progress m_progress;
    NodeFlags m_flags;
    Partition m_partition;
};

} // namespace

base::Result<Partition> partitionJointGraph(const ir::GraphPtr& joint, const PartitionOptions& options,
                                            base::Progress progress) {
    auto prepared = partitionSubgraphs(tensorifyFloats(joint, options.rules), options);
    if (!prepared) {
        return std::move(prepared).error();
    }
    auto budget = annotatedBudget(**prepared);
    if (!budget) {
        return std::move(budget).error();
    }
    PartitionOptions used = options;
    const bool isAnnotated = *budget && !options.budgetIsChosen;
    if (isAnnotated) {
        used.memoryBudget = **budget;
    }
    auto partition = Partitioning(**prepared, used, isAnnotated, std::move(progress)).run();
    if (partition && options.unliftTokens) {
        partition = unliftTokens(std::move(partition).value());
    }
    if (partition) {
        partition->joint = std::move(prepared).value();
        partition->rules = options.rules;
        partition->donatesBuffers = options.donatesBuffers;
    }
    return partition;
}

} // namespace aotscope::passes
