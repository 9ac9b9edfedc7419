#include "layout/visible_graph.h"

#include "layout/label.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace aotscope::layout {

namespace {

class VisibleGraphBuilder {
public:
    VisibleGraphBuilder(const ir::Graph& graph, const GroupTree& tree, const std::vector<ir::Phase>& phases)
        : m_graph(graph), m_tree(tree), m_phases(phases) {}

    VisibleGraph build() {
        m_layout.folded = !m_phases.empty();
        m_layout.boxOfNode.resize(m_graph.idBound());
        addChildren(0, {});
        addChildren(1, {});
        orderHalves();
        m_layout.edges = mergedEdges(m_graph, m_layout.boxOfNode, m_phases);
        findPartners();
        return std::move(m_result);
    }

private:
    /// Recursion depth is bounded by the depth of the tree.
    void addChildren(std::size_t entry, GroupId group) {
        for (const GroupTree::Item& item : m_tree.entries[entry].children) {
            if (item.group == GroupTree::none) {
                addNode(item.node, group, m_tree.entries[entry].isBackward);
            } else {
                addGroup(item.group, group);
            }
        }
    }

    void addNode(ir::NodeId id, GroupId group, bool backward) {
        const ir::Node& node = m_graph.node(id);
        Box box;
        box.node = id;
        box.group = group;
        box.isBackward = backward;
        const BoxId made =
            addBox(box, nodeWidth(node), std::span(&id, 1), node.op == ir::Opcode::Placeholder);
        if (m_layout.folded && node.op == ir::Opcode::Output) {
            m_result.foldOutput = made;
        }
    }

    BoxId addBox(Box box, double width, std::span<const ir::NodeId> nodes, bool isInput) {
        const BoxId made(std::uint32_t(m_layout.boxes.size()));
        box.rect.width = width;
        box.rect.height = BoxMetrics::height;
        for (const ir::NodeId node : nodes) {
            m_layout.boxOfNode[node.index()] = made;
        }
        m_layout.boxes.push_back(box);
        m_result.isInput.push_back(isInput);
        return made;
    }

    void addGroup(std::size_t index, GroupId parent) {
        const GroupTree::Entry& entry = m_tree.entries[index];
        const GroupId id(std::uint32_t(m_layout.groups.size()));
        m_layout.groups.push_back({entry, parent, {}, nodesBelow(m_tree, index)});
        if (entry.open) {
            addChildren(index, id);
            return;
        }
        Box box;
        box.group = id;
        box.isGroup = true;
        box.isBackward = entry.isBackward;
        box.nodeCount = entry.nodeCount;
        const std::string count = std::to_string(entry.nodeCount) + " nodes";
        // The two spaces are for the chevron of a closed group.
        const double width = boxWidth("  " + entry.title, count, entry.derived ? "derived" : "");
        (void)addBox(box, width, m_layout.groups[id.index()].nodes, false);
    }

    void orderHalves() {
        m_result.order.resize(m_layout.boxes.size());
        for (std::uint32_t i = 0; i < m_layout.boxes.size(); ++i) {
            const BoxId id(i);
            if (id == m_result.foldOutput) {
                continue;
            }
            std::vector<BoxId>& half = m_result.halves[m_result.half(id)];
            m_result.order[i] = std::uint32_t(half.size());
            half.push_back(id);
        }
    }

    /// The partner of a backward box is the same module's forward half if both are closed; else the latest
    /// forward box whose tensor it uses, because that is the operation it differentiates; computed values
    /// count before inputs.
    void findPartners() {
        std::vector<BoxId>& partner = m_result.partner;
        partner.resize(m_layout.boxes.size());
        std::map<std::string_view, BoxId> closed;
        for (const BoxId id : m_result.halves[0]) {
            const Box& box = m_layout.boxes[id.index()];
            if (box.isGroup) {
                closed.emplace(m_layout.groups[box.group.index()].path, id);
            }
        }
        for (const Edge& edge : m_layout.edges) {
            BoxId& best = partner[edge.to.index()];
            if (edge.kind == EdgeKind::Saved && (!best.valid() || rank(edge.from) > rank(best))) {
                best = edge.from;
            }
        }
        for (const BoxId id : m_result.halves[1]) {
            const Box& box = m_layout.boxes[id.index()];
            if (!box.isGroup) {
                continue;
            }
            const auto found = closed.find(m_layout.groups[box.group.index()].path);
            if (found != closed.end()) {
                partner[id.index()] = found->second;
            }
        }
    }

