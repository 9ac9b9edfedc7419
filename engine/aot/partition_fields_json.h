#pragma once

#include "aot/fields_json.h"

#include "passes/partition.h"

#include <array>
#include <string_view>

/// The members of a partition's report for fields_json.h. Nodes are written by name.
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
    static void visit(auto& field, auto& ban) {
        field("reason", ban.reason);
        field("other", ban.other);
        field("left", ban.left);
        field("right", ban.right);
    }
};

template<>
struct Fields<passes::NodeDecision> {
    static void visit(auto& field, auto& decision) {
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
    static void visit(auto& field, auto& edge) {
        field("node", edge.node);
        field("weight", edge.weight);
    }
};

template<>
struct Fields<passes::BudgetReport::Item> {
    static void visit(auto& field, auto& item) {
        field("node", item.node);
        field("memory", item.memory);
        field("runtime", item.runtime);
        field("saved", item.saved);
    }
};

template<>
struct Fields<passes::BudgetReport> {
    static void visit(auto& field, auto& budget) {
        field("stage", budget.stage);
        field("input_bytes", budget.inputBytes);
        field("default_bytes", budget.defaultBytes);
        field("saved_bytes", budget.savedBytes);
        field("items", budget.items);
        field("recomputed_runtime", budget.recomputedRuntime);
    }
};

/// All members but the decisions: those are indexed by node id and written by node name elsewhere.
template<>
struct Fields<passes::PartitionReport> {
    static void visit(auto& field, auto& report) {
        field("partitioner", report.partitioner);
        field("fell_back_to_default", report.fellBackToDefault);
        field("tokens_stay", report.tokensStay);
        field("num_fwd_outputs", report.forwardOutputs);
        field("cut", report.cut);
        field("cut_weight", report.cutWeight);
        field("budget", report.budget);
        field("unbound_symbols", report.unboundSymbols);
    }
};

/// All members but the graphs.
template<>
struct Fields<passes::Partition> {
    static void visit(auto& field, auto& partition) {
        field("num_fwd_outputs", partition.forwardOutputs);
        field("saved_for_backward", partition.savedTensors);
        field("saved_symints", partition.savedSymbols);
        field("donates_buffers", partition.donatesBuffers);
        field("report", partition.report);
    }
};

} // namespace aotscope::aot::detail
