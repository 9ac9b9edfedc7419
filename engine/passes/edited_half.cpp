#include "passes/edited_half.h"

#include "ir/graph_builder.h"
#include "ir/map_nodes.h"

#include <string_view>
#include <utility>

namespace aotscope::passes {

EditedHalf::EditedHalf(const ir::Graph& graph, const std::vector<std::string>& names)
    : m_graph(graph),
      m_nodes(graph.idBound()),
      m_places(graph.idBound()),
      m_erased(graph.idBound(), false),
      m_replaced(graph.idBound()) {
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
        m_places[id.index()] = m_order.insert(m_order.end(), id);
    }
}

ir::NodeId EditedHalf::insert(Position before, ir::Node node, bool remembered) {
    node.name = m_names.create(node.name);
    if (remembered) {
        m_taken.insert(node.name);
    }
    const ir::NodeId id(static_cast<std::uint32_t>(m_nodes.size()));
    m_nodes.push_back(std::move(node));
    m_erased.push_back(false);
    m_places.push_back(m_order.insert(before, id));
    return id;
}

void EditedHalf::replaceUses(ir::NodeId from, ir::Argument to) {
    m_replaced[from.index()] = std::move(to);
}

ir::GraphPtr EditedHalf::finish() const {
    ir::GraphBuilder made = ir::GraphBuilder::withoutNodes(m_graph);
    made.reserve(m_order.size());
    std::vector<ir::NodeId> ids(m_nodes.size());
    const auto mapped = [&ids](ir::NodeId id) { return ir::Argument(ids[id.index()]); };
    const auto replaced = [&](ir::NodeId id) {
        const std::size_t index = id.index();
        return index < m_replaced.size() && m_replaced[index] ? ir::mapNodes(*m_replaced[index], mapped)
                                                              : mapped(id);
    };
    for (const ir::NodeId id : m_order) {
        if (m_erased[id.index()]) {
            continue;
        }
        ir::Node node = m_nodes[id.index()];
        if (id.index() < m_replaced.size()) {
            ir::mapArguments(node, replaced);
        } else {
            ir::mapArguments(node, mapped);
        }
        ids[id.index()] = made.append(std::move(node));
    }
    return made.finish();
}

} // namespace aotscope::passes
