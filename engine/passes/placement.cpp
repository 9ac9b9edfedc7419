#include "passes/placement.h"

#include "ir/phase.h"

#include <algorithm>
#include <optional>

namespace aotscope::passes {
namespace {

PlacementTag recordedTag(const ir::Node& node) {
    for (const auto& [key, json] : node.extra) {
        if (key == "partitioner_tag") {
            if (json == "\"must_be_in_forward\"") {
                return PlacementTag::MustBeInForward;
            }
            if (json == "\"must_be_in_backward\"") {
                return PlacementTag::MustBeInBackward;
            }
        }
    }
    switch (node.partitionerTag) {
    case ir::PartitionerTag::Forward:
        return PlacementTag::Forward;
    case ir::PartitionerTag::Backward:
        return PlacementTag::Backward;
    case ir::PartitionerTag::None:
    case ir::PartitionerTag::Both:
        break;
    }
    return PlacementTag::None;
}

std::vector<bool> needsTangent(const ir::Graph& graph) {
    std::vector<bool> needs(graph.idBound(), false);
    for (const ir::NodeId id : graph.order()) {
        const auto inputs = graph.inputs(id);
        needs[id.index()] =
            ir::isTangentOrBackwardToken(graph.node(id)) ||
            std::any_of(inputs.begin(), inputs.end(), [&](ir::NodeId input) { return needs[input.index()]; });
    }
    return needs;
}

/// The copies into inputs at the end of a joint graph, last one first. Views of the copied values, which are
/// outputs, may lie between them.
std::vector<ir::NodeId> closingCopies(const ir::Graph& graph, const NodeFlags& flags,
                                      const std::vector<bool>& tangent) {
    std::vector<ir::NodeId> copies;
    for (auto id = graph.order().rbegin(); id != graph.order().rend(); ++id) {
        const ir::Node& node = graph.node(*id);
        if (node.op == ir::Opcode::CallFunction && (flags[id->index()] & OpMutable) != 0) {
            copies.push_back(*id);
        } else if (node.op != ir::Opcode::Output && tangent[id->index()]) {
            break;
        }
    }
    return copies;
}

/// Position of the last node that needs a tangent. After it, views that are outputs are regenerated, and
/// these nodes are neither forward nor backward. Nothing: no node needs a tangent.
std::optional<std::size_t> endOfBackward(const ir::Graph& graph, const std::vector<bool>& tangent) {
    for (auto id = graph.order().rbegin(); id != graph.order().rend(); ++id) {
        if (graph.node(*id).op == ir::Opcode::CallFunction && tangent[id->index()]) {
            return graph.position(*id);
        }
    }
    return std::nullopt;
}

void deriveTags(const ir::Graph& graph, const NodeFlags& flags, std::vector<PlacementTag>& tags) {
    const std::vector<ir::Phase> phases = ir::nodePhases(graph);
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).op != ir::Opcode::Output) {
            tags[id.index()] =
                phases[id.index()] == ir::Phase::Forward ? PlacementTag::Forward : PlacementTag::Backward;
        }
    }
    const std::vector<bool> tangent = needsTangent(graph);
    std::vector<bool> written(graph.idBound(), false);
    const std::vector<ir::NodeId> copies = closingCopies(graph, flags, tangent);
    const std::optional<std::size_t> end = endOfBackward(graph, tangent);
    for (const ir::NodeId id : graph.order()) {
        const bool isViewAmongCopies = !copies.empty() && graph.position(id) > graph.position(copies.back());
        const bool isViewAtEnd =
            end && graph.position(id) > *end && tags[id.index()] == PlacementTag::Forward;
        if (isViewAmongCopies || isViewAtEnd) {
            tags[id.index()] = PlacementTag::None;
        }
    }
    for (auto id = copies.rbegin(); id != copies.rend(); ++id) {
        const ir::Node& node = graph.node(*id);
        const ir::NodeId* into = node.args.empty() ? nullptr : node.args[0].as<ir::NodeId>();
        if (into == nullptr) {
            continue;
        }
        const bool backward = tangent[id->index()] || written[into->index()];
        written[into->index()] = true;
        tags[id->index()] = backward ? PlacementTag::MustBeInBackward : PlacementTag::MustBeInForward;
    }
}

} // namespace

std::vector<PlacementTag> placementTags(const ir::Graph& graph, const NodeFlags& flags) {
    std::vector<PlacementTag> tags(graph.idBound(), PlacementTag::None);
    bool anyRecorded = false;
    for (const ir::NodeId id : graph.order()) {
        tags[id.index()] = recordedTag(graph.node(id));
        anyRecorded = anyRecorded || tags[id.index()] != PlacementTag::None;
    }
    if (!anyRecorded) {
        deriveTags(graph, flags, tags);
    }
    return tags;
}

} // namespace aotscope::passes
