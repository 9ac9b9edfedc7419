#include "passes/edited_half.h"

#include "ir/map_nodes.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace aotscope::passes {

EditedHalf::EditedHalf(const ir::Graph& graph, const std::vector<std::string>& names)
    : m_graph(graph), m_nodes(graph.idBound()) {
    const std::set<std::string_view> given(names.begin(), names.end());
    for (const std::string& name : names) {
        m_names.create(name);
    }
    for (const ir::NodeId id : graph.order()) {
        const std::string& name = graph.node(id).name;
        m_nodes[id.index()] = graph.node(id);
        m_taken.insert(name);
        if (!given.contains(name)) {
            m_names.create(name);
        }
        m_order.push_back(id);
    }
}

EditedHalf::Position EditedHalf::find(ir::NodeId id) {
    return std::ranges::find(m_order, id);
}

ir::NodeId EditedHalf::insert(Position before, ir::Node node, bool remembered) {
    node.name = m_names.create(node.name);
    if (remembered) {
        m_taken.insert(node.name);
    }
    const ir::NodeId id(static_cast<std::uint32_t>(m_nodes.size()));
    m_nodes.push_back(std::move(node));
    m_order.insert(before, id);
    return id;
}

void EditedHalf::replaceUses(ir::NodeId from, const ir::Argument& to, const std::set<ir::NodeId>& except) {
    const auto mapped = [&](ir::NodeId id) { return id == from ? to : ir::Argument(id); };
    for (const ir::NodeId id : m_order) {
        if (m_erased.contains(id) || except.contains(id)) {
            continue;
        }
        ir::mapArguments(node(id), mapped);
    }
}

ir::GraphPtr EditedHalf::finish() const {
    ir::Graph made;
    made.reserve(m_order.size());
    made.editStyle() = m_graph.style();
    made.editSymbolHints() = m_graph.symbolHints();
    for (const auto& [name, subgraph] : m_graph.subgraphs()) {
        made.addSubgraph(name, subgraph);
    }
    for (const auto& [name, value] : m_graph.constants()) {
        made.addConstant(name, value);
    }
    std::vector<ir::NodeId> ids(m_nodes.size());
    const auto mapped = [&ids](ir::NodeId id) { return ir::Argument(ids[id.index()]); };
    for (const ir::NodeId id : m_order) {
        if (m_erased.contains(id)) {
            continue;
        }
        ir::Node node = m_nodes[id.index()];
        ir::mapArguments(node, mapped);
        ids[id.index()] = made.append(std::move(node));
    }
    return ir::Graph::freeze(std::move(made));
}

} // namespace aotscope::passes
