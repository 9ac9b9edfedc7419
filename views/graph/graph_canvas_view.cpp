#include "graph/graph_canvas.h"

#include "graph/minimap.h"

#include <algorithm>

/// Which part of the scene a canvas shows, and how large.
namespace aotscope::views {
namespace {

constexpr double largestZoom = 4;
constexpr double readableZoom = 0.7;
/// Node names are readable from this zoom on.
constexpr double fullWidthZoom = 0.5;
/// Margin in pixels when fitting.
constexpr double margin = 24;

} // namespace

QRectF GraphCanvas::visibleArea() const {
    return {m_origin, QSizeF(size()) / m_zoom};
}

QRectF GraphCanvas::toPixel(const QRectF& rect) const {
    return {toPixel(rect.topLeft()), rect.size() * m_zoom};
}

double GraphCanvas::smallestZoom() const {
    if (!m_scene || m_scene->bounds().isEmpty()) {
        return 0.01;
    }
    const QSizeF bounds = m_scene->bounds().size();
    return std::min(
        {0.1, width() / (bounds.width() + margin) / 2, height() / (bounds.height() + margin) / 2});
}

void GraphCanvas::setView(const QPointF& origin, double zoom) {
    QPointF kept = origin;
    if (m_scene && !m_scene->bounds().isEmpty()) {
        // Half of the view always overlaps the graph's bounds, so the graph cannot be lost.
        const QRectF& bounds = m_scene->bounds();
        const QSizeF half = QSizeF(size()) / zoom / 2;
        kept.setX(std::clamp(kept.x(), bounds.left() - half.width(), bounds.right() - half.width()));
        kept.setY(std::clamp(kept.y(), bounds.top() - half.height(), bounds.bottom() - half.height()));
    }
    if (kept == m_origin && zoom == m_zoom) {
        return;
    }
    m_origin = kept;
    m_zoom = zoom;
    m_atBeginning = false;
    update();
    Q_EMIT viewChanged();
}

std::optional<GraphCanvas::View> GraphCanvas::chosenView() const {
    return m_scene && !m_atBeginning ? std::optional(View{visibleArea().center(), m_zoom}) : std::nullopt;
}

void GraphCanvas::showAgain(const View& view) {
    const double zoom = std::clamp(view.zoom, smallestZoom(), largestZoom);
    setView(view.center - QPointF(width(), height()) / zoom / 2, zoom);
}

/// Shows the whole graph if it is readable then, else its top at full width, else its beginning.
void GraphCanvas::showBeginning() {
    if (!m_scene || m_scene->bounds().isEmpty()) {
        return;
    }
    const QRectF bounds = m_scene->bounds().adjusted(-margin, -margin, margin, margin);
    const double whole = std::min(width() / bounds.width(), height() / bounds.height());
    // The minimap must not cover a node of the first picture.
    const double room = width() - Minimap::sizeFor(m_scene->bounds()).width() - 2 * Minimap::gap;
    const double wide = room / bounds.width();
    const BoxId first = firstBox();
    if (whole >= fullWidthZoom) {
        fit();
    } else if (wide >= fullWidthZoom) {
        const double zoom = std::min(wide, 1.0);
        setView({bounds.center().x() - room / zoom / 2, bounds.top()}, zoom);
    } else if (first.valid()) {
        // Start at the top of the graph if it is near, else at the inputs just above the box.
        const QRectF& box = m_scene->rect(first);
        const double high = height() / readableZoom;
        double top = box.top() - 2 * margin;
        for (const BoxId input : m_scene->neighbours(first)) {
            top = std::min(top, m_scene->rect(input).top() - 2 * margin);
        }
        // Leave no empty space below the graph, and keep the box in view.
        top = std::max(std::min(top, bounds.bottom() - high), box.bottom() + margin - high);
        const bool nearTop = box.bottom() - bounds.top() < high / 2;
        const double left = std::max(bounds.left(), box.center().x() - room / readableZoom / 2);
        setView({left, nearTop ? bounds.top() : top}, readableZoom);
    }
    m_atBeginning = true;
}

BoxId GraphCanvas::firstBox() const {
    const ir::Graph& graph = m_scene->graph();
    BoxId first;
    for (const ir::NodeId node : graph.order()) {
        const BoxId box = m_scene->boxOf(node);
        if (!box.valid()) {
            continue;
        }
        first = first.valid() ? first : box;
        if (graph.node(node).op != ir::Opcode::Placeholder && graph.node(node).op != ir::Opcode::GetAttr) {
            return box;
        }
    }
    return first;
}

void GraphCanvas::fit() {
    if (m_scene) {
        showArea(m_scene->bounds());
    }
}

void GraphCanvas::showArea(const QRectF& area) {
    const double wanted = std::min((width() - 2 * margin) / std::max(area.width(), 1.0),
                                   (height() - 2 * margin) / std::max(area.height(), 1.0));
    const double zoom = std::clamp(wanted, smallestZoom(), 1.25);
    setView(area.center() - QPointF(width(), height()) / zoom / 2, zoom);
}

void GraphCanvas::zoomTo(double zoom, const QPointF& fixedPixel) {
    const QPointF fixed = toScene(fixedPixel);
    const double wanted = std::clamp(zoom, smallestZoom(), largestZoom);
    setView(fixed - fixedPixel / wanted, wanted);
}

void GraphCanvas::zoomBy(double factor) {
    zoomTo(m_zoom * factor, QRectF(rect()).center());
}

void GraphCanvas::centerOn(const QPointF& point) {
    setView(point - QPointF(width(), height()) / m_zoom / 2, m_zoom);
}

void GraphCanvas::centerOn(BoxId box) {
    if (!m_scene || !box.valid()) {
        return;
    }
    const double zoom = m_zoom < ScenePainter::textZoom ? 1 : m_zoom;
    const QPointF center = m_scene->rect(box).center();
    setView(center - QPointF(width(), height()) / zoom / 2, zoom);
}

void GraphCanvas::ensureVisible(BoxId box) {
    if (!m_scene || !box.valid()) {
        return;
    }
    const QRectF pixels = toPixel(m_scene->rect(box)).adjusted(-margin, -margin, margin, margin);
    QPointF move;
    if (pixels.left() < 0) {
        move.setX(pixels.left());
    } else if (pixels.right() > width()) {
        move.setX(pixels.right() - width());
    }
    if (pixels.top() < 0) {
        move.setY(pixels.top());
    } else if (pixels.bottom() > height()) {
        move.setY(pixels.bottom() - height());
    }
    setView(m_origin + move / m_zoom, m_zoom);
}

void GraphCanvas::ensureInside(const Anchor& group) {
    const QRectF sight = visibleArea();
    BoxId nearest;
    double least = 0;
    for (const layout::Group& each : m_scene->layout().groups) {
        if (!each.open || each.path != group.path || each.isBackward != group.isBackward) {
            continue;
        }
        for (const ir::NodeId node : each.nodes) {
            const BoxId box = m_scene->boxOf(node);
            const QRectF& rect = m_scene->rect(box);
            if (rect.intersects(sight)) {
                return;
            }
            const double distance = (rect.center() - sight.center()).manhattanLength();
            if (!nearest.valid() || distance < least) {
                nearest = box;
                least = distance;
            }
        }
    }
    ensureVisible(nearest);
}

} // namespace aotscope::views
