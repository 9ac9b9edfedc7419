#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"

#include "passes/partition.h"

#include <array>
#include <string_view>

/// The members of a partition, its report and its options for fields_json.h. Nodes are written by name.
namespace aotscope::aot::detail {

template<>
struct EnumWords<passes::Partitioner> {
    static constexpr std::array<std::string_view, 2> names = {"default", "min_cut"};
};
template<>
struct EnumWords<passes::NodeSide> {
    static constexpr std::array<std::string_view, 4> names = {"removed", "required_forward",
                                                              "required_backward", "unclaimed"};
};
template<>
struct EnumWords<ir::NodeFate> {
    static constexpr std::array<std::string_view, 5> names = {"forward_only", "saved", "recomputed",
                                                              "backward_only", "removed"};
};
template<>
struct EnumWords<passes::BanReason> {
    static constexpr std::array<std::string_view, 13> names = {"marked_must_save",
                                                               "not_in_allowlist",
                                                               "random",
                                                               "compute_intensive",
                                                               "non_builtin",
                                                               "materialized_in_backward",
                                                               "too_far_from_backward",
                                                               "reduction",
                                                               "primal_input",
                                                               "forward_seed",
                                                               "used_far_apart",
                                                               "long_fusible_chain",
                                                               "forced_save"};
};
template<>
struct EnumWords<passes::SaveObstacle> {
    static constexpr std::array<std::string_view, 6> names = {
        "none", "not_a_tensor", "view", "must_recompute", "forced_recompute", "overwritten"};
};

template<>
struct Fields<passes::Ban> {
    static constexpr void visit(auto& field, auto& ban) {
        field("reason", ban.reason);
        field("other", ban.other);
        field("left", ban.left);
        field("right", ban.right);
    }
};

template<>
struct Fields<passes::NodeDecision> {
    static constexpr void visit(auto& field, auto& decision) {
        field("side", decision.side);
        field("fate", decision.fate);
        field("merged_into", decision.mergedInto);
        field("forward_order", decision.forwardOrder);
        field("distance_from_backward", decision.distanceFromBackward);
        field("bytes", decision.bytes);
        field("weight", decision.weight);
        field("obstacle", decision.obstacle);
        field("bans", decision.bans);
        field("by_tag", decision.byTag);
    }
};

template<>
struct Fields<passes::CutEdge> {
    static constexpr void visit(auto& field, auto& edge) {
        field("node", edge.node);
        field("weight", edge.weight);
    }
};

template<>
struct Fields<passes::BudgetReport::Item> {
    static constexpr void visit(auto& field, auto& item) {
        field("node", item.node);
        field("memory", item.memory);
        field("runtime", item.runtime);
        field("saved", item.saved);
    }
};

template<>
struct Fields<passes::BudgetReport> {
    static constexpr void visit(auto& field, auto& budget) {
        field("stage", budget.stage);
        field("input_bytes", budget.inputBytes);
        field("default_bytes", budget.defaultBytes);
        field("saved_bytes", budget.savedBytes);
        field("items", budget.items);
        field("recomputed_runtime", budget.recomputedRuntime);
    }
};

template<>
struct Fields<passes::PartitionReport> {
    static constexpr void visit(auto& field, auto& report) {
        field("partitioner", report.partitioner);
        field("fell_back_to_default", report.fellBackToDefault);
        field("tokens_stay", report.tokensStay);
        field("num_fwd_outputs", report.forwardOutputs);
        // Indexed by node id, and written by node name.
        field.elsewhere(report.nodes);
        field("cut", report.cut);
        field("cut_weight", report.cutWeight);
        field("budget", report.budget);
        field("unbound_symbols", report.unboundSymbols);
    }
};

template<>
struct Fields<passes::PartitionRules> {
    static constexpr void visit(auto& field, auto& rules) {
        field("merges_within_a_half", rules.mergesWithinAHalf);
        field("merges_pure_calls_alone", rules.mergesPureCallsAlone);
        field("keeps_mutated_buffers_apart", rules.keepsMutatedBuffersApart);
        field("compares_floats_by_bits", rules.comparesFloatsByBits);
        field("attention_draws_only_for_dropout", rules.attentionDrawsOnlyForDropout);
        field("leaky_relu_is_pointwise", rules.leakyReluIsPointwise);
        field("online_softmax_is_recomputable", rules.onlineSoftmaxIsRecomputable);
        field("record_stream_has_effect", rules.recordStreamHasEffect);
        field("async_assertions_are_never_saved", rules.asyncAssertionsAreNeverSaved);
        field("asserted_conditions_are_not_saved", rules.assertedConditionsAreNotSaved);
        field("marks_elements_of_collectives", rules.marksElementsOfCollectives);
        field("effects_are_never_recomputed", rules.effectsAreNeverRecomputed);
        field("overwritten_inputs_cannot_be_saved", rules.overwrittenInputsCannotBeSaved);
        field("empty_knapsack_keeps_the_cut", rules.emptyKnapsackKeepsTheCut);
        field("only_makers_bind_symbols", rules.onlyMakersBindSymbols);
        field("saves_symbols_of_equal_sizes", rules.savesSymbolsOfEqualSizes);
        field("guesses_within_asserted_bounds", rules.guessesWithinAssertedBounds);
        field("counts_all_attention", rules.countsAllAttention);
        field("tensorifies_more", rules.tensorifiesMore);
        field("pairs_calls_by_id", rules.pairsCallsById);
    }
};

template<>
struct Fields<passes::Partition> {
    static constexpr void visit(auto& field, auto& partition) {
        // Null where it is the function's graph.
        field.elsewhere(partition.joint);
        field("rules", partition.rules);
        field("forward", partition.forward);
        field("backward", partition.backward);
        field("num_fwd_outputs", partition.forwardOutputs);
        field("saved_for_backward", partition.savedTensors);
        field("saved_symints", partition.savedSymbols);
        field("report", partition.report);
        field("forward_names", partition.forwardNames);
        field("backward_names", partition.backwardNames);
        field.elsewhere(partition.hooks);
        field("forward_before_hooks", partition.forwardBeforeHooks);
        field("backward_before_hooks", partition.backwardBeforeHooks);
        field("donates_buffers", partition.donatesBuffers);
    }
};

template<>
struct Fields<passes::RecomputeBans> {
    static constexpr void visit(auto& field, auto& bans) {
        field("used_far_apart", bans.usedFarApart);
        field("long_fusible_chains", bans.longFusibleChains);
        field("materialized_backward", bans.materializedBackward);
        field("not_in_allowlist", bans.notInAllowlist);
        field("reductions", bans.reductions);
    }
};
template<>
struct EnumWords<passes::BudgetSolver> {
    static constexpr std::array<std::string_view, 5> names = {
        "dp", "greedy", "ilp", "dp_knapsack_sliding_hirschberg", "dynamic_memory_budget_dp"};
};
template<>
struct EnumWords<passes::RuntimeEstimator> {
    static constexpr std::array<std::string_view, 2> names = {"flops", "testing"};
};
template<>
struct EnumWords<passes::Forced> {
    static constexpr std::array<std::string_view, 2> names = {"save", "recompute"};
};
template<>
struct Fields<passes::NodeChoice> {
    static constexpr void visit(auto& field, auto& choice) {
        field("node", choice.node);
        field("choice", choice.choice);
    }
};
template<>
struct Fields<passes::PartitionOptions> {
    static constexpr void visit(auto& field, auto& options) {
        field("rules", options.rules);
        field("partitioner", options.partitioner);
        field("forward_outputs", options.forwardOutputs);
        field("static_inputs", options.staticInputs);
        field("input_symbols", options.inputSymbols);
        field("generator_states", options.generatorStateSymbols);
        field("bans", options.bans);
        field("max_distance", options.maxDistanceFromBackward);
        field("recompute_views", options.recomputeViews);
        field("aggressive", options.aggressiveRecomputation);
        field("parameters_are_free", options.treatParametersAsFreeToSave);
        field("non_builtin", options.nonBuiltinToInclude);
        field("collectives", options.unsafeAllowOptimizationOfCollectives);
        field("cse", options.mergeCommonSubexpressions);
        field("keep_random", options.keepUnusedRandom);
        field("memory_budget", options.memoryBudget);
        field("budget_is_chosen", options.budgetIsChosen);
        field("budget_requires_full_coverage", options.budgetRequiresFullCoverage);
        field("donates_buffers", options.donatesBuffers);
        field("unlifts_tokens", options.unliftTokens);
        field("solver", options.solver);
        field("estimator", options.estimator);
        // A function: a partition with one is not cached (cache/cacheable.h).
        field.elsewhere(options.measuredRuntime, NotInKey());
        field("choices", options.choices);
    }
};

} // namespace aotscope::aot::detail
