#include "passes/default_saves.h"

#include "passes/classify_nodes.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

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

} // namespace

base::Result<DefaultSaves> defaultSaves(const JointProgram& program, const PartitionOptions& options) {
    auto saves = Saving(program).save();
    if (saves && options.rules.assertedConditionsAreNotSaved) {
        std::erase_if(saves->symbols, [&](Index i) { return isOnlyAsserted(program, i); });
    }
    return saves;
}

bool isOnlyAsserted(const JointProgram& program, Index i) {
    const auto users = program.users(i);
    return program[i].value == ValueKind::SymBool && !users.empty() &&
           std::ranges::all_of(users, [&](Index user) { return program[user].is(OpAssertScalar); });
}

} // namespace aotscope::passes