    [[nodiscard]] std::pair<bool, std::uint32_t> rank(BoxId id) const {
        return {!m_result.isInput[id.index()], m_result.order[id.index()]};
    }

    const ir::Graph& m_graph;
    const GroupTree& m_tree;
    const std::vector<ir::Phase>& m_phases;
    VisibleGraph m_result;
    Layout& m_layout = m_result.layout;
};

} // namespace

double nodeWidth(const ir::Node& node) {
    return boxWidth(node.name, shortTarget(node), shortValue(node.value));
}

std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node) {
    std::int64_t total = 0;
    ir::forEachTensor(graph.node(node).value, [&](const ir::TensorMeta& tensor) {
        total += std::max<std::int64_t>(0, tensor.bytes(graph.symbolHints()).value_or(0));
    });
    return total;
}

std::vector<Edge> mergedEdges(const ir::Graph& graph, const std::vector<BoxId>& boxOfNode,
                              const std::vector<ir::Phase>& phases) {
    std::vector<Edge> edges;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    std::vector<ir::NodeId> lastProducer; // By edge.
    for (const ir::NodeId producer : graph.order()) {
        std::optional<std::int64_t> bytes;
        for (const ir::NodeId user : graph.users(producer)) {
            const BoxId from = boxOfNode[producer.index()];
            const BoxId to = boxOfNode[user.index()];
            if (!from.valid() || !to.valid() || from == to) {
                continue;
            }
            // All edges between two boxes have the same kind, because a box belongs to one half.
            const auto [at, isNew] = known.try_emplace(keyOf(from, to), std::uint32_t(edges.size()));
            if (isNew) {
                const bool saved = !isBackward(phases, producer) && isBackward(phases, user) &&
                                   graph.node(user).op != ir::Opcode::Output;
                edges.push_back({from, to, saved ? EdgeKind::Saved : EdgeKind::Data, 0, 0, {}});
                lastProducer.emplace_back();
            }
            Edge& edge = edges[at->second];
            ++edge.count;
            if (lastProducer[at->second] != producer) {
                lastProducer[at->second] = producer;
                bytes = bytes ? bytes : nodeBytes(graph, producer);
                edge.bytes += *bytes;
            }
        }
    }
    return edges;
}

GroupId frameOf(const Layout& layout, const Box& box) {
    return box.isGroup ? layout.groups[box.group.index()].parent : box.group;
}

std::vector<GroupId> framesAround(const Layout& layout, const Box& box) {
    std::vector<GroupId> frames;
    for (GroupId at = frameOf(layout, box); at.valid(); at = layout.groups[at.index()].parent) {
        frames.push_back(at);
    }
    std::ranges::reverse(frames);
    return frames;
}

std::vector<ir::Phase> foldingPhases(const ir::Graph& graph, const LayoutOptions& options) {
    std::vector<ir::Phase> phases;
    if (options.foldJoint && ir::isJointGraph(graph)) {
        phases = ir::nodePhases(graph);
        phases.resize(graph.idBound(), ir::Phase::Forward);
    }
    return phases;
}

VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                              const LayoutOptions& options) {
    return makeVisibleGraph(graph, modules, foldingPhases(graph, options), options);
}

VisibleGraph makeVisibleGraph(const ir::Graph& graph, const ir::ModulePaths& modules,
                              const std::vector<ir::Phase>& phases, const LayoutOptions& options) {
    return VisibleGraphBuilder(graph, buildGroupTree(graph, modules, phases, options), phases).build();
}

} // namespace aotscope::layout
