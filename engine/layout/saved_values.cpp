#include "layout/saved_values.h"

#include "layout/visible_graph.h"

#include "ir/phase.h"
#include "ir/storages.h"

#include <algorithm>

namespace aotscope::layout {
namespace {

class UsersInBackward {
public:
    UsersInBackward(const ir::Graph& graph, const SplitFacts& facts)
        : m_graph(graph),
          m_facts(facts),
          m_phases(ir::nodePhases(graph)),
          m_storages(ir::deriveStorages(graph)),
          m_twins(graph.idBound()),
          m_seenFor(graph.idBound(), 0) {
        for (const ir::NodeId node : graph.order()) {
            if (const ir::NodeId kept = keptFor(node); kept != node) {
                m_twins[kept.index()].push_back(node);
            }
        }
    }

    std::vector<ir::NodeId> of(ir::NodeId saved) {
        ++m_round;
        m_found.clear();
        m_isReturned = false;
        std::vector<ir::NodeId> views{saved};
        views.insert(views.end(), m_twins[saved.index()].begin(), m_twins[saved.index()].end());
        std::vector<ir::NodeId> level;
        // Through views first; what is computed from them waits for the next level.
        while (!views.empty()) {
            const ir::NodeId at = views.back();
            views.pop_back();
            for (const ir::NodeId user : m_graph.users(at)) {
                visit(user, [&](ir::NodeId again) {
                    const bool isView =
                        m_storages.ofNode[again.index()] == m_storages.ofNode[saved.index()] &&
                        m_storages.ofNode[again.index()] != ir::noStorage;
                    (isView ? views : level).push_back(again);
                });
            }
        }
        while (m_found.empty() && !level.empty()) {
            std::vector<ir::NodeId> next;
            for (const ir::NodeId at : level) {
                for (const ir::NodeId user : m_graph.users(at)) {
                    visit(user, [&](ir::NodeId again) { next.push_back(again); });
                }
            }
            level = std::move(next);
        }
        if (m_found.empty() && m_isReturned) {
            m_found.push_back(*m_graph.output());
        }
        std::ranges::sort(m_found, {}, [this](ir::NodeId node) { return m_graph.position(node); });
        m_found.erase(std::unique(m_found.begin(), m_found.end()), m_found.end());
        return m_found;
    }

private:
    /// The node that the partition keeps in its place.
    [[nodiscard]] ir::NodeId keptFor(ir::NodeId node) const {
        constexpr int longest = 64;
        for (int i = 0; i < longest && !m_facts.mergedInto.empty(); ++i) {
            const ir::NodeId next = m_facts.mergedInto[node.index()];
            if (!next.valid() || next == node) {
                break;
            }
            node = next;
        }
        return node;
    }

    /// `goOn` takes nodes of the drawn forward behind which backward nodes may be.
    template<typename GoOn>
    void visit(ir::NodeId user, const GoOn& goOn) {
        if (m_seenFor[user.index()] == m_round) {
            return;
        }
        m_seenFor[user.index()] = m_round;
        if (m_graph.node(user).op == ir::Opcode::Output) {
            m_isReturned = true;
            return;
        }
        const ir::NodeId kept = keptFor(user);
        const ir::NodeFate fate = m_facts.fates[kept.index()];
        // What the partition rewrote before it cut has no fate; its users still need the value.
        const bool isRewritten = !m_facts.knows(kept);
        if (m_phases[user.index()] == ir::Phase::Backward) {
            if (isRewritten || fate != ir::NodeFate::Removed) {
                m_found.push_back(kept);
            }
        } else if (isRewritten || fate == ir::NodeFate::Recomputed || fate == ir::NodeFate::BackwardOnly) {
            goOn(user);
        } else if (fate != ir::NodeFate::Saved) {
            // The backward does not get it: what was rewritten there computes it from what is saved.
            for (const ir::NodeId next : m_graph.users(user)) {
                if (m_phases[next.index()] == ir::Phase::Backward && !m_facts.knows(keptFor(next))) {
                    m_found.push_back(keptFor(next));
                }
            }
        }
    }

    const ir::Graph& m_graph;
    const SplitFacts& m_facts;
    std::vector<ir::Phase> m_phases;
    ir::Storages m_storages;
    /// By node id index: those that are replaced by it.
    std::vector<std::vector<ir::NodeId>> m_twins;
    /// By node id index: the last round that visited it.
    std::vector<std::uint32_t> m_seenFor;
    std::uint32_t m_round = 0;
    std::vector<ir::NodeId> m_found;
    bool m_isReturned = false;
};

} // namespace

SplitFacts splitFacts(const ir::Graph& graph, ir::NodeFates fates) {
    SplitFacts facts;
    facts.fates = std::move(fates);
    for (const ir::NodeId node : graph.order()) {
        if (facts.fates[node.index()] == ir::NodeFate::Saved) {
            facts.saved.push_back({node, nodeBytes(graph, node)});
        }
    }
    return facts;
}

std::vector<std::vector<ir::NodeId>> backwardUsers(const ir::Graph& graph, const SplitFacts& facts) {
    std::vector<std::vector<ir::NodeId>> users(facts.saved.size());
    if (!ir::isJointGraph(graph)) {
        return users;
    }
    UsersInBackward walk(graph, facts);
    for (std::size_t i = 0; i < facts.saved.size(); ++i) {
        users[i] = walk.of(facts.saved[i].node);
    }
    return users;
}

} // namespace aotscope::layout
