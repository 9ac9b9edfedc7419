#include "passes/cut_joint.h"

#include "passes/classify_nodes.h"
#include "passes/node_annotations.h"
#include "passes/saved_values.h"

#include "base/mapped.h"

#include <algorithm>
#include <utility>

namespace aotscope::passes {

namespace {

struct DefaultSaves {
    std::vector<Index> tensors;
    std::vector<Index> symbols;
    /// By position: whether the node was traced in the forward.
    std::vector<bool> isForward;
};

/// The forward is everything up to the last node that was traced in the forward, except tangents.
std::vector<bool> forwardNodes(const JointProgram& program) {
    std::vector<bool> isForward(program.size(), false);
    Index last = noIndex;
    for (Index i = 0; i < program.size(); ++i) {
        const Item& item = program[i];
        if (item.tag == ir::PartitionerTag::Forward || item.role == InputRole::Primal ||
            item.role == InputRole::ForwardSeed) {
            last = i;
        }
    }
    for (Index i = 0; last != noIndex && i <= last; ++i) {
        isForward[i] = program[i].role != InputRole::Tangent && program[i].opcode != ir::Opcode::Output;
    }
    return isForward;
}

class Saving {
public:
    explicit Saving(const JointProgram& program)
        : m_program(program), m_hasRecomputable(hasRecomputableNodes(program)) {}

    base::Result<DefaultSaves> save() {
        m_saves.isForward = forwardNodes(m_program);
        m_taken.assign(m_program.size(), false);
        for (Index i = 0; i < m_program.size(); ++i) {
            if (!m_saves.isForward[i] || m_program[i].is(OpNeverSaved) || isSubgraph(i)) {
                continue;
            }
            AOTSCOPE_CHECK(saveNode(i));
        }
        return std::move(m_saves);
    }

private:
    [[nodiscard]] bool isSubgraph(Index i) const {
        const ir::Graph& graph = m_program.graph();
        return m_program[i].opcode == ir::Opcode::GetAttr &&
               (graph.trySubgraph(m_program.name(i)) || graph.trySubgraph(m_program.node(i).target));
    }

    void take(Index i, std::vector<Index>& into) {
        if (!m_taken[i]) {
            m_taken[i] = true;
            into.push_back(i);
        }
    }

    base::Result<void> saveNode(Index i) {
        const Item& item = m_program[i];
        const auto users = m_program.users(i);
        if (item.isSymbolic()) {
            take(i, m_saves.symbols);
            return {};
        }
        const bool severalValues = !users.empty() && std::ranges::all_of(users, [&](Index user) {
            return m_program[user].is(OpGetitem);
        });
        if (severalValues) {
            return {};
        }
        if (item.recompute == RecomputeTag::MustSave) {
            take(i, m_saves.tensors);
            return {};
        }
        if (item.is(OpImpure) && !item.is(OpWaitTensor)) {
            if (m_hasRecomputable) {
                return failure("passes.impure_recompute", i,
                               "Activation checkpointing cannot recompute a graph with the impure operator ");
            }
            take(i, m_saves.tensors);
            return {};
        }
        if (item.value != ValueKind::Tensor && item.opcode == ir::Opcode::CallFunction) {
            return failure(
                "passes.not_a_tensor", i,
                "The default partition saves only tensors; there is no logged tensor for the result of ");
        }
        saveTensor(i);
        return {};
    }

    void saveTensor(Index i) {
        std::vector<Index> backwardUsers;
        for (const Index user : m_program.users(i)) {
            if (!m_saves.isForward[user]) {
                backwardUsers.push_back(user);
            }
        }
        const bool onlySizes =
            std::ranges::all_of(backwardUsers, [&](Index user) { return m_program[user].isSymbolic(); });
        if (onlySizes) {
            for (const Index user : backwardUsers) {
                take(user, m_saves.symbols);
            }
        } else if (!m_program[i].mustRecompute()) {
            take(i, m_saves.tensors);
        }
    }

    [[nodiscard]] base::Error failure(std::string code, Index i, std::string message) const {
        return {.code = std::move(code),
                .message = std::move(message) + '"' + m_program.node(i).target + "\".",
                .place = {.node = m_program.name(i)}};
    }

