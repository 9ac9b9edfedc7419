#pragma once

#include "base/mapped.h"
#include "ir/argument.h"
#include "ir/graph.h"

#include <memory>

namespace aotscope::ir {

/// `argument` with everything in it that holds no other arguments replaced by `mapped(leaf)`.
template<typename Map>
[[nodiscard]] Argument mapLeaves(const Argument& argument, const Map& mapped) {
    const auto mapItems = [&](const Arguments& items) {
        return base::mapped(items, [&](const Argument& item) { return mapLeaves(item, mapped); });
    };
    if (const Arguments* items = itemsOf(argument)) {
        return argument.as<ListArgument>() != nullptr ? Argument(ListArgument{mapItems(*items)})
                                                      : Argument(TupleArgument{mapItems(*items)});
    }
    if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        return std::make_shared<const SliceArgument>(SliceArgument{mapLeaves((*slice)->start, mapped),
                                                                   mapLeaves((*slice)->stop, mapped),
                                                                   mapLeaves((*slice)->step, mapped)});
    }
    if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        auto copy = std::make_shared<DictArgument>();
        for (const auto& [key, item] : (*dict)->items) {
            copy->items.emplace_back(mapLeaves(key, mapped), mapLeaves(item, mapped));
        }
        return std::shared_ptr<const DictArgument>(std::move(copy));
    }
    return mapped(argument);
}

/// `argument` with every node replaced by `mapped(node)`, a node or an argument. A Python expression that is
/// not interpreted keeps a node that is replaced by something else.
template<typename Map>
[[nodiscard]] Argument mapNodes(const Argument& argument, const Map& mapped) {
    return mapLeaves(argument, [&](const Argument& leaf) -> Argument {
        if (const auto* node = leaf.as<NodeId>()) {
            return mapped(*node);
        }
        if (const auto* opaque = leaf.as<OpaqueArgument>()) {
            OpaqueArgument copy = *opaque;
            for (NodeId& node : copy.nodes) {
                const Argument replacement = mapped(node);
                const NodeId* other = replacement.as<NodeId>();
                node = other == nullptr ? node : *other;
            }
            return copy;
        }
        return leaf;
    });
}

/// mapNodes in all arguments of a node.
template<typename Map>
void mapArguments(Node& node, const Map& mapped) {
    forEachArgument(node, [&](Argument& argument) { argument = mapNodes(argument, mapped); });
}

} // namespace aotscope::ir
