#pragma once

#include "ir/argument.h"
#include "ir/graph.h"

#include <memory>

namespace aotscope::ir {

/// `argument` with every node replaced by `mapped(node)`, a node or an argument. A Python expression that is
/// not interpreted keeps a node that is replaced by something else.
template<typename Map>
[[nodiscard]] Argument mapNodes(const Argument& argument, const Map& mapped) {
    if (const auto* node = argument.as<NodeId>()) {
        return mapped(*node);
    }
    const auto mapItems = [&](const Arguments& items) {
        Arguments copies;
        copies.reserve(items.size());
        for (const Argument& item : items) {
            copies.push_back(mapNodes(item, mapped));
        }
        return copies;
    };
    if (const auto* list = argument.as<ListArgument>()) {
        return ListArgument{mapItems(list->items)};
    }
    if (const auto* tuple = argument.as<TupleArgument>()) {
        return TupleArgument{mapItems(tuple->items)};
    }
    if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        return std::make_shared<const SliceArgument>(SliceArgument{mapNodes((*slice)->start, mapped),
                                                                   mapNodes((*slice)->stop, mapped),
                                                                   mapNodes((*slice)->step, mapped)});
    }
    if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        auto copy = std::make_shared<DictArgument>();
        for (const auto& [key, item] : (*dict)->items) {
            copy->items.emplace_back(mapNodes(key, mapped), mapNodes(item, mapped));
        }
        return std::shared_ptr<const DictArgument>(std::move(copy));
    }
    if (const auto* opaque = argument.as<OpaqueArgument>()) {
        OpaqueArgument copy = *opaque;
        for (NodeId& node : copy.nodes) {
            const Argument replacement = mapped(node);
            const NodeId* other = replacement.as<NodeId>();
            node = other == nullptr ? node : *other;
        }
        return copy;
    }
    return argument;
}

/// The same in all arguments of a node.
template<typename Map>
void mapArguments(Node& node, const Map& mapped) {
    for (Argument& argument : node.args) {
        argument = mapNodes(argument, mapped);
    }
    for (KeywordArgument& keyword : node.kwargs) {
        keyword.value = mapNodes(keyword.value, mapped);
    }
}

} // namespace aotscope::ir
