#pragma once

#include "ir/fx_names.h"
#include "ir/graph.h"

#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace aotscope::passes {

/// A half while nodes are put into the middle of it. Ids are those of the half it started from, then new
/// ones. The graph must outlive it.
class EditedHalf {
public:
    using Position = std::list<ir::NodeId>::iterator;

    /// `names`: those that the half has used so far (Partition::forwardNames).
    EditedHalf(const ir::Graph& graph, const std::vector<std::string>& names);

    [[nodiscard]] ir::Node& node(ir::NodeId id) { return m_nodes[id.index()]; }
    /// Whether a node of the half it started from, or a remembered one, has the name.
    [[nodiscard]] bool hadName(const std::string& name) const { return m_taken.contains(name); }
    [[nodiscard]] Position find(ir::NodeId id) const { return m_places[id.index()]; }

    /// The node gets its name or the next free one, as `create_node` does. PyTorch remembers the names of
    /// nodes that it copies from a hook, but not those that it chooses.
    ir::NodeId insert(Position before, ir::Node node, bool remembered);
    void rename(ir::NodeId id, const std::string& name) { node(id).name = m_names.create(name); }
    /// The place stays, so that nodes can still be put before it.
    void erase(ir::NodeId id) { m_erased[id.index()] = true; }
    /// Replaces uses of `from`, a node of the half it started from, by others of these. Each node at most
    /// once; seen in what `finish` makes.
    void replaceUses(ir::NodeId from, ir::Argument to);

    [[nodiscard]] ir::GraphPtr finish() const;

private:
    const ir::Graph& m_graph;
    std::vector<ir::Node> m_nodes;
    std::list<ir::NodeId> m_order;
    /// Where each node stands, by id.
    std::vector<Position> m_places;
    std::vector<bool> m_erased;
    /// By id of the nodes that it started from.
    std::vector<std::optional<ir::Argument>> m_replaced;
    ir::FxNames m_names;
    /// Names that no value of a hook may get.
    std::set<std::string, std::less<>> m_taken;
};

} // namespace aotscope::passes
