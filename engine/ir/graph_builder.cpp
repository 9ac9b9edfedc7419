#include "ir/graph_builder.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

bool usesNode(const Node& node, NodeId wanted) {
    bool found = false;
    forEachNode(node, [&](NodeId id) { found = found || id == wanted; });
    return found;
}

} // namespace

GraphBuilder GraphBuilder::withoutNodes(const GraphContents& graph) {
    GraphBuilder copy;
    copy.m_subgraphs = graph.subgraphs();
    copy.m_constants = graph.constants();
    copy.m_style = graph.style();
    copy.m_symbolHints = graph.symbolHints();
    return copy;
}

void GraphBuilder::reserve(std::size_t nodes) {
    m_nodes.reserve(nodes);
    m_order.reserve(nodes);
}

NodeId GraphBuilder::append(Node&& node) {
    const NodeId id(static_cast<std::uint32_t>(m_nodes.size()));
    m_nodes.push_back(std::move(node));
    m_order.push_back(id);
    return id;
}

void GraphBuilder::erase(NodeId id) {
    std::erase(m_order, id);
}

void GraphBuilder::erase(const std::vector<bool>& byId) {
    std::erase_if(m_order, [&](NodeId id) { return byId[id.index()]; });
}

void GraphBuilder::eraseUnused(const std::function<bool(const Node&)>& mayGo) {
    std::vector<std::uint32_t> uses(idBound());
    for (const NodeId id : m_order) {
        forEachNode(node(id), [&](NodeId used) { ++uses[used.index()]; });
    }
    std::vector<bool> unused(idBound());
    for (auto id = m_order.rbegin(); id != m_order.rend(); ++id) {
        if (uses[id->index()] == 0 && mayGo(node(*id))) {
            forEachNode(node(*id), [&](NodeId used) { --uses[used.index()]; });
            unused[id->index()] = true;
        }
    }
    erase(unused);
}

void GraphBuilder::moveBefore(NodeId id, NodeId before) {
    if (id == before) {
        return;
    }
    std::erase(m_order, id);
    m_order.insert(std::ranges::find(m_order, before), id);
}

void GraphBuilder::replaceAllUses(NodeId from, NodeId to) {
    for (const NodeId id : m_order) {
        if (usesNode(node(id), from)) {
            callHooks(from, node(to).name, node(id));
            mapArguments(id, [&](NodeId used) { return used == from ? to : used; });
        }
    }
}

void GraphBuilder::rename(NodeId id, std::string name) {
    for (const NodeId user : m_replaceHooks.empty() ? std::span<const NodeId>() : order()) {
        if (usesNode(node(user), id)) {
            callHooks(id, name, node(user));
        }
    }
    m_nodes[id.index()].name = std::move(name);
}

void GraphBuilder::replace(NodeId id, Node node) {
    rename(id, node.name);
    m_nodes[id.index()] = std::move(node);
}

void GraphBuilder::callHooks(NodeId old, const std::string& name, const Node& user) const {
    for (const ReplaceHook& hook : m_replaceHooks) {
        hook(node(old), name, user);
    }
}

} // namespace aotscope::ir
