#pragma once

#include "passes/partition_options.h"

#include "ir/graph.h"
#include "ir/node_fate.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The reasons behind a partition: the intermediate results that PyTorch's partitioner computes but does not
/// return. Nodes are those of the joint graph. Follows torch 2.11, torch/_functorch/partitioners.py:
/// NodeInfo, solve_min_cut, choose_saved_values_set.
namespace aotscope::passes {

/// Which half needs a node (NodeInfo).
enum class NodeSide : std::uint8_t {
    /// Removed before partitioning: dead, or merged into an equal node.
    Removed,
    /// Needed by a forward output (required_fw_nodes).
    RequiredForward,
    /// Depends on a tangent, or is returned by the backward (required_bw_nodes).
    RequiredBackward,
    /// Neither: computed from forward values, but only for the backward (unclaimed_nodes).
    Unclaimed,
};
AOTSCOPE_WORDS(NodeSide, "removed", "required_forward", "required_backward", "unclaimed")

enum class BanReason : std::uint8_t {
    MarkedMustSave,
    NotInAllowlist,
    Random,
    ComputeIntensive,
    NonBuiltin,
    MaterializedInBackward,
    TooFarFromBackward,
    Reduction,
    PrimalInput,
    ForwardSeed,
    UsedFarApart,
    LongFusibleChain,
    /// The user's choice.
    ForcedSave,
};
AOTSCOPE_WORDS(BanReason, "marked_must_save", "not_in_allowlist", "random", "compute_intensive",
               "non_builtin", "materialized_in_backward", "too_far_from_backward", "reduction",
               "primal_input", "forward_seed", "used_far_apart", "long_fusible_chain", "forced_save")

/// One reason why a node must not be recomputed, with the values that led to it.
struct Ban {
    BanReason reason = BanReason::NotInAllowlist;
    /// The other node involved: the user that materializes the value, the input that is used far apart, or
    /// the start of the fusible chain. Invalid: none.
    ir::NodeId other;
    /// Reduction: bytes in and out. TooFarFromBackward: distance and limit, in edges. LongFusibleChain:
    /// forward order of the chain's start and end. UsedFarApart: forward order of the unfusible use and of
    /// this user.
    std::int64_t left = 0;
    std::int64_t right = 0;
};
AOTSCOPE_MEMBERS(Ban, reason, other, left, right)

/// Why a node cannot be saved.
enum class SaveObstacle : std::uint8_t {
    None,
    NotATensor,
    View,
    MustRecompute,
    ForcedRecompute,
    Overwritten
};
AOTSCOPE_WORDS(SaveObstacle, "none", "not_a_tensor", "view", "must_recompute", "forced_recompute",
               "overwritten")

struct NodeDecision {
    NodeSide side = NodeSide::Removed;
    ir::NodeFate fate = ir::NodeFate::Removed;
    /// The earlier equal node that this one was merged into; invalid: not merged.
    ir::NodeId mergedInto;
    /// Position among the nodes that the forward needs; -1: the forward does not need it.
    std::int64_t forwardOrder = -1;
    /// Edges to the nearest backward node along users; nothing: no path leads there.
    std::optional<std::int64_t> distanceFromBackward;
    std::int64_t bytes = 0;
    /// The capacity of its edge in the min-cut: bytes × 1.1^distance (distance at most 100), doubled unless
    /// the value is materialized anyway; 0 for a parameter. Nothing: it cannot be saved, or there was no
    /// min-cut.
    std::optional<std::int64_t> weight;
    SaveObstacle obstacle = SaveObstacle::None;
    std::vector<Ban> bans;
    /// The default partition decided by the node's activation checkpointing tag.
    bool byTag = false;
};
AOTSCOPE_MEMBERS(NodeDecision, side, fate, mergedInto, forwardOrder, distanceFromBackward, bytes, weight,
                 obstacle, bans, byTag)

/// An edge of the cut: a saved value.
struct CutEdge {
    ir::NodeId node;
    std::int64_t weight = 0;
};
AOTSCOPE_MEMBERS(CutEdge, node, weight)

/// How an activation memory budget below 1 chose the saved values.
struct BudgetReport {
    /// In words, which of PyTorch's choices was taken: the inputs alone, fewer bans, a knapsack, …
    std::string stage;
    /// Bytes of the inputs, of the values saved with the default bans, and of the values saved in the end.
    std::int64_t inputBytes = 0;
    std::int64_t defaultBytes = 0;
    std::int64_t savedBytes = 0;
    /// An item of the knapsack. `memory` is a share (1: what the fastest choice saves beyond the inputs),
    /// `runtime` in the estimator's unit.
    struct Item {
        ir::NodeId node;
        double memory = 0;
        double runtime = 0;
        bool saved = false;
    };
    std::vector<Item> items;
    /// Total runtime of the items that are not saved, in the estimator's unit.
    double recomputedRuntime = 0;
};
AOTSCOPE_MEMBERS(BudgetReport, stage, inputBytes, defaultBytes, savedBytes, items, recomputedRuntime)
AOTSCOPE_MEMBERS(BudgetReport::Item, node, memory, runtime, saved)

struct PartitionReport {
    Partitioner partitioner = Partitioner::MinCut;
    /// The min-cut partitioner uses the default one for a graph that no tangent reaches.
    bool fellBackToDefault = false;
    /// The halves take and return the tokens of their effects, although `unliftTokens` asks for others: one
    /// of the tokens goes into a subgraph or is saved.
    bool tokensStay = false;
    std::size_t forwardOutputs = 0;
    /// By node id index of the joint graph.
    std::vector<NodeDecision> nodes;
    std::vector<CutEdge> cut;
    std::int64_t cutWeight = 0;
    std::optional<BudgetReport> budget;
    /// Symbols without an example value; sizes count each as 4096, or as its asserted bound.
    std::vector<std::string> unboundSymbols;
};

/// The ban in words: "its operator is compute intensive".
[[nodiscard]] std::string banText(const ir::Graph& joint, const Ban& ban);

/// One sentence: the node's fate and the rule that decided it.
[[nodiscard]] std::string decisionText(const ir::Graph& joint, const PartitionReport& report,
                                       ir::NodeId node);

} // namespace aotscope::passes
