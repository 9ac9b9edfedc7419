#pragma once

#include "ir/graph.h"
#include "ir/map_nodes.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::ir {

/// Follows the names of a graph that is edited: called for each user of `old` before it uses the node `name`
/// instead, or before `old` itself gets that name. Follows torch 2.11, torch/fx/graph_module.py:
/// _register_replace_node_hook.
using ReplaceHook = std::function<void(const Node& old, const std::string& name, const Node& user)>;

/// A graph while it is built or edited. What a Graph knows beyond its contents (users, names) is computed by
/// `finish`, so that it is true after every edit.
class GraphBuilder : public GraphContents {
public:
    GraphBuilder() = default;
    /// Begins with a copy of a graph.
    explicit GraphBuilder(const GraphContents& graph) : GraphContents(graph) {}
    /// Begins with everything but the nodes: style, hints, bodies and constants.
    [[nodiscard]] static GraphBuilder withoutNodes(const GraphContents& graph);

    /// The graph. The builder is empty afterwards, but for its hooks.
    [[nodiscard]] GraphPtr finish() { return std::make_shared<const Graph>(std::move(*this)); }

    void reserve(std::size_t nodes);
    /// Appends in program order. The caller chooses the name; the verifier reports duplicates.
    NodeId append(Node&& node);
    /// Removes a node from the program order; its id is not reused. The caller must have removed its uses.
    void erase(NodeId id);
    /// Erases many nodes in one pass; `byId` marks them by node id index.
    void erase(const std::vector<bool>& byId);
    /// Erases the nodes that nothing uses and `mayGo` allows, and what is unused without them.
    void eraseUnused(const std::function<bool(const Node&)>& mayGo);
    /// Moves `id` to directly before `before`.
    void moveBefore(NodeId id, NodeId before);
    /// Replaces every use of `from` in arguments by `to`.
    void replaceAllUses(NodeId from, NodeId to);
    void rename(NodeId id, std::string name);
    /// Puts another node in the place of this one, whose uses become those of the other.
    void replace(NodeId id, Node node);
    void setArguments(NodeId id, Arguments args) { m_nodes[id.index()].args = std::move(args); }
    void setKeywords(NodeId id, std::vector<KeywordArgument> kwargs) {
        m_nodes[id.index()].kwargs = std::move(kwargs);
    }
    /// Replaces each node in the arguments of `id` by `mapped(node)`, a node or an argument.
    template<typename Map>
    void mapArguments(NodeId id, const Map& mapped) {
        ir::mapArguments(m_nodes[id.index()], mapped);
    }
    [[nodiscard]] NodeMeta& editMeta(NodeId id) { return m_nodes[id.index()]; }
    void addReplaceHook(ReplaceHook hook) { m_replaceHooks.push_back(std::move(hook)); }

    void addSubgraph(std::string name, GraphPtr graph) {
        m_subgraphs.emplace_back(std::move(name), std::move(graph));
    }
    void addConstant(std::string name, ValueMeta value) {
        m_constants.emplace_back(std::move(name), std::move(value));
    }
    [[nodiscard]] std::vector<std::pair<std::string, GraphPtr>>& editSubgraphs() { return m_subgraphs; }
    [[nodiscard]] TextStyle& editStyle() { return m_style; }
    [[nodiscard]] SymbolBindings& editSymbolHints() { return m_symbolHints; }

private:
    void callHooks(NodeId old, const std::string& name, const Node& user) const;

    std::vector<ReplaceHook> m_replaceHooks;
};

} // namespace aotscope::ir