    const JointProgram& m_program;
    bool m_hasRecomputable;
    DefaultSaves m_saves;
    std::vector<bool> m_taken;
};

/// Whether a value is a condition that assertions alone read (_is_assert_only_symbool in torch 2.15).
bool isOnlyAsserted(const JointProgram& program, Index i) {
    const auto users = program.users(i);
    return program[i].value == ValueKind::SymBool && !users.empty() &&
           std::ranges::all_of(users, [&](Index user) { return program[user].is(OpAssertScalar); });
}

/// What the default partition saves: every forward value that the backward reads, unless activation
/// checkpointing recomputes it. Of a tensor whose sizes alone are read, only the sizes are saved. Follows
/// torch 2.11, torch/_functorch/partitioners.py: default_partition. Errors: passes.not_a_tensor,
/// passes.impure_recompute.
base::Result<DefaultSaves> defaultSaves(const JointProgram& program, const PartitionOptions& options) {
    auto saves = Saving(program).save();
    if (saves && options.rules.assertedConditionsAreNotSaved) {
        std::erase_if(saves->symbols, [&](Index i) { return isOnlyAsserted(program, i); });
    }
    return saves;
}

base::Result<void> checkJoint(const JointProgram& program) {
    if (program.output() == noIndex || program.primals.empty()) {
        return base::Error{
            .code = "passes.not_joint",
            .message = "This is not a joint graph: it has no inputs of the forward or returns nothing.",
            .hint = "Give the joint graph that AOTAutograd made (aot_joint_graph in a log)."};
    }
    return {};
}

class Cutting {
public:
    explicit Cutting(Splitting& split)
        : m_joint(*split.partition.joint),
          m_split(split),
          m_options(split.options),
          m_partition(split.partition) {}

    base::Result<void> run() {
        AOTSCOPE_CHECK(settleBudget());
        m_partition.report.partitioner = m_options.partitioner;
        m_partition.report.nodes.resize(m_joint.idBound());
        noteMerged();
        if (!m_split.program) {
            m_split.program = programOf(m_split);
        }
        JointProgram& program = *m_split.program;
        AOTSCOPE_CHECK(checkJoint(program));
        return m_options.partitioner == Partitioner::MinCut ? minCut(program) : byDefault(program);
    }

private:
    /// The program's budget, if it gives one, goes before the options'.
    base::Result<void> settleBudget() {
        AOTSCOPE_TRY(budget, annotatedBudget(m_joint));
        m_isBudgetAnnotated = budget && !m_options.budgetIsChosen;
        if (m_isBudgetAnnotated) {
            m_options.memoryBudget = *budget;
        }
        if (m_options.memoryBudget < 0 || m_options.memoryBudget > 1) {
            return base::Error{.code = "passes.memory_budget",
                               .message = "A memory budget lies between 0 and 1."};
        }
        return {};
    }

    base::Result<void> minCut(JointProgram& program) {
        AOTSCOPE_CHECK(forceSaves(program, m_options));
        AOTSCOPE_TRY(classes, classifyNodes(program, m_options));
        if (!classes.anyRequiredBackward) {
            m_partition.report.fellBackToDefault = true;
            m_options.partitioner = Partitioner::Default;
            return byDefault(program);
        }
        AOTSCOPE_CHECK(checkBudgetCoverage(program, classes));
        CutInput input{program, classes, m_options, distancesFromBackward(program, classes), {}};
        AOTSCOPE_CHECK(readChoices(program, input.forced));
        AOTSCOPE_TRY(saved, chooseSavedValues(input));
        std::vector<Index> tensors;
        std::vector<Index> symbols;
        for (const Index i : saved.values) {
            if (!(m_options.rules.assertedConditionsAreNotSaved && isOnlyAsserted(program, i))) {
                (program[i].isSymbolic() ? symbols : tensors).push_back(i);
            }
        }
        AOTSCOPE_TRY(halves, extractHalves(program, std::move(tensors), std::move(symbols), m_options));
        m_split.isBackwardReordered = true;
        noteNodes(program, classes);
        noteCut(input, saved);
        keep(program, std::move(halves));
        return {};
    }

