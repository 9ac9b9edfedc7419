#pragma once

#include "aot/fields_json.h"
#include "aot/listed_members.h"

#include "passes/partition.h"

/// The members of a partition, its report and its options for fields_json.h. Nodes are written by name.
namespace aotscope::aot::detail {

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
        field("runtimes", options.runtimes);
        field("choices", options.choices);
    }
};

} // namespace aotscope::aot::detail
