#pragma once

#include "passes/extract_graph.h"
#include "passes/joint_program.h"

#include "ir/graph.h"

#include <cstdint>
#include <span>

namespace aotscope::passes {

/// The FX graph of an extracted half. `order` holds positions in the sequence inputs, nodes, output. Nodes
/// keep their names and metadata; subgraphs and constants that a get_attr names are copied too. Follows
/// torch 2.11, torch/_functorch/partitioners.py: _extract_graph_with_inputs_outputs.
[[nodiscard]] ir::Graph assembleGraph(const JointProgram& program, const ExtractedGraph& extracted,
                                      std::span<const std::uint32_t> order);

/// `argument` with every node replaced by `mapped(node)`, a node or an argument. A Python expression that is
/// not interpreted keeps a node that is replaced by something else.
template<typename Map>
[[nodiscard]] ir::Argument mapNodes(const ir::Argument& argument, const Map& mapped) {
    if (const auto* node = argument.as<ir::NodeId>()) {
        return mapped(*node);
    }
    if (const auto* list = argument.as<ir::ListArgument>()) {
        ir::ListArgument copy;
        copy.items.reserve(list->items.size());
        for (const ir::Argument& item : list->items) {
            copy.items.push_back(mapNodes(item, mapped));
        }
        return copy;
    }
    if (const auto* tuple = argument.as<ir::TupleArgument>()) {
        ir::TupleArgument copy;
        copy.items.reserve(tuple->items.size());
        for (const ir::Argument& item : tuple->items) {
            copy.items.push_back(mapNodes(item, mapped));
        }
        return copy;
    }
    if (const auto* slice = argument.as<std::shared_ptr<const ir::SliceArgument>>()) {
        return std::make_shared<const ir::SliceArgument>(ir::SliceArgument{mapNodes((*slice)->start, mapped),
                                                                           mapNodes((*slice)->stop, mapped),
                                                                           mapNodes((*slice)->step, mapped)});
    }
    if (const auto* dict = argument.as<std::shared_ptr<const ir::DictArgument>>()) {
        auto copy = std::make_shared<ir::DictArgument>();
        for (const auto& [key, item] : (*dict)->items) {
            copy->items.emplace_back(mapNodes(key, mapped), mapNodes(item, mapped));
        }
        return std::shared_ptr<const ir::DictArgument>(std::move(copy));
    }
    if (const auto* opaque = argument.as<ir::OpaqueArgument>()) {
        ir::OpaqueArgument copy = *opaque;
        for (ir::NodeId& node : copy.nodes) {
            const ir::Argument replacement = mapped(node);
            const ir::NodeId* other = replacement.as<ir::NodeId>();
            node = other == nullptr ? node : *other;
        }
        return copy;
    }
    return argument;
}

} // namespace aotscope::passes
