#include "kernels/fusion_groups.h"

#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

class Scheduler {
public:
    Scheduler(const GraphFacts& facts, const std::vector<NodeTraits>& traits, const FusionPlan& plan)
        : m_facts(facts),
          m_traits(traits),
          m_plan(plan),
          m_groupOf(facts.graph().idBound(), FusionGroups::none),
          m_isDone(facts.graph().idBound()),
          m_groupIsDone(plan.groups.size()) {
        for (std::size_t i = 0; i < plan.groups.size(); ++i) {
            for (const ir::NodeId node : plan.groups[i].nodes) {
                m_groupOf[node.index()] = i;
            }
        }
    }

    std::vector<FusedStep> schedule() {
        markNeededViews();
        for (const ir::NodeId id : m_facts.graph().order()) {
            const std::size_t group = m_groupOf[id.index()];
            if (m_traits[id.index()].isBarrier) {
                for (const ir::NodeId view : m_waitingViews) {
                    add(view);
                }
                m_waitingViews.clear();
            }
            if (group != FusionGroups::none) {
                if (m_plan.groups[group].nodes.back() == id) {
                    addGroup(group);
                }
            } else if (m_traits[id.index()].role != NodeRole::View) {
                add(id);
            } else if (m_isNeeded[id.index()]) {
                // When something reads it, because its group may still wait for others.
                m_waitingViews.push_back(id);
            }
        }
        return std::move(m_steps);
    }

private:
    /// Views that something reads as a tensor in memory.
    void markNeededViews() {
        m_isNeeded.assign(m_facts.graph().idBound(), false);
        for (const FusionGroup& group : m_plan.groups) {
            for (const ir::NodeId read : group.reads(m_facts.graph())) {
                m_isNeeded[read.index()] = true;
            }
        }
        const auto order = m_facts.graph().order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const ir::NodeId id = order[i];
            const bool runs = m_groupOf[id.index()] == FusionGroups::none &&
                              (m_traits[id.index()].role != NodeRole::View || m_isNeeded[id.index()]);
            if (runs && !ir::isSymbolicOperator(m_facts.node(id).target)) {
                for (const ir::NodeId input : m_facts.graph().inputs(id)) {
                    m_isNeeded[input.index()] = true;
                }
            }
        }
    }

    void add(ir::NodeId id) {
        if (m_isDone[id.index()]) {
            return;
        }
        if (m_groupOf[id.index()] != FusionGroups::none) {
            addGroup(m_groupOf[id.index()]);
            return;
        }
        m_isDone[id.index()] = true;
        if (m_traits[id.index()].isOrdered) {
            addOrderedBefore(id);
        }
        if (!ir::isSymbolicOperator(m_facts.node(id).target)) {
            for (const ir::NodeId input : m_facts.graph().inputs(id)) {
                add(input);
            }
        }
        m_steps.push_back({std::nullopt, id});
    }

    void addOrderedBefore(ir::NodeId id) {
        if (m_ordered.empty()) {
            for (const ir::NodeId each : m_facts.graph().order()) {
                if (m_traits[each.index()].isOrdered) {
                    m_ordered.push_back(each);
                }
            }
        }
        // All of them up to this one, once.
        while (m_nextOrdered < m_ordered.size() && m_ordered[m_nextOrdered] != id &&
               m_facts.graph().position(m_ordered[m_nextOrdered]) < m_facts.graph().position(id)) {
            add(m_ordered[m_nextOrdered++]);
        }
    }

    void addGroup(std::size_t index) {
        if (m_groupIsDone[index]) {
            return;
        }
        m_groupIsDone[index] = true;
        for (const ir::NodeId read : m_plan.groups[index].reads(m_facts.graph())) {
            if (!isOfGroup(read, index)) {
                add(read);
            }
        }
        m_steps.push_back({index, {}});
    }

    /// Whether the group makes the value itself, or what it is a view of.
    [[nodiscard]] bool isOfGroup(ir::NodeId id, std::size_t index) const {
        while (m_traits[id.index()].role == NodeRole::View && !m_facts.graph().inputs(id).empty()) {
            id = m_facts.graph().inputs(id).front();
        }
        return m_groupOf[id.index()] == index;
    }

    const GraphFacts& m_facts;
    const std::vector<NodeTraits>& m_traits;
    const FusionPlan& m_plan;
    std::vector<std::size_t> m_groupOf;
    std::vector<bool> m_isDone;
    std::vector<bool> m_groupIsDone;
    std::vector<bool> m_isNeeded;
    std::vector<ir::NodeId> m_waitingViews;
    std::vector<ir::NodeId> m_ordered;
    std::size_t m_nextOrdered = 0;
    std::vector<FusedStep> m_steps;
};

} // namespace

std::vector<FusedStep> fusedSteps(const GraphFacts& facts, const std::vector<NodeTraits>& traits,
                                  const FusionPlan& plan) {
    return Scheduler(facts, traits, plan).schedule();
}

} // namespace aotscope::kernels
