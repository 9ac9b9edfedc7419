#include "layout/stages.h"

#include "layout/placement.h"
#include "layout/visible_graph.h"

#include "ir/graph_builder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace aotscope::layout {

namespace {

/// The union of all stages in one graph: one node for each set of corresponding nodes, with the inputs of all
/// of them. Its order follows the order of each stage as far as they agree.
class StageUnion {
public:
    StageUnion(const std::vector<Stage>& stages, const LayoutOptions& options) : m_stages(stages) {
        m_slotOf.resize(stages.size());
        m_phases.reserve(stages.size());
        for (const Stage& stage : stages) {
            m_phases.push_back(foldingPhases(*stage.graph, options));
        }
        for (std::size_t i = 0; i < stages.size(); ++i) {
            addStage(i);
        }
        build();
    }

    [[nodiscard]] VisibleGraph visible(const LayoutOptions& options) const {
        const bool folds = std::ranges::any_of(m_phases, [](const auto& phases) { return !phases.empty(); });
        VisibleGraph made =
            makeVisibleGraph(*m_graph, m_modules, folds ? m_unionPhases : std::vector<ir::Phase>(), options);
        for (Box& box : made.layout.boxes) {
            if (!box.isGroup) {
                box.rect.width = m_widths[box.node.index()];
            }
        }
        return made;
    }

    /// The part of the union's layout that belongs to one stage.
    [[nodiscard]] LayoutPtr layoutOf(std::size_t stage, const Layout& all) const;

private:
    using Slot = std::uint32_t;
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    /// Adds a stage's nodes; a new node comes after its predecessor in the stage.
    void addStage(std::size_t stage) {
        const ir::Graph& graph = *m_stages[stage].graph;
        m_slotOf[stage].assign(graph.idBound(), none);
        Slot before = none;
        for (const ir::NodeId id : graph.order()) {
            Slot slot = known(stage, id);
            if (slot == none) {
                slot = insertAfter(before);
                m_backward.push_back(isBackward(m_phases[stage], id));
            }
            m_slotOf[stage][id.index()] = slot;
            before = slot;
        }
    }

    /// The slot of the corresponding node of the previous stage, if both are drawn alike.
    [[nodiscard]] Slot known(std::size_t stage, ir::NodeId id) const {
        if (stage == 0) {
            return none;
        }
        const ir::Graph& before = *m_stages[stage - 1].graph;
        const ir::Opcode op = m_stages[stage].graph->node(id).op;
        if (op == ir::Opcode::Output) {
            const auto output = before.output();
            return output ? m_slotOf[stage - 1][output->index()] : none;
        }
        const std::vector<ir::NodeId>& partners = m_stages[stage].partner;
        const ir::NodeId partner = id.index() < partners.size() ? partners[id.index()] : ir::NodeId();
        if (!partner.valid()) {
            return none;
        }
        const ir::Opcode other = before.node(partner).op;
        const bool alike = other != ir::Opcode::Output &&
                           (op == ir::Opcode::Placeholder) == (other == ir::Opcode::Placeholder);
        const Slot slot = m_slotOf[stage - 1][partner.index()];
        return alike && m_backward[slot] == isBackward(m_phases[stage], id) ? slot : none;
    }

    Slot insertAfter(Slot before) {
        const Slot made = Slot(m_next.size());
        Slot& link = before == none ? m_first : m_next[before];
        const Slot after = link;
        link = made;
        m_next.push_back(after);
        return made;
    }

    void build() {
        ir::GraphBuilder graph;
        graph.reserve(m_next.size());
        m_nodeOf.resize(m_next.size());
        for (Slot slot = m_first; slot != none; slot = m_next[slot]) {
            m_nodeOf[slot] = graph.append({});
        }
        m_unionPhases.assign(m_next.size(), ir::Phase::Forward);
        m_modules.ofNode.resize(m_next.size());
        m_widths.assign(m_next.size(), 0);
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            takeIn(stage, graph);
        }
        m_graph = graph.finish();
    }

    /// Copies a stage's nodes into the union: a later stage overrides an earlier one, and the module comes
    /// from the last stage that knows it.
    void takeIn(std::size_t stage, ir::GraphBuilder& graph) {
        const Stage& from = m_stages[stage];
        for (const ir::NodeId id : from.graph->order()) {
            const ir::NodeId to = m_nodeOf[m_slotOf[stage][id.index()]];
            const ir::Node& node = from.graph->node(id);
            ir::Node made = graph.node(to);
            made.name = node.name;
            made.op = node.op;
            made.target = node.target;
            made.value = node.value;
            for (const ir::NodeId input : from.graph->inputs(id)) {
                made.args.emplace_back(m_nodeOf[m_slotOf[stage][input.index()]]);
            }
            graph.replace(to, std::move(made));
            m_widths[to.index()] = std::max(m_widths[to.index()], nodeWidth(node));
            if (isBackward(m_phases[stage], id)) {
                m_unionPhases[to.index()] = ir::Phase::Backward;
            }
            if (id.index() < from.modules.ofNode.size() && !from.modules.ofNode[id.index()].path.empty()) {
                m_modules.ofNode[to.index()] = from.modules.ofNode[id.index()];
            }
        }
    }

