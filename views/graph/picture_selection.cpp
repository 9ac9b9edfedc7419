#include "graph/picture_selection.h"

#include "common/format.h"
#include "common/selection_hub.h"
#include "graph/breadcrumb.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aotscope::views {

PictureSelection::PictureSelection(SelectionHub* hub, GraphCanvas* canvas, QObject* source, QObject* parent)
    : QObject(parent), m_hub(hub), m_canvas(canvas), m_source(source) {
    connect(m_hub, &SelectionHub::hoverChanged, this, &PictureSelection::showHovered);
    connect(m_hub, &SelectionHub::spotlightChanged, this, &PictureSelection::showSpotlight);
    connect(m_canvas, &GraphCanvas::hovered, this, &PictureSelection::hover);
}

/// There must be a scene.
const session::GraphSnapshot& PictureSelection::graph() const {
    return *m_canvas->scene()->snapshot()->graph;
}

ir::NodeId PictureSelection::node() const {
    const std::optional<session::Selection>& selection = m_hub->current();
    if (!m_canvas->scene() || !selection || selection->artifact != graph().reference) {
        return {};
    }
    return graph().graph->tryFind(selection->node).value_or(ir::NodeId());
}

void PictureSelection::show(bool center) {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return;
    }
    const BoxId box = scene->boxOf(node());
    m_canvas->setCurrent(box);
    if (center) {
        m_canvas->centerOn(box);
    }
}

void PictureSelection::showHovered(const std::optional<session::Selection>& hovered, QObject* source) {
    const GraphScenePtr& scene = m_canvas->scene();
    if (source == m_source || !scene) {
        return;
    }
    const bool ours = hovered && hovered->artifact == graph().reference;
    const auto node = ours ? scene->graph().tryFind(hovered->node) : std::nullopt;
    m_canvas->setHovered(node ? scene->boxOf(*node) : BoxId());
}

void PictureSelection::hover(BoxId box) {
    const ir::NodeId node = box.valid() ? m_canvas->scene()->box(box).node : ir::NodeId();
    if (node.valid()) {
        m_hub->hover(session::Selection{graph().reference, graph().graph->node(node).name}, m_source);
    } else {
        m_hub->hover(std::nullopt, m_source);
    }
}

void PictureSelection::showSpotlight() {
    const GraphScenePtr& scene = m_canvas->scene();
    const SpotlightPtr& spotlight = m_hub->spotlight();
    const bool fades = spotlight && !spotlight->filters;
    if (!scene || !fades || !spotlight->covers(graph().reference)) {
        m_canvas->setSpotlight(std::nullopt);
        return;
    }
    std::unordered_set<std::uint32_t> boxes;
    for (const std::string& name : spotlight->nodes) {
        const auto node = scene->graph().tryFind(name);
        const BoxId box = node ? scene->boxOf(*node) : BoxId();
        if (box.valid()) {
            boxes.insert(box.index());
        }
    }
    m_canvas->setSpotlight(std::move(boxes));
}

void PictureSelection::showModule(const std::string& module) {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return;
    }
    QRectF area;
    const auto& modules = graph().modules.ofNode;
    for (const ir::NodeId node : scene->graph().order()) {
        const bool inside =
            node.index() < modules.size() &&
            (modules[node.index()].path == module || modules[node.index()].path.starts_with(module + "."));
        if (const BoxId box = scene->boxOf(node); inside && box.valid()) {
            area = area.united(scene->rect(box));
        }
    }
    if (!area.isEmpty()) {
        m_canvas->showArea(area);
    }
}

void PictureSelection::nameCurrent(Breadcrumb& crumb) const {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene || !m_canvas->current().valid()) {
        return;
    }
    const layout::Box& box = scene->box(m_canvas->current());
    if (!box.node.valid()) {
        crumb.module = text(scene->layout().groups[box.group.index()].path);
        return;
    }
    const auto& modules = graph().modules.ofNode;
    crumb.module = box.node.index() < modules.size() ? text(modules[box.node.index()].path) : QString();
    crumb.node = text(scene->graph().node(box.node).name);
}

/// The node to select when a box is picked. For a closed group: the selected node if it is inside, else the
/// group's first node. So the other panels follow, and after the group is opened the selection is inside.
ir::NodeId PictureSelection::standsFor(BoxId box) const {
    const GraphScenePtr& scene = m_canvas->scene();
    const layout::Box& picked = scene->box(box);
    if (picked.node.valid() || scene->boxOf(node()) == box) {
        return picked.node.valid() ? picked.node : node();
    }
    const std::vector<ir::NodeId>& nodes = scene->layout().groups[picked.group.index()].nodes;
    const auto first =
        std::ranges::min_element(nodes, {}, [&](ir::NodeId node) { return scene->graph().position(node); });
    return first == nodes.end() ? ir::NodeId() : *first;
}

void PictureSelection::pick(BoxId box) {
    if (m_canvas->scene()) {
        select(box.valid() ? standsFor(box) : ir::NodeId());
    }
}

void PictureSelection::select(ir::NodeId node) {
    const std::string name = node.valid() ? graph().graph->node(node).name : std::string();
    m_hub->select({graph().reference, name}, m_source);
}

std::vector<ir::NodeId> PictureSelection::picked() const {
    std::vector<ir::NodeId> nodes;
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        return nodes;
    }
    std::unordered_set<std::uint32_t> boxes = m_canvas->marked();
    const BoxId current = m_canvas->current();
    if (boxes.empty() && current.valid() && scene->box(current).isGroup) {
        boxes.insert(current.index());
    }
    if (boxes.empty()) {
        return nodes;
    }
    for (const ir::NodeId node : scene->graph().order()) {
        const BoxId box = scene->boxOf(node);
        if (box.valid() && boxes.contains(box.index())) {
            nodes.push_back(node);
        }
    }
    return nodes;
}

} // namespace aotscope::views
