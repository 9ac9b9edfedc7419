#include "window/subgraph.h"

#include "base/mapped.h"
#include "ir/graph_builder.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace aotscope::views {

namespace {

using IdMap = std::map<ir::NodeId, ir::NodeId>;

ir::Argument renamed(const ir::Argument& argument, const IdMap& ids) {
    const auto all = [&](const ir::Arguments& items) {
        return base::mapped(items, [&](const ir::Argument& item) { return renamed(item, ids); });
    };
    if (const ir::NodeId* node = argument.as<ir::NodeId>()) {
        return ids.at(*node);
    }
    if (const auto* list = argument.as<ir::ListArgument>()) {
        return ir::ListArgument{all(list->items)};
    }
    if (const auto* tuple = argument.as<ir::TupleArgument>()) {
        return ir::TupleArgument{all(tuple->items)};
    }
    if (const auto* slice = argument.as<std::shared_ptr<const ir::SliceArgument>>()) {
        return std::shared_ptr<const ir::SliceArgument>(std::make_shared<ir::SliceArgument>(ir::SliceArgument{
            renamed((*slice)->start, ids), renamed((*slice)->stop, ids), renamed((*slice)->step, ids)}));
    }
    if (const auto* dict = argument.as<std::shared_ptr<const ir::DictArgument>>()) {
        auto copy = std::make_shared<ir::DictArgument>();
        for (const auto& [key, value] : (*dict)->items) {
            copy->items.emplace_back(renamed(key, ids), renamed(value, ids));
        }
        return std::shared_ptr<const ir::DictArgument>(std::move(copy));
    }
    if (const auto* opaque = argument.as<ir::OpaqueArgument>()) {
        ir::OpaqueArgument copy = *opaque;
        for (ir::NodeId& id : copy.nodes) {
            id = ids.at(id);
        }
        return copy;
    }
    return argument;
}

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
        for (ir::Argument& argument : copy.args) {
            argument = renamed(argument, ids);
        }
        for (ir::KeywordArgument& keyword : copy.kwargs) {
            keyword.value = renamed(keyword.value, ids);
        }
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
