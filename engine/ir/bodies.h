#pragma once

#include "ir/graph.h"

#include <algorithm>
#include <string>
#include <vector>

/// The graphs inside of a graph: bodies of higher-order operators, which get them through get_attr nodes.
namespace aotscope::ir {

/// The body that a get_attr node names; null: another kind of node, another attribute, or the log does not
/// hold the graph.
[[nodiscard]] GraphPtr bodyOf(const GraphContents& graph, const Node& node);
/// The body that an argument refers to through a get_attr node; null for other arguments.
[[nodiscard]] GraphPtr bodyOf(const Graph& graph, const Argument& argument);
/// The body that a call has as positional argument; null: there is none.
[[nodiscard]] GraphPtr bodyAt(const Graph& graph, const Node& call, std::size_t position);
/// The bodies that a call gets, in the order of its inputs.
[[nodiscard]] std::vector<GraphPtr> bodiesOf(const Graph& graph, NodeId call);

/// Calls `visit(const Graph&)` for the bodies in a graph on all levels, each before those inside of it.
template<typename Visit>
void forEachBody(const Graph& graph, Visit&& visit) {
    for (const auto& [name, body] : graph.subgraphs()) {
        if (body) {
            visit(*body);
            forEachBody(*body, visit);
        }
    }
}
/// Whether `holds(const Graph&)` is true for one of them; those after it are not tried.
template<typename Predicate>
[[nodiscard]] bool anyBody(const Graph& graph, Predicate&& holds) {
    return std::ranges::any_of(graph.subgraphs(), [&](const auto& entry) {
        return entry.second && (holds(*entry.second) || anyBody(*entry.second, holds));
    });
}

struct NestedGraph {
    /// Names from the outermost graph inwards.
    std::vector<std::string> path;
    GraphPtr graph;
    /// The target of the call that gets the body; empty: nothing in the graph uses it.
    std::string usedBy;
};

/// The bodies in a graph on all levels, with their names; each before those inside of it.
[[nodiscard]] std::vector<NestedGraph> nestedGraphs(const Graph& graph);

} // namespace aotscope::ir
