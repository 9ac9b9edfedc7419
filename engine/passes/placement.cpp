#include "passes/placement.h"

#include "ir/phase.h"

#include <algorithm>
#include <optional>

namespace aotscope::passes {
namespace {

/// A node of both halves is bound to neither.
ir::PartitionerTag recordedTag(const ir::Node& node) {
    return node.partitionerTag == ir::PartitionerTag::Both ? ir::PartitionerTag::None : node.partitionerTag;
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

void deriveTags(const ir::Graph& graph, const NodeFlags& flags, std::vector<ir::PartitionerTag>& tags) {
    const std::vector<ir::Phase> phases = ir::nodePhases(graph);
    for (const ir::NodeId id : graph.order()) {
        if (graph.node(id).op != ir::Opcode::Output) {
            tags[id.index()] = phases[id.index()] == ir::Phase::Forward ? ir::PartitionerTag::Forward
                                                                        : ir::PartitionerTag::Backward;
        }
    }
    const std::vector<bool> tangent = ir::needsTangent(graph);
    std::vector<bool> written(graph.idBound(), false);
    const std::vector<ir::NodeId> copies = closingCopies(graph, flags, tangent);
    const std::optional<std::size_t> end = endOfBackward(graph, tangent);
    for (const ir::NodeId id : graph.order()) {
        const bool isViewAmongCopies = !copies.empty() && graph.position(id) > graph.position(copies.back());
        const bool isViewAtEnd =
            end && graph.position(id) > *end && tags[id.index()] == ir::PartitionerTag::Forward;
        if (isViewAmongCopies || isViewAtEnd) {
            tags[id.index()] = ir::PartitionerTag::None;
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
        tags[id->index()] =
            backward ? ir::PartitionerTag::MustBeInBackward : ir::PartitionerTag::MustBeInForward;
    }
}

} // namespace

std::vector<ir::PartitionerTag> placementTags(const ir::Graph& graph, const NodeFlags& flags) {
    std::vector<ir::PartitionerTag> tags(graph.idBound(), ir::PartitionerTag::None);
    bool anyRecorded = false;
    for (const ir::NodeId id : graph.order()) {
        tags[id.index()] = recordedTag(graph.node(id));
        anyRecorded = anyRecorded || tags[id.index()] != ir::PartitionerTag::None;
    }
    if (!anyRecorded) {
        deriveTags(graph, flags, tags);
    }
    return tags;
}

} // namespace aotscope::passes
