#include "passes/partition_report.h"

#include <array>
#include <string_view>

namespace aotscope::passes {
namespace {

std::string nameOf(const ir::Graph& joint, ir::NodeId id) {
    return id.valid() ? '"' + joint.node(id).name + '"' : std::string("another node");
}

/// In the order of SaveObstacle.
constexpr std::array<std::string_view, 6> obstacleTexts{
    "",
    "it is not a tensor and cannot be saved",
    "views are always recomputed (recompute_views)",
    "activation checkpointing marks it to be recomputed",
    "you chose to have it recomputed",
    "the input is overwritten after the forward has returned"};

std::string savedText(const ir::Graph& joint, const NodeDecision& decision) {
    std::string text = "Saved: ";
    if (decision.bans.empty()) {
        text += decision.weight ? "it is the cheapest place to cut between forward and backward"
                                : "the backward reads it";
    } else {
        text += banText(joint, decision.bans.front());
    }
    if (decision.weight == 0) {
        return text + "; it is kept anyway, so saving it costs nothing (" + std::to_string(decision.bytes) +
               " bytes).";
    }
    if (decision.weight) {
        text += "; saving it costs " + std::to_string(*decision.weight) + " (" +
                std::to_string(decision.bytes) + " bytes";
        if (decision.distanceFromBackward) {
            text += ", " + std::to_string(*decision.distanceFromBackward) + " from the backward";
        }
        text += ")";
    }
    return text + ".";
}

} // namespace

std::string banText(const ir::Graph& joint, const Ban& ban) {
    switch (ban.reason) {
    case BanReason::MarkedMustSave:
        return "it is marked to be saved (MUST_SAVE)";
    case BanReason::NotInAllowlist:
        return "its operator is not on the list of those cheap enough to recompute";
    case BanReason::Random:
        return "it is random";
    case BanReason::ComputeIntensive:
        return "its operator is compute intensive";
    case BanReason::NonBuiltin:
        return "its operator is not one of PyTorch's own";
    case BanReason::MaterializedInBackward:
        return "the backward writes it to memory anyway, because " + nameOf(joint, ban.other) +
               " cannot fuse with it";
    case BanReason::TooFarFromBackward:
        return "it is too far from the backward (" + std::to_string(ban.left) + " edges, at most " +
               std::to_string(ban.right) + ")";
    case BanReason::Reduction:
        return "it reduces " + std::to_string(ban.left) + " bytes to " + std::to_string(ban.right) +
               ", less than a quarter";
    case BanReason::PrimalInput:
        return "it is an input of the forward";
    case BanReason::ForwardSeed:
        return "it is the forward's random seed";
    case BanReason::UsedFarApart:
        return "its input " + nameOf(joint, ban.other) + " is used far apart: beyond position " +
               std::to_string(ban.left) + " a use cannot fuse, and this use is at " +
               std::to_string(ban.right);
    case BanReason::LongFusibleChain:
        return "it ends a chain of more than 100 fusible nodes that begins at " + nameOf(joint, ban.other) +
               " (positions " + std::to_string(ban.left) + " to " + std::to_string(ban.right) + ")";
    case BanReason::ForcedSave:
        return "you chose to have it saved";
    }
    return {};
}

std::string decisionText(const ir::Graph& joint, const PartitionReport& report, ir::NodeId node) {
    const NodeDecision& decision = report.nodes[node.index()];
    if (decision.mergedInto.valid()) {
        return "Removed: equal to " + nameOf(joint, decision.mergedInto) + ", which replaces it.";
    }
    switch (decision.fate) {
    case ir::NodeFate::Saved:
        return savedText(joint, decision);
    case ir::NodeFate::Recomputed: {
        if (decision.obstacle != SaveObstacle::None) {
            return "Computed again in the backward: " +
                   std::string(obstacleTexts.at(static_cast<std::size_t>(decision.obstacle))) + ".";
        }
        return decision.byTag ? "Computed again in the backward: its checkpoint tag says so."
                              : "Computed again in the backward: that costs less than saving it (" +
                                    std::to_string(decision.bytes) + " bytes).";
    }
    case ir::NodeFate::ForwardOnly:
        return "Free: the backward does not need it.";
    case ir::NodeFate::BackwardOnly:
        return "Runs in the backward.";
    case ir::NodeFate::Removed:
        break;
    }
    return "Removed: nothing that is returned needs it.";
}

} // namespace aotscope::passes
