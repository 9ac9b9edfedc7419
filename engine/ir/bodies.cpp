#include "ir/bodies.h"

namespace aotscope::ir {

namespace {

std::string userOf(const Graph& graph, const std::string& name) {
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.op == Opcode::GetAttr && node.target == name && !graph.users(id).empty()) {
            return graph.node(graph.users(id).front()).target;
        }
    }
    return {};
}

void add(const Graph& graph, const std::vector<std::string>& path, std::vector<NestedGraph>& all) {
    for (const auto& [name, nested] : graph.subgraphs()) {
        if (!nested) {
            continue;
        }
        std::vector<std::string> inner = path;
        inner.push_back(name);
        all.push_back({inner, nested, userOf(graph, name)});
        add(*nested, inner, all);
    }
}

} // namespace

GraphPtr bodyOf(const GraphContents& graph, const Node& node) {
    return node.op == Opcode::GetAttr ? graph.trySubgraph(node.target) : nullptr;
}

GraphPtr bodyOf(const Graph& graph, const Argument& argument) {
    const NodeId* node = argument.as<NodeId>();
    return node != nullptr ? bodyOf(graph, graph.node(*node)) : nullptr;
}

GraphPtr bodyAt(const Graph& graph, const Node& call, std::size_t position) {
    return position < call.args.size() ? bodyOf(graph, call.args[position]) : nullptr;
}

std::vector<GraphPtr> bodiesOf(const Graph& graph, NodeId call) {
    std::vector<GraphPtr> bodies;
    for (const NodeId input : graph.inputs(call)) {
        if (GraphPtr body = bodyOf(graph, graph.node(input))) {
            bodies.push_back(std::move(body));
        }
    }
    return bodies;
}

std::vector<NestedGraph> nestedGraphs(const Graph& graph) {
    std::vector<NestedGraph> all;
    add(graph, {}, all);
    return all;
}

} // namespace aotscope::ir
