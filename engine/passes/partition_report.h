#pragma once

#include "passes/partition_options.h"

#include "ir/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Why a partition is what it is: what PyTorch computes on the way and throws away. Nodes are those of the
/// joint graph.
namespace aotscope::passes {

/// NodeInfo of the wheel: which half of the step needs a node.
enum class NodeSide : std::uint8_t {
    /// Nothing that is returned needs it, or it was equal to another: taken out before partitioning.
    Removed,
    /// Needed by a forward output (required_fw_nodes).
    RequiredForward,
    /// Made from a tangent, or returned by the backward (required_bw_nodes).
    RequiredBackward,
    /// Neither: the backward's own computation from forward values (unclaimed_nodes).
    Unclaimed,
};

/// What became of a forward node.
enum class NodeFate : std::uint8_t {
    /// In the forward alone; the backward does not need it.
    ForwardOnly,
    /// An output of the forward and an input of the backward.
    Saved,
    /// In both graphs: the backward computes it again.
    Recomputed,
    BackwardOnly,
    Removed,
};

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
    /// A person's choice.
    ForcedSave,
};

/// One reason not to compute a node again, with the values it was decided by.
struct Ban {
    BanReason reason = BanReason::NotInAllowlist;
    /// The other node concerned: the user that materializes, the first use that cannot be fused, the start of
    /// the chain. Invalid: none.
    ir::NodeId other;
    /// Reduction: bytes in and out. TooFarFromBackward: distance and limit. LongFusibleChain: positions.
    /// UsedFarApart: positions of the unfusible use and of this user.
    std::int64_t left = 0;
    std::int64_t right = 0;
};

/// Why a node can never be the one that is saved.
enum class SaveObstacle : std::uint8_t { None, NotATensor, View, MustRecompute, ForcedRecompute };

struct NodeDecision {
    NodeSide side = NodeSide::Removed;
    NodeFate fate = NodeFate::Removed;
    /// Valid when the node was equal to this earlier one and merged into it.
    ir::NodeId mergedInto;
    /// Position among the nodes that the forward needs; -1: not one of them.
    std::int64_t forwardOrder = -1;
    /// Edges to the nearest backward node along users; nothing when no path leads there.
    std::optional<std::int64_t> distanceFromBackward;
    std::int64_t bytes = 0;
    /// What the cut pays for saving it: its bytes, times 1.1 for each step of distance (at most 100), twice
    /// when it would not be materialized anyway; 0 for a parameter. Nothing: it cannot be saved, or no
    /// min-cut was made.
    std::optional<std::int64_t> weight;
    SaveObstacle obstacle = SaveObstacle::None;
    std::vector<Ban> bans;
    /// The default partition saved it, or dropped it, by the tag of activation checkpointing.
    bool byTag = false;
};

/// An edge of the cut: a saved value.
struct CutEdge {
    ir::NodeId node;
    std::int64_t weight = 0;
};

/// What the activation-memory budget did, when it is below 1.
struct BudgetReport {
    /// Which of the four choices was taken, in words: "save the inputs", "default bans", "more aggressive",
    /// "no allowlist", "knapsack".
    std::string stage;
    /// Bytes of the inputs, of what the default bans save, and of what is saved now.
    std::int64_t inputBytes = 0;
    std::int64_t defaultBytes = 0;
    std::int64_t savedBytes = 0;
    /// The knapsack's items: nodes with their share of the budget and their runtime, and whether it keeps
    /// them.
    struct Item {
        ir::NodeId node;
        double memory = 0;
        double runtime = 0;
        bool saved = false;
    };
    std::vector<Item> items;
    /// Runtime of what is not kept, in the estimator's unit.
    double recomputedRuntime = 0;
};

struct PartitionReport {
    Partitioner partitioner = Partitioner::MinCut;
    /// The min-cut partitioner hands graphs that no tangent reaches to the default one.
    bool fellBackToDefault = false;
    std::size_t forwardOutputs = 0;
    /// By node id index of the joint graph.
    std::vector<NodeDecision> nodes;
    std::vector<CutEdge> cut;
    std::int64_t cutWeight = 0;
    std::optional<BudgetReport> budget;
    /// Symbols without an example value: sizes took 4096 for each.
    std::vector<std::string> unboundSymbols;
};

/// "not on the list of operators that may be computed again"
[[nodiscard]] std::string banText(const ir::Graph& joint, const Ban& ban);

/// One sentence: what became of the node, and the rule that decided.
[[nodiscard]] std::string decisionText(const ir::Graph& joint, const PartitionReport& report,
                                       ir::NodeId node);

} // namespace aotscope::passes
