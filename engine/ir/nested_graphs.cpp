#include "ir/nested_graphs.h"

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

std::vector<NestedGraph> nestedGraphs(const Graph& graph) {
    std::vector<NestedGraph> all;
    add(graph, {}, all);
    return all;
}

} // namespace aotscope::ir
