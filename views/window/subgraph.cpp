#include "window/subgraph.h"

#include <algorithm>
#include <map>
#include <set>

namespace aotscope::views {

namespace {

using IdMap = std::map<ir::NodeId, ir::NodeId>;

ir::Argument renamed(const ir::Argument& argument, const IdMap& ids) {
    const auto all = [&](const ir::Arguments& items) {
        ir::Arguments result;
        for (const ir::Argument& item : items) {
            result.push_back(renamed(item, ids));
        }
        return result;
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

} // namespace

ir::GraphPtr neighbourhood(const ir::Graph& graph, ir::NodeId node) {
    std::set<ir::NodeId> kept{node};
    for (const auto neighbours : {graph.inputs(node), graph.users(node)}) {
        kept.insert(neighbours.begin(), neighbours.end());
    }
    std::erase_if(kept, [&](ir::NodeId id) { return graph.node(id).op == ir::Opcode::Output; });
    std::vector<ir::NodeId> outer;
    for (const ir::NodeId id : kept) {
        for (const ir::NodeId input : graph.inputs(id)) {
            if (!kept.contains(input) && std::find(outer.begin(), outer.end(), input) == outer.end()) {
                outer.push_back(input);
            }
        }
    }
    const auto byPosition = [&](ir::NodeId left, ir::NodeId right) {
        return graph.position(left) < graph.position(right);
    };
    std::sort(outer.begin(), outer.end(), byPosition);
    std::vector<ir::NodeId> inner(kept.begin(), kept.end());
    std::sort(inner.begin(), inner.end(), byPosition);

    ir::Graph result;
    IdMap ids;
    const auto appendPlaceholder = [&](ir::NodeId id) {
        ir::Node placeholder;
        placeholder.op = ir::Opcode::Placeholder;
        placeholder.name = graph.node(id).name;
        placeholder.target = placeholder.name;
        placeholder.value = graph.node(id).value;
        ids[id] = result.append(std::move(placeholder));
    };
    std::for_each(outer.begin(), outer.end(), appendPlaceholder);
    const auto isPlaceholder = [&](ir::NodeId id) { return graph.node(id).op == ir::Opcode::Placeholder; };
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
        if (id == node ? inner.back() == node : graph.position(id) > graph.position(node)) {
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
    return ir::Graph::freeze(std::move(result));
}

} // namespace aotscope::views
