#pragma once

#include "passes/partition_rules.h"

#include "base/describe.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The options of a partition: PyTorch's configuration, and the user's choices. Defaults are those of torch
/// 2.11, torch/_functorch/config.py; comments give the options' names there.
namespace aotscope::passes {

enum class Partitioner : std::uint8_t {
    /// default_partition: keeps operators in the half where they were traced; saves what the backward reads.
    Default,
    /// min_cut_rematerialization_partition: saves the cheapest set of values and recomputes the rest.
    MinCut,
};
AOTSCOPE_WORDS(Partitioner, "default", "min_cut")

/// The heuristics that forbid the min-cut partitioner to recompute a node. Follows torch 2.11,
/// torch/_functorch/partitioners.py: MinCutOptions.
struct RecomputeBans {
    /// ban_recompute_used_far_apart
    bool usedFarApart = true;
    /// ban_recompute_long_fusible_chains
    bool longFusibleChains = true;
    /// ban_recompute_materialized_backward
    bool materializedBackward = true;
    /// ban_recompute_not_in_allowlist; if off, random and compute intensive operators are banned instead.
    bool notInAllowlist = true;
    /// ban_recompute_reductions
    bool reductions = true;
    friend bool operator==(const RecomputeBans&, const RecomputeBans&) = default;
};
AOTSCOPE_MEMBERS(RecomputeBans, usedFarApart, longFusibleChains, materializedBackward, notInAllowlist,
                 reductions)

/// activation_memory_budget_solver
enum class BudgetSolver : std::uint8_t {
    Dp,
    Greedy,
    Ilp,
    DpKnapsackSlidingHirschberg,
    DynamicMemoryBudgetDp,
};
AOTSCOPE_WORDS(BudgetSolver, "dp", "greedy", "ilp", "dp_knapsack_sliding_hirschberg",
               "dynamic_memory_budget_dp")

/// activation_memory_budget_runtime_estimator. A measured profile is set in
/// PartitionOptions::runtimes.
enum class RuntimeEstimator : std::uint8_t { Flops, Testing };
AOTSCOPE_WORDS(RuntimeEstimator, "flops", "testing")

/// The user's choice for one node of the joint graph.
enum class Forced : std::uint8_t {
    /// Costs nothing to save and is never recomputed.
    Save,
    /// Cannot be saved, and no heuristic forbids recomputing it.
    Recompute,
};
AOTSCOPE_WORDS(Forced, "save", "recompute")

struct NodeChoice {
    /// Name in the joint graph.
    std::string node;
    Forced choice = Forced::Save;
    friend bool operator==(const NodeChoice&, const NodeChoice&) = default;
};
AOTSCOPE_MEMBERS(NodeChoice, node, choice)

/// Bytes of a generator's state: torch.get_rng_state() and torch.cuda.get_rng_state().
inline constexpr std::int64_t cpuStateBytes = 5056;
inline constexpr std::int64_t cudaStateBytes = 16;

/// By size of a random generator's state in bytes: the symbol that stands for this size.
using StateSymbols = std::map<std::int64_t, std::string>;

/// Runtime of each node in any unit, by node name: names survive a partitioner's changes to the graph, node
/// ids do not.
using NodeRuntimes = std::map<std::string, double>;

struct PartitionOptions {
    /// What the release of torch decides.
    PartitionRules rules = {};
    Partitioner partitioner = Partitioner::MinCut;
    /// How many of the joint graph's outputs the forward returns (num_fwd_outputs: mutated inputs, outputs,
    /// bases of aliased outputs, tokens). Nothing: taken from the outputs' descriptors, or without
    /// descriptors from the number of inputs, because the backward returns one value for each input.
    std::optional<std::size_t> forwardOutputs = {};
    /// Positions of parameters and buffers among the forward's inputs (static_lifetime_input_indices). With
    /// tokens they mean other inputs than they were counted for, as in PyTorch, which counts without tokens.
    std::vector<std::size_t> staticInputs = {};
    /// By position among the joint graph's inputs: the symbol that a symbolic integer was created as, which
    /// is not the printed one if it was found to be equal to another. Empty, or shorter: not known.
    std::vector<std::string> inputSymbols = {};
    /// By size of a random generator's state in bytes: the symbol that AOTAutograd creates for this size when
    /// it has a shape environment. A size without a symbol is written as a number.
    StateSymbols generatorStateSymbols = {};
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
    /// Dead code elimination keeps random operators (as aot_function does without a tracing context, and a
    /// compile with `torch._inductor.config.fallback_random`).
    bool keepUnusedRandom = false;
    /// activation_memory_budget: 1 is the fastest choice, 0 saves nothing but the inputs. Where the program
    /// gives a budget for its regions, that one holds.
    double memoryBudget = 1.0;
    /// `memoryBudget` was chosen by a person, and goes before the program's.
    bool budgetIsChosen = false;
    /// activation_memory_budget_require_full_coverage: a budget that the program gives has to hold for all
    /// operators of the forward.
    bool budgetRequiresFullCoverage = true;
    /// donated_buffer: the backward may overwrite what nobody else holds.
    bool donatesBuffers = true;
    /// unlift_effect_tokens: the halves make and drop the tokens of their effects.
    bool unliftTokens = false;
    BudgetSolver solver = BudgetSolver::Dp;
    RuntimeEstimator estimator = RuntimeEstimator::Flops;
    /// Measured; replaces the estimator if set. A node without a runtime costs nothing.
    std::optional<NodeRuntimes> runtimes = {};
    std::vector<NodeChoice> choices = {};
};

} // namespace aotscope::passes
