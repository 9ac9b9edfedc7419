#pragma once

#include "kernels/lowering.h"

#include <string>
#include <vector>

namespace aotscope::kernels {

/// What a node is to the planner, by its operator and operands alone.
enum class NodeRole : std::uint8_t {
    /// Makes no values in memory: inputs, numbers, outputs.
    NoKernel,
    View,
    /// A kernel can compute it.
    Eligible,
    /// `reason` says why not.
    NotEligible,
};

struct NodeTraits {
    NodeRole role = NodeRole::NoKernel;
    std::string reason;
    /// Writes to memory that others see, or may: nothing moves across it.
    bool isBarrier = false;
    /// Draws random numbers, or may do something that its values do not show: keeps its place among its like.
    bool isOrdered = false;
};

/// By node id index.
[[nodiscard]] std::vector<NodeTraits> nodeTraits(const GraphFacts& facts);

/// The groups of a graph while they grow. Each eligible node begins as a group with one node and joins those
/// whose values it reads, as long as one kernel can compute them all and no path leaves the group and comes
/// back.
class FusionGroups {
public:
    FusionGroups(const GraphFacts& facts, const std::vector<NodeTraits>& traits);

    void form();

    struct Group {
        /// In program order.
        std::vector<ir::NodeId> nodes;
        /// Why the last neighbour could not join; empty: all did, or there was none.
        std::string refusal;
    };
    /// Those without nodes have joined others.
    [[nodiscard]] const std::vector<Group>& groups() const { return m_groups; }
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    [[nodiscard]] std::size_t groupOf(ir::NodeId node) const { return m_groupOf[node.index()]; }
    /// What must be there before a node: the nodes that make the memory it reads, views left out.
    [[nodiscard]] const std::vector<ir::NodeId>& producers(ir::NodeId node) const {
        return m_producers[node.index()];
    }
    /// Values that something outside of these nodes reads, and results that ATen computes (`remainders`).
    struct Outputs {
        std::vector<TensorName> computed;
        std::vector<TensorName> remainders;
    };
    [[nodiscard]] Outputs outputsOf(const std::vector<ir::NodeId>& nodes) const;

private:
    void findProducers();
    void join(std::size_t own, std::size_t other);
    [[nodiscard]] std::string whyNot(const std::vector<ir::NodeId>& nodes);
    [[nodiscard]] bool comesBack(const std::vector<ir::NodeId>& nodes);
    void addReaders(ir::NodeId value, TensorName name, const std::vector<ir::NodeId>& nodes,
                    std::vector<TensorName>& read) const;
    /// The result whose memory a value is, itself or through views and picks.
    [[nodiscard]] TensorName memoryOf(ir::NodeId value) const;
    void addProducersThrough(ir::NodeId input, std::vector<ir::NodeId>& into) const;

    const GraphFacts& m_facts;
    const std::vector<NodeTraits>& m_traits;
    std::vector<Group> m_groups;
    std::vector<std::size_t> m_groupOf;
    std::vector<std::vector<ir::NodeId>> m_producers;
    /// The number of writes to memory before each node.
    std::vector<std::uint32_t> m_epoch;
    std::vector<std::uint32_t> m_seen;
    std::uint32_t m_search = 0;
};

/// The order in which the graph runs with the kernels of the plan's groups.
[[nodiscard]] std::vector<FusedStep>
fusedSteps(const GraphFacts& facts, const std::vector<NodeTraits>& traits, const FusionPlan& plan);

} // namespace aotscope::kernels
