#include "graph/graph_scene.h"

#include "contract/category_facts.h"
#include "graph/edge_shape.h"

#include <algorithm>
#include <array>

namespace aotscope::views {
namespace {

QRectF toRect(const layout::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

} // namespace

GraphScenePtr GraphScene::make(const session::LayoutSnapshotPtr& snapshot) {
    if (!snapshot || !snapshot->layout || !snapshot->graph || !snapshot->graph->graph) {
        return nullptr;
    }
    return std::make_shared<const GraphScene>(snapshot);
}

GraphScene::GraphScene(const session::LayoutSnapshotPtr& snapshot)
    : m_snapshot(snapshot),
      m_categories(layout::nodeCategories(session::categoryFacts(*snapshot->graph))),
      m_boxCategories(layout::boxCategories(*snapshot->layout, m_categories)),
      m_marks(stageMarks(*snapshot)),
      m_bounds(toRect(snapshot->layout->bounds)) {
    std::vector<QRectF> rects;
    rects.reserve(boxCount());
    for (const layout::Box& each : layout().boxes) {
        rects.push_back(toRect(each.rect));
        m_bounds = m_bounds.united(rects.back());
    }
    m_boxes = SpatialIndex(std::move(rects));
    indexEdges();
    collectFrames();
}

void GraphScene::indexEdges() {
    std::vector<QRectF> data;
    std::vector<QRectF> across;
    m_edgeOffsets.assign(boxCount() + 1, 0);
    const std::vector<layout::Edge>& edges = layout().edges;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const bool isAcross = edges[i].kind == layout::EdgeKind::Saved;
        (isAcross ? across : data).push_back(pathBounds(edges[i].path));
        (isAcross ? m_acrossIds : m_dataEdgeIds).push_back(i);
        ++m_edgeOffsets[edges[i].from.index() + 1];
        ++m_edgeOffsets[edges[i].to.index() + 1];
    }
    m_dataEdges = SpatialIndex(std::move(data));
    m_acrossEdges = SpatialIndex(std::move(across));
    for (std::size_t i = 1; i < m_edgeOffsets.size(); ++i) {
        m_edgeOffsets[i] += m_edgeOffsets[i - 1];
    }
    m_edgesOfBox.resize(m_edgeOffsets.back());
    std::vector<std::uint32_t> next(m_edgeOffsets.begin(), m_edgeOffsets.end() - 1);
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        m_edgesOfBox[next[edges[i].from.index()]++] = i;
        m_edgesOfBox[next[edges[i].to.index()]++] = i;
    }
}

void GraphScene::collectFrames() {
    const std::vector<layout::Group>& groups = layout().groups;
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        if (groups[i].open && groups[i].frame.width > 0) {
            m_frames.emplace_back(i);
            m_bounds = m_bounds.united(toRect(groups[i].frame));
        }
    }
    // Inner frames have the smaller areas, so they are painted later.
    std::ranges::stable_sort(m_frames, std::greater<>(), [&](GroupId id) {
        const layout::Rect& rect = groups[id.index()].frame;
        return rect.width * rect.height;
    });
}

QRectF GraphScene::frame(GroupId id) const {
    return toRect(layout().groups[id.index()].frame);
}

QRectF GraphScene::titleRect(GroupId id) const {
    QRectF rect = frame(id);
    rect.setHeight(std::min(rect.height(), titleHeight));
    return rect;
}

std::span<const std::uint32_t> GraphScene::edgesOf(BoxId id) const {
    return std::span(m_edgesOfBox)
        .subspan(m_edgeOffsets[id.index()], m_edgeOffsets[id.index() + 1] - m_edgeOffsets[id.index()]);
}

BoxId GraphScene::boxOf(ir::NodeId node) const {
    const std::vector<BoxId>& boxes = layout().boxOfNode;
    return node.valid() && node.index() < boxes.size() ? boxes[node.index()] : BoxId();
}

BoxId GraphScene::boxAt(const QPointF& point) const {
    BoxId found;
    m_boxes.forEachIn(QRectF(point, QSizeF(0.01, 0.01)), [&](std::uint32_t item) { found = BoxId(item); });
    return found;
}

std::vector<BoxId> GraphScene::neighbours(BoxId id) const {
    std::vector<BoxId> result;
    for (const std::uint32_t edge : edgesOf(id)) {
        const layout::Edge& each = layout().edges[edge];
        result.push_back(each.from == id ? each.to : each.from);
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace aotscope::views
