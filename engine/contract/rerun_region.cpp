#include "contract/rerun_region.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace aotscope::session {

namespace {

class RegionFinder {
public:
    explicit RegionFinder(const ir::Graph& graph)
        : m_graph(graph), m_isInside(graph.idBound()), m_from(graph.idBound()) {}

    base::Result<RerunRegion> find(std::span<const std::string> names) {
        for (const std::string& name : names) {
            const auto id = m_graph.tryFind(name);
            if (!id) {
                return base::Error{"rerun.no_such_node", "The graph has no node named \"" + name + "\"."};
            }
            const ir::Opcode op = m_graph.node(*id).op;
            if (op == ir::Opcode::Placeholder || op == ir::Opcode::Output) {
                return notComputed(m_graph.node(*id));
            }
            m_isInside[id->index()] = true;
        }
        for (const ir::NodeId id : m_graph.order()) {
            if (auto error = visit(id)) {
                return *std::move(error);
            }
        }
        return std::move(m_region);
    }

private:
    /// Adds a node of the region, or follows a path that has left it.
    std::optional<base::Error> visit(ir::NodeId id) {
        const bool isInside = m_isInside[id.index()];
        for (const ir::NodeId input : m_graph.inputs(id)) {
            if (isInside && m_from[input.index()].valid()) {
                return notConvex(id, input);
            }
            const bool hasLeft = m_from[input.index()].valid() || m_isInside[input.index()];
            if (!isInside && hasLeft) {
                m_from[id.index()] = input;
            }
            const auto& known = m_region.inputs;
            if (isInside && !m_isInside[input.index()] && std::ranges::find(known, input) == known.end()) {
                m_region.inputs.push_back(input);
            }
        }
        if (isInside) {
            m_region.nodes.push_back(id);
            const auto users = m_graph.users(id);
            const auto isOutside = [this](ir::NodeId user) { return !m_isInside[user.index()]; };
            if (users.empty() || std::ranges::any_of(users, isOutside)) {
                m_region.outputs.push_back(id);
            }
        }
        return std::nullopt;
    }

    static base::Error notComputed(const ir::Node& node) {
        return {.code = "rerun.not_computed",
                .message = "The node " + node.name + " is an " +
                           (node.op == ir::Opcode::Output ? "output" : "input") +
                           " of the graph, so there is nothing to run.",
                .place = {.node = node.name},
                .hint = "Choose a node that calls an operator."};
    }

    [[nodiscard]] base::Error notConvex(ir::NodeId id, ir::NodeId through) const {
        std::string path = m_graph.node(id).name;
        std::string outside;
        for (ir::NodeId at = through; at.valid(); at = m_from[at.index()]) {
            path = m_graph.node(at).name + " → " + path;
            if (!m_isInside[at.index()]) {
                outside = m_graph.node(at).name + (outside.empty() ? "" : ", " + outside);
            }
        }
        return {.code = "rerun.not_convex",
                .message = "These nodes cannot run on their own: a path leads out of them and back in (" +
                           path + ").",
                .place = {.node = m_graph.node(id).name},
                .hint = "Add " + outside + "."};
    }

    const ir::Graph& m_graph;
    std::vector<bool> m_isInside;
    /// For a node outside that depends on the region, the input through which it does.
    std::vector<ir::NodeId> m_from;
    RerunRegion m_region;
};

} // namespace

base::Result<RerunRegion> rerunRegion(const ir::Graph& graph, std::span<const std::string> names) {
    if (names.empty()) {
        return base::Error{.code = "rerun.no_nodes",
                           .message = "No nodes are named, so there is nothing to run again."};
    }
    return RegionFinder(graph).find(names);
}

} // namespace aotscope::session
