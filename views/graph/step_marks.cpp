#include "graph/step_marks.h"

#include "graph/graph_facts.h"

#include <set>
#include <unordered_map>

namespace aotscope::views {

namespace {

std::optional<passes::NodeFate> fateOf(const session::StepSnapshot& step, const std::string& name) {
    const auto node = step.partition.joint->tryFind(name);
    return node ? std::optional(step.partition.report.nodes[node->index()].fate) : std::nullopt;
}

std::uint64_t keyOf(BoxId from, BoxId to) {
    return (std::uint64_t(from.index()) << 32) | to.index();
}

/// Edges are told by their ends: one may stand for several nodes of closed groups.
void markEdges(StepMarks& marks, const GraphScene& scene, const session::StepSnapshot& step) {
    const std::vector<layout::Edge>& edges = scene.layout().edges;
    marks.carried.resize(edges.size());
    std::unordered_map<std::uint64_t, std::size_t> across;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges[i].kind == layout::EdgeKind::Saved) {
            across.emplace(keyOf(edges[i].from, edges[i].to), i);
        }
    }
    if (across.empty()) {
        return;
    }
    const ir::Graph& graph = scene.graph();
    for (const ir::NodeId node : graph.order()) {
        const BoxId from = scene.boxOf(node);
        if (!from.valid() || fateOf(step, graph.node(node).name) != passes::NodeFate::Saved) {
            continue;
        }
        std::set<std::size_t> reached;
        for (const ir::NodeId user : graph.users(node)) {
            const BoxId to = scene.boxOf(user);
            const auto edge = to.valid() ? across.find(keyOf(from, to)) : across.end();
            if (edge != across.end()) {
                reached.insert(edge->second);
            }
        }
        for (const std::size_t edge : reached) {
            marks.carried[edge] = marks.carried[edge].value_or(0) + nodeBytes(graph, node);
        }
    }
    for (const auto& [ends, edge] : across) {
        ++(marks.carried[edge] ? marks.carriedEdges : marks.emptyEdges);
    }
}

} // namespace

StepMarksPtr makeStepMarks(const GraphScene& scene, const session::StepSnapshot* step) {
    if (step == nullptr) {
        return nullptr;
    }
    auto marks = std::make_shared<StepMarks>();
    marks->recomputed.assign(scene.boxCount(), false);
    for (const ir::NodeId node : scene.graph().order()) {
        const BoxId box = scene.boxOf(node);
        if (box.valid() && !marks->recomputed[box.index()] &&
            fateOf(*step, scene.graph().node(node).name) == passes::NodeFate::Recomputed) {
            marks->recomputed[box.index()] = true;
            ++marks->recomputedBoxes;
        }
    }
    markEdges(*marks, scene, *step);
    return marks;
}

} // namespace aotscope::views
