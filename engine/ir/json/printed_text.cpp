#include "ir/json/printed_text.h"

#include <optional>
#include <vector>

namespace aotscope::ir::detail {
namespace {

/// The nodes of `printed` in the order of those of `graph`, found by name: a text names all placeholders
/// first. Nothing when the two do not have the same nodes.
std::optional<std::vector<NodeId>> printedNodes(const GraphContents& graph, const Graph& printed) {
    if (graph.size() != printed.size()) {
        return std::nullopt;
    }
    std::vector<NodeId> partners;
    partners.reserve(graph.size());
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        // An output's name is not printed.
        const std::optional<NodeId> partner =
            node.op == Opcode::Output ? printed.output() : printed.tryFind(node.name);
        if (!partner || printed.node(*partner).op != node.op) {
            return std::nullopt;
        }
        partners.push_back(*partner);
    }
    return partners;
}

/// The comment above a node, completed with fields that only the node's own keys have.
std::shared_ptr<const NodeOrigin> joined(const std::shared_ptr<const NodeOrigin>& known,
                                         const std::shared_ptr<const NodeOrigin>& printed) {
    if (!printed || !known) {
        return printed ? printed : known;
    }
    NodeOrigin both = *printed;
    both.recompute = both.recompute.empty() ? known->recompute : both.recompute;
    both.acGraphId = both.acGraphId ? both.acGraphId : known->acGraphId;
    return both == *printed ? printed : std::make_shared<const NodeOrigin>(std::move(both));
}

} // namespace

void takePrinted(GraphBuilder& graph, const Graph& printed) {
    const std::optional<std::vector<NodeId>> partners = printedNodes(graph, printed);
    if (!partners) {
        return;
    }
    for (std::size_t position = 0; position < graph.size(); ++position) {
        NodeMeta& node = graph.editMeta(graph.order()[position]);
        node.origin = joined(node.origin, printed.node((*partners)[position]).origin);
    }
    for (const auto& [name, subgraph] : printed.subgraphs()) {
        if (!graph.trySubgraph(name)) {
            graph.addSubgraph(name, subgraph);
        }
    }
    graph.editStyle() = printed.style();
}

} // namespace aotscope::ir::detail
