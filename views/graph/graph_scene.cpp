#include "graph/graph_scene.h"

#include "session/category_facts.h"

#include <QLineF>

#include <algorithm>
#include <array>

namespace aotscope::views {
namespace {

QRectF toRect(const layout::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

QRectF pathBounds(const layout::Edge& edge) {
    if (edge.path.empty()) {
        return {};
    }
    double left = edge.path.front().x;
    double right = left;
    double top = edge.path.front().y;
    double bottom = top;
    for (const layout::Point& point : edge.path) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        top = std::min(top, point.y);
        bottom = std::max(bottom, point.y);
    }
    return {left, top, right - left, bottom - top};
}

double distanceToSegment(const QPointF& point, const QPointF& from, const QPointF& to) {
    const QPointF along = to - from;
    const double length2 = QPointF::dotProduct(along, along);
    const double t =
        length2 > 0 ? std::clamp(QPointF::dotProduct(point - from, along) / length2, 0.0, 1.0) : 0;
    return QLineF(point, from + t * along).length();
}

QPointF bezierPoint(const layout::Point* p, double t) {
    const double s = 1 - t;
    const double a = s * s * s;
    const double b = 3 * s * s * t;
    const double c = 3 * s * t * t;
    const double d = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

double distanceToEdge(const QPointF& point, const layout::Edge& edge) {
    constexpr int steps = 12;
    double best = 1e30;
    for (std::size_t i = 0; i + 3 < edge.path.size(); i += 3) {
        QPointF before = bezierPoint(&edge.path[i], 0);
        for (int step = 1; step <= steps; ++step) {
            const QPointF after = bezierPoint(&edge.path[i], double(step) / steps);
            best = std::min(best, distanceToSegment(point, before, after));
            before = after;
        }
    }
    return best;
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
    std::vector<QRectF> saved;
    m_edgeOffsets.assign(boxCount() + 1, 0);
    const std::vector<layout::Edge>& edges = layout().edges;
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const bool isSaved = edges[i].kind == layout::EdgeKind::Saved;
        (isSaved ? saved : data).push_back(pathBounds(edges[i]));
        (isSaved ? m_savedEdgeIds : m_dataEdgeIds).push_back(i);
        ++m_edgeOffsets[edges[i].from.index() + 1];
        ++m_edgeOffsets[edges[i].to.index() + 1];
    }
    m_dataEdges = SpatialIndex(std::move(data));
    m_savedEdges = SpatialIndex(std::move(saved));
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

int GraphScene::savedEdgeAt(const QPointF& point, double distance) const {
    int found = -1;
    double best = distance;
    const QRectF around(point.x() - distance, point.y() - distance, 2 * distance, 2 * distance);
    m_savedEdges.forEachIn(around, [&](std::uint32_t item) {
        const double away = distanceToEdge(point, layout().edges[m_savedEdgeIds[item]]);
        if (away <= best) {
            best = away;
            found = int(m_savedEdgeIds[item]);
        }
    });
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
