#include "window/subgraph.h"

#include "ir/graph_builder.h"
#include "ir/map_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace aotscope::views {

namespace {

using IdMap = std::map<ir::NodeId, ir::NodeId>;

template<typename IsReturned>
ir::GraphPtr partWith(const ir::Graph& graph, std::set<ir::NodeId> kept, const IsReturned& isReturned) {
    std::erase_if(kept, [&](ir::NodeId id) { return graph.node(id).op == ir::Opcode::Output; });
    std::set<ir::NodeId> inputs;
    for (const ir::NodeId id : kept) {
        for (const ir::NodeId input : graph.inputs(id)) {
            if (!kept.contains(input)) {
                inputs.insert(input);
            }
        }
    }
    const auto inOrder = [&](const std::set<ir::NodeId>& nodes) {
        std::vector<ir::NodeId> sorted(nodes.begin(), nodes.end());
        std::ranges::sort(sorted, {}, [&](ir::NodeId id) { return graph.position(id); });
        return sorted;
    };
    ir::GraphBuilder result;
    IdMap ids;
    const auto appendPlaceholder = [&](ir::NodeId id) {
        ir::Node placeholder;
        placeholder.op = ir::Opcode::Placeholder;
        placeholder.name = graph.node(id).name;
        placeholder.target = placeholder.name;
        placeholder.value = graph.node(id).value;
        ids[id] = result.append(std::move(placeholder));
    };
    std::ranges::for_each(inOrder(inputs), appendPlaceholder);
    const auto isPlaceholder = [&](ir::NodeId id) { return graph.node(id).op == ir::Opcode::Placeholder; };
    const std::vector<ir::NodeId> inner = inOrder(kept);
    for (const ir::NodeId id : inner) {
        if (isPlaceholder(id)) {
            appendPlaceholder(id);
        }
    }
    ir::TupleArgument returned;
    for (const ir::NodeId id : inner) {
        if (isPlaceholder(id)) {
            continue;
        }
        ir::Node copy = graph.node(id);
        ir::mapArguments(copy, [&ids](ir::NodeId input) { return ids.at(input); });
        ids[id] = result.append(std::move(copy));
        if (isReturned(id)) {
            returned.items.emplace_back(ids[id]);
        }
    }
    ir::Node output;
    output.op = ir::Opcode::Output;
    output.name = "output";
    output.target = "output";
    output.args.emplace_back(std::move(returned));
    result.append(std::move(output));
    for (const auto& [name, subgraph] : graph.subgraphs()) {
        result.addSubgraph(name, subgraph);
    }
    result.editSymbolHints() = graph.symbolHints();
    return result.finish();
}

} // namespace

ir::GraphPtr neighbourhood(const ir::Graph& graph, ir::NodeId node) {
    std::set<ir::NodeId> kept{node};
    for (const auto neighbours : {graph.inputs(node), graph.users(node)}) {
        kept.insert(neighbours.begin(), neighbours.end());
    }
    const auto isUser = [&](ir::NodeId id) { return graph.position(id) > graph.position(node); };
    const bool isUsed = std::ranges::any_of(
        kept, [&](ir::NodeId id) { return isUser(id) && graph.node(id).op != ir::Opcode::Output; });
    return partWith(graph, std::move(kept), [&](ir::NodeId id) { return isUsed ? isUser(id) : id == node; });
}

ir::GraphPtr partOf(const ir::Graph& graph, const std::vector<ir::NodeId>& nodes) {
    const std::set<ir::NodeId> kept(nodes.begin(), nodes.end());
    return partWith(graph, kept, [&](ir::NodeId id) {
        const auto users = graph.users(id);
        return users.empty() ||
               std::ranges::any_of(users, [&](ir::NodeId user) { return !kept.contains(user); });
    });
}

} // namespace aotscope::views