    base::Result<void> byDefault(JointProgram& program) {
        m_split.isBackwardReordered = hasRecomputableNodes(program);
        AOTSCOPE_CHECK(forceSaves(program, m_options));
        AOTSCOPE_TRY(classes, classifyNodes(program, m_options));
        AOTSCOPE_TRY(saves, defaultSaves(program, m_options));
        AOTSCOPE_TRY(halves,
                     extractHalves(program, std::move(saves.tensors), std::move(saves.symbols), m_options));
        for (ExtractedGraph* half : {&halves.forward, &halves.backward}) {
            removeUnused(program, *half, [&](Index i) { return !program[i].is(OpCollective); });
        }
        noteNodes(program, classes);
        for (Index i = 0; i < program.size(); ++i) {
            decision(program, i).byTag = program[i].recompute != RecomputeTag::None;
        }
        keep(program, std::move(halves));
        return {};
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
        return base::Error{.code = "passes.memory_budget",
                           .message = "The program gives a memory budget that does not hold for " +
                                      std::to_string(without.size()) + " of the forward's operators (" +
                                      without.front() + (without.size() > 1 ? ", …" : "") +
                                      "), which PyTorch refuses.",
                           .place = {.node = without.front()},
                           .hint = "Put the whole forward into one region, or choose --config "
                                   "activation_memory_budget_require_full_coverage=False."};
    }

    base::Result<void> readChoices(const JointProgram& program,
                                   std::vector<std::optional<Forced>>& forced) const {
        forced.assign(program.size(), std::nullopt);
        for (const NodeChoice& choice : m_options.choices) {
            const auto id = m_joint.tryFind(choice.node);
            if (!id) {
                return base::Error{.code = "passes.no_such_node",
                                   .message = "The joint graph has no node \"" + choice.node + "\".",
                                   .place = {.node = choice.node}};
            }
            // A choice for a node that was merged into an equal one applies to that one.
            const Index index = program.indexOf(*id);
            if (index != noIndex) {
                forced[index] = choice.choice;
            }
        }
        return {};
    }

    void keep(const JointProgram& program, Halves halves) {
        // Where nodes are ordered like autograd they are copied into a new graph, so that only their own
        // names are taken.
        m_partition.forwardNames = namesGivenIn(program, halves.forward);
        if (!m_split.isBackwardReordered) {
            m_partition.backwardNames = namesGivenIn(program, halves.backward);
        }
        m_partition.forwardOutputs = program.forwardOutputs;
        m_partition.report.forwardOutputs = program.forwardOutputs;
        m_partition.report.unboundSymbols = program.unboundSymbols;
        const auto nameOf = [&](Index i) { return program.name(i); };
        m_partition.savedTensors = base::mapped(halves.savedTensors, nameOf);
        m_partition.savedSymbols = base::mapped(halves.savedSymbols, nameOf);
        noteFates(program, halves);
        m_split.halves = std::move(halves);
    }

    NodeDecision& decision(const JointProgram& program, Index i) {
        return m_partition.report.nodes[program[i].id.index()];
    }

    void noteMerged() {
        for (const ir::NodeId id : m_joint.order()) {
            m_partition.report.nodes[id.index()].mergedInto = m_split.cleaned.replacement[id.index()];
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
        const std::vector<bool> inForward =
            marked(program.size(), {halves.forward.inputs, halves.forward.nodes});
        const std::vector<bool> inBackward = marked(program.size(), {halves.backward.nodes});
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
    Splitting& m_split;
    PartitionOptions& m_options;
    Partition& m_partition;
    bool m_isBudgetAnnotated = false;
};

} // namespace

base::Result<Splitting> cutJoint(Splitting split) {
    AOTSCOPE_CHECK(Cutting(split).run());
    return split;
}

std::shared_ptr<JointProgram> programOf(const Splitting& split) {
    return std::make_shared<JointProgram>(*split.partition.joint, split.cleaned.order,
                                          split.cleaned.replacement, split.options, split.flags);
}

} // namespace aotscope::passes
