#pragma once

#include "kernels/fused_kernel.h"

#include "ir/graph.h"
#include "ir/symbolic/expression.h"

#include "base/describe.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// Which nodes of a graph of ATen operators become one kernel.
namespace aotscope::kernels {

/// What is known of a run beside the graph.
struct FusionOptions {
    /// Values of the graph's symbols; for others the graph's hint is used.
    ir::SymbolBindings symbols;
    /// How tensors really lay in a run, in place of the graph's metadata.
    std::map<TensorName, TensorLayout> layouts;
};

/// How a node is computed. Whether it is eligible depends on the operator and its operands only.
enum class NodeFateKind : std::uint8_t {
    /// Placeholder, attribute, output, a number or symbol: no kernel in eager either.
    NoKernel,
    /// Changes strides, or picks one of several results: no kernel in eager either.
    View,
    /// A view of a value of a group, read by the same group: an index expression in the kernel.
    FoldedView,
    /// Computed by the kernel of a group of several nodes.
    Fused,
    /// Eligible, and the only node of its kernel.
    GeneratedAlone,
    /// Eligible, but its kernel could not be written; `reason` says why. Counts against the share.
    NotGenerated,
    /// `reason` says why.
    NotEligible,
};
AOTSCOPE_WORDS(NodeFateKind, "no kernel", "view", "folded view", "fused", "generated alone", "not generated",
               "not eligible")

struct NodeFate {
    NodeFateKind kind = NodeFateKind::NoKernel;
    /// The group that computes the node, an index of FusionPlan::groups.
    std::optional<std::size_t> group;
    /// For NotEligible its kind ("multiplies matrices"), for GeneratedAlone why no neighbour joined.
    std::string reason;
};

struct FusionGroup {
    /// Nodes that produce values, in program order, without views.
    std::vector<ir::NodeId> nodes;
    FusedKernel kernel;
    /// Results of the nodes that the kernel does not compute, although they are used (the weight gradient of
    /// a layer norm): the node is called in ATen for them.
    std::vector<TensorName> remainders;

    /// Whose values must be in memory: what the kernel reads, then the operands of `remainders`.
    [[nodiscard]] std::vector<ir::NodeId> reads(const ir::Graph& graph) const;
};

/// Counts of nodes. A node is eligible if it produces values in memory and is pointwise, a cast, a copy, a
/// creation of constants, or a reduction over the innermost dimensions. Views are never counted as eligible:
/// they have no kernel. The share is (fused + generatedAlone) / eligible: a kernel of one node counts too.
struct FusionCounts {
    std::size_t eligible = 0;
    /// In groups of at least two eligible nodes.
    std::size_t fused = 0;
    /// Alone in their kernel.
    std::size_t generatedAlone = 0;
    std::size_t notEligible = 0;
    std::size_t foldedViews = 0;
    std::size_t kernels = 0;

    FusionCounts& operator+=(const FusionCounts& other);
    /// 1 where nothing is eligible.
    [[nodiscard]] double share() const;
};
AOTSCOPE_MEMBERS(FusionCounts, eligible, fused, generatedAlone, notEligible, foldedViews, kernels)

/// A step of running the graph with its fused kernels: a node, or the kernel of a group.
struct FusedStep {
    std::optional<std::size_t> group;
    /// When there is no group.
    ir::NodeId node;
};

struct FusionPlan {
    std::vector<FusionGroup> groups;
    /// By node id index.
    std::vector<NodeFate> fates;
    FusionCounts counts;
    /// All nodes but those that only kernels compute, in an order that respects values, writes and random
    /// numbers.
    std::vector<FusedStep> steps;
};

/// Forms the groups and writes their kernels. A group is convex: no path leaves it and comes back, and none
/// of its nodes is on the other side of a write to memory. It has one iteration space: the elements of its
/// results, or rows of elements. For graphs of one level; subgraphs are planned on their own.
[[nodiscard]] FusionPlan planFusion(const ir::Graph& graph, const FusionOptions& options = {});

/// The names of nodes, each with the name of a fused kernel.
using KernelOfNode = std::map<std::string, std::string>;

/// The kernel that a person who goes through the graph in program order is in at each node: that of the
/// node's group, and of nodes that launch nothing (views, numbers) between two of a group, too. Other nodes
/// are left out. A kernel whose nodes do not follow each other in the graph has several such stretches.
[[nodiscard]] KernelOfNode kernelsOfNodes(const ir::Graph& graph, const FusionPlan& plan);

} // namespace aotscope::kernels
