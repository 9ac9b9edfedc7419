#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a person, or PyTorch's configuration, decides about a partition. Defaults are those of torch 2.11
/// (torch/_functorch/config.py).
namespace aotscope::passes {

enum class Partitioner : std::uint8_t {
    /// default_partition: every operator where it was traced; saves what the backward reads.
    Default,
    /// min_cut_rematerialization_partition: the cheapest set of values to save, the rest computed again.
    MinCut,
};

/// The heuristics that keep the min-cut partitioner from computing a node again (MinCutOptions).
struct RecomputeBans {
    /// ban_recompute_used_far_apart
    bool usedFarApart = true;
    /// ban_recompute_long_fusible_chains
    bool longFusibleChains = true;
    /// ban_recompute_materialized_backward
    bool materializedBackward = true;
    /// ban_recompute_not_in_allowlist; off: random and compute intensive operators are banned instead.
    bool notInAllowlist = true;
    /// ban_recompute_reductions
    bool reductions = true;
    friend bool operator==(const RecomputeBans&, const RecomputeBans&) = default;
};

/// activation_memory_budget_solver
enum class BudgetSolver : std::uint8_t {
    Dp,
    Greedy,
    Ilp,
    DpKnapsackSlidingHirschberg,
    DynamicMemoryBudgetDp,
};

/// activation_memory_budget_runtime_estimator. A measured profile is given through
/// PartitionOptions::measuredRuntime.
enum class RuntimeEstimator : std::uint8_t { Flops, Testing };

/// A person's choice for one node of the joint graph.
enum class Forced : std::uint8_t {
    /// Costs nothing to save and is never computed again.
    Save,
    /// Cannot be saved, and no heuristic forbids to compute it again.
    Recompute,
};

struct NodeChoice {
    /// Name in the joint graph.
    std::string node;
    Forced choice = Forced::Save;
    friend bool operator==(const NodeChoice&, const NodeChoice&) = default;
};

struct PartitionOptions {
    Partitioner partitioner = Partitioner::MinCut;
    /// How many of the joint graph's outputs the forward returns (num_fwd_outputs: mutated inputs, outputs,
    /// bases of aliased outputs, tokens); nothing: read off the outputs' descriptors, else from the number of
    /// inputs, for the backward returns one value for each.
    std::optional<std::size_t> forwardOutputs = {};
    /// Positions among the forward's inputs of parameters and buffers (static_lifetime_input_indices).
    std::vector<std::size_t> staticInputs = {};
    /// Bytes of a random generator's state, and the symbol that stands for that size: AOTAutograd makes one
    /// when Dynamo gave it a shape environment. Without one the size is written as a number.
    std::map<std::int64_t, std::string> generatorStateSymbols = {};
    RecomputeBans bans = {};
    /// max_dist_from_bw
    int maxDistanceFromBackward = 1000;
    bool recomputeViews = false;
    bool aggressiveRecomputation = false;
    bool treatParametersAsFreeToSave = true;
    bool nonBuiltinToInclude = false;
    bool unsafeAllowOptimizationOfCollectives = false;
    /// cse
    bool mergeCommonSubexpressions = true;
    /// A random operator without users is kept (graphs that aot_function traced without a tracing context).
    bool keepUnusedRandom = false;
    /// activation_memory_budget: 1 the fastest choice, 0 save nothing but the inputs.
    double memoryBudget = 1.0;
    BudgetSolver solver = BudgetSolver::Dp;
    RuntimeEstimator estimator = RuntimeEstimator::Flops;
    /// Runtime of a node in any unit; when set it replaces the estimator.
    std::function<double(const ir::Graph&, ir::NodeId)> measuredRuntime = {};
    std::vector<NodeChoice> choices = {};
};

} // namespace aotscope::passes
