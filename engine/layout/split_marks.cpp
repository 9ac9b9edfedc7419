#include "layout/split_marks.h"

#include "layout/visible_graph.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace aotscope::layout {
namespace {

std::uint64_t keyOf(BoxId from, BoxId to) {
    return (std::uint64_t{from.index()} << 32U) | to.index();
}

BoxId boxOf(const Layout& layout, ir::NodeId node) {
    return node.index() < layout.boxOfNode.size() ? layout.boxOfNode[node.index()] : BoxId();
}

/// Edges are identified by their ends, because one edge may stand for several nodes of closed groups.
void markEdges(SplitMarks& marks, const ir::Graph& graph, const Layout& layout, const ir::NodeFates& fates) {
    marks.carried.resize(layout.edges.size());
    std::unordered_map<std::uint64_t, std::size_t> across;
    for (std::size_t i = 0; i < layout.edges.size(); ++i) {
        if (layout.edges[i].kind == EdgeKind::Saved) {
            across.emplace(keyOf(layout.edges[i].from, layout.edges[i].to), i);
        }
    }
    if (across.empty()) {
        return;
    }
    // By edge: the last node it was reached from, so that each value counts once.
    std::vector<ir::NodeId> reachedFrom(layout.edges.size());
    for (const ir::NodeId node : graph.order()) {
        const BoxId from = boxOf(layout, node);
        if (!from.valid() || fates[node.index()] != ir::NodeFate::Saved) {
            continue;
        }
        for (const ir::NodeId user : graph.users(node)) {
            const BoxId to = boxOf(layout, user);
            const auto edge = to.valid() ? across.find(keyOf(from, to)) : across.end();
            if (edge != across.end() && reachedFrom[edge->second] != node) {
                reachedFrom[edge->second] = node;
                marks.carried[edge->second] =
                    marks.carried[edge->second].value_or(0) + nodeBytes(graph, node);
            }
        }
    }
    for (const auto& [ends, edge] : across) {
        ++(marks.carried[edge] ? marks.carriedEdges : marks.emptyEdges);
    }
}

} // namespace

double bandWidth(std::int64_t bytes) {
    return bytes <= 0 ? 2 : std::clamp(2 + (std::log2(static_cast<double>(bytes)) - 10) * 0.5, 1.5, 12.0);
}

SplitMarks splitMarks(const ir::Graph& graph, const Layout& layout, const ir::NodeFates& fates) {
    SplitMarks marks;
    marks.recomputed.assign(layout.boxes.size(), false);
    for (const ir::NodeId node : graph.order()) {
        const BoxId box = boxOf(layout, node);
        if (box.valid() && fates[node.index()] == ir::NodeFate::Recomputed &&
            !marks.recomputed[box.index()]) {
            marks.recomputed[box.index()] = true;
            ++marks.recomputedBoxes;
        }
    }
    markEdges(marks, graph, layout, fates);
    return marks;
}

} // namespace aotscope::layout