    const std::vector<Stage>& m_stages;
    /// By stage.
    std::vector<std::vector<ir::Phase>> m_phases;
    /// By stage and node id index.
    std::vector<std::vector<Slot>> m_slotOf;
    /// By slot: the next slot in program order.
    std::vector<Slot> m_next;
    Slot m_first = none;
    std::vector<bool> m_backward;
    std::vector<ir::NodeId> m_nodeOf;
    ir::GraphPtr m_graph;
    ir::ModulePaths m_modules;
    std::vector<ir::Phase> m_unionPhases;
    std::vector<double> m_widths;

    class Part;
};

class StageUnion::Part {
public:
    Part(const StageUnion& whole, std::size_t stage, const Layout& all)
        : m_graph(*whole.m_stages[stage].graph), m_phases(whole.m_phases[stage]), m_all(all) {
        m_nodeOf.resize(whole.m_graph->idBound());
        for (const ir::NodeId id : m_graph.order()) {
            m_nodeOf[whole.m_nodeOf[whole.m_slotOf[stage][id.index()]].index()] = id;
        }
    }

    Layout take() {
        m_part.folded = !m_phases.empty();
        m_part.engine = m_all.engine;
        m_part.note = m_all.note;
        takeGroups();
        takeBoxes();
        takeEdges();
        m_part.bounds = boundsOf(m_part);
        return std::move(m_part);
    }

private:
    void takeGroups() {
        m_groupOf.resize(m_all.groups.size());
        for (std::size_t i = 0; i < m_all.groups.size(); ++i) {
            Group group = m_all.groups[i];
            group.nodes.clear();
            for (const ir::NodeId id : m_all.groups[i].nodes) {
                if (m_nodeOf[id.index()].valid()) {
                    group.nodes.push_back(m_nodeOf[id.index()]);
                }
            }
            if (group.nodes.empty()) {
                continue;
            }
            if (group.isNumbered) {
                const auto position = [this](ir::NodeId id) { return drawnPosition(m_graph, id); };
                const auto [first, last] = std::ranges::minmax_element(group.nodes, {}, position);
                group.title = numberedTitle(position(*first), position(*last));
            }
            group.parent = groupOf(group.parent);
            m_groupOf[i] = GroupId(std::uint32_t(m_part.groups.size()));
            m_part.groups.push_back(std::move(group));
        }
    }

    [[nodiscard]] GroupId groupOf(GroupId id) const { return id.valid() ? m_groupOf[id.index()] : id; }

    void takeBoxes() {
        m_part.boxOfNode.resize(m_graph.idBound());
        for (std::size_t i = 0; i < m_all.boxes.size(); ++i) {
            Box box = m_all.boxes[i];
            box.group = groupOf(box.group);
            box.node = box.isGroup ? ir::NodeId() : m_nodeOf[box.node.index()];
            const BoxId id(std::uint32_t(m_part.boxes.size()));
            if (box.node.valid()) {
                m_part.boxOfNode[box.node.index()] = id;
            } else if (box.isGroup && box.group.valid()) {
                const std::vector<ir::NodeId>& nodes = m_part.groups[box.group.index()].nodes;
                box.nodeCount = std::uint32_t(nodes.size());
                for (const ir::NodeId node : nodes) {
                    m_part.boxOfNode[node.index()] = id;
                }
            } else {
                continue;
            }
            m_part.boxes.push_back(box);
            m_wholeBox.emplace_back(std::uint32_t(i));
        }
    }

    /// The stage's edges with the paths of the union, which contains them all.
    void takeEdges() {
        std::unordered_map<std::uint64_t, const Edge*> known;
        known.reserve(m_all.edges.size());
        for (const Edge& edge : m_all.edges) {
            known.emplace(keyOf(edge.from, edge.to), &edge);
        }
        m_part.edges = mergedEdges(m_graph, m_part.boxOfNode, m_phases);
        for (Edge& edge : m_part.edges) {
            edge.path = known.at(keyOf(m_wholeBox[edge.from.index()], m_wholeBox[edge.to.index()]))->path;
        }
    }

    const ir::Graph& m_graph;
    const std::vector<ir::Phase>& m_phases;
    const Layout& m_all;
    /// By the union's node id index.
    std::vector<ir::NodeId> m_nodeOf;
    std::vector<GroupId> m_groupOf;
    /// By box of the part: the box in the union.
    std::vector<BoxId> m_wholeBox;
    Layout m_part;
};

LayoutPtr StageUnion::layoutOf(std::size_t stage, const Layout& all) const {
    return std::make_shared<const Layout>(Part(*this, stage, all).take());
}

} // namespace

base::Result<std::vector<LayoutPtr>> layOutStages(const std::vector<Stage>& stages,
                                                  const LayoutOptions& options, base::Progress progress) {
    progress.report("Grouping", 0, stages.size());
    const StageUnion whole(stages, options);
    AOTSCOPE_CHECK(progress.checkStop());
    VisibleGraph visible = whole.visible(options);
    AOTSCOPE_CHECK(placeBoxes(visible, options, progress));
    std::vector<LayoutPtr> layouts;
    layouts.reserve(stages.size());
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        AOTSCOPE_CHECK(progress.checkStop());
        layouts.push_back(whole.layoutOf(stage, visible.layout));
    }
    return layouts;
}

} // namespace aotscope::layout
