// Keyboard handling of the graph canvas: moving along edges, zooming, folding.
#include "graph/graph_canvas.h"

#include <QKeyEvent>

#include <cmath>
#include <limits>

namespace aotscope::views {
namespace {

/// Distance from one box to another along a direction and across it; nothing if it lies in the opposite
/// direction.
struct Offset {
    double along = 0;
    double aside = 0;
};

std::optional<Offset> offset(const QRectF& from, const QRectF& to, GraphCanvas::Direction direction) {
    const QPointF delta = to.center() - from.center();
    Offset result;
    switch (direction) {
    case GraphCanvas::Direction::Up:
        result = {-delta.y(), delta.x()};
        break;
    case GraphCanvas::Direction::Down:
        result = {delta.y(), delta.x()};
        break;
    case GraphCanvas::Direction::Left:
        result = {-delta.x(), delta.y()};
        break;
    case GraphCanvas::Direction::Right:
        result = {delta.x(), delta.y()};
        break;
    }
    result.aside = std::abs(result.aside);
    if (result.along <= 1) {
        return {};
    }
    return result;
}

} // namespace

BoxId GraphCanvas::alongEdges(BoxId from, Direction direction, bool across) const {
    BoxId best;
    double bestCost = std::numeric_limits<double>::max();
    const auto consider = [&](BoxId other) {
        const std::optional<Offset> away = offset(m_scene->rect(from), m_scene->rect(other), direction);
        if (away && away->along + 0.5 * away->aside < bestCost) {
            bestCost = away->along + 0.5 * away->aside;
            best = other;
        }
    };
    for (const std::uint32_t index : m_scene->edgesOf(from)) {
        const layout::Edge& edge = m_scene->layout().edges[index];
        if (across == (edge.kind == layout::EdgeKind::Saved)) {
            consider(edge.from == from ? edge.to : edge.from);
        }
    }
    if (across && m_look.marks) {
        for (const layout::Band& band : m_look.marks->split().bands) {
            if (band.from == from || band.to == from) {
                consider(band.from == from ? band.to : band.from);
            }
        }
    }
    return best;
}

BoxId GraphCanvas::beside(BoxId from, Direction direction) const {
    // Boxes in the same row only: a box that is more than twice as far across as along is in another row.
    const QRectF& start = m_scene->rect(from);
    const QRectF& bounds = m_scene->bounds();
    QRectF row(bounds.left(), start.top(), bounds.width(), start.height());
    BoxId best;
    double bestCost = std::numeric_limits<double>::max();
    m_scene->boxes().forEachIn(row, [&](std::uint32_t item) {
        const std::optional<Offset> away = offset(start, m_scene->rect(BoxId(item)), direction);
        if (away && item != from.index() && away->along + 2 * away->aside < bestCost) {
            bestCost = away->along + 2 * away->aside;
            best = BoxId(item);
        }
    });
    return best;
}

BoxId GraphCanvas::step(BoxId from, Direction direction) const {
    if (!m_scene || !from.valid()) {
        return {};
    }
    if (direction == Direction::Up || direction == Direction::Down) {
        return alongEdges(from, direction, false);
    }
    const BoxId across = alongEdges(from, direction, true);
    return across.valid() ? across : beside(from, direction);
}

void GraphCanvas::walk(Direction direction) {
    if (!m_scene || m_scene->boxCount() == 0) {
        return;
    }
    BoxId next = step(m_look.current, direction);
    if (!m_look.current.valid()) {
        // Start with the box nearest to the top left of the view.
        double best = std::numeric_limits<double>::max();
        const auto consider = [&](std::uint32_t item) {
            const QPointF away = m_scene->rect(BoxId(item)).topLeft() - m_origin;
            const double cost = std::abs(away.x()) + std::abs(away.y());
            if (cost < best) {
                best = cost;
                next = BoxId(item);
            }
        };
        m_scene->boxes().forEachIn(visibleArea(), consider);
        next = next.valid() ? next : BoxId(0);
    }
    if (next.valid()) {
        setCurrent(next);
        ensureVisible(next);
        Q_EMIT picked(next);
    }
}

bool GraphCanvas::handleKey(QKeyEvent* event) {
    const bool plain = !(event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier));
    if (event->matches(QKeySequence::Find) || (plain && event->key() == Qt::Key_Slash)) {
        Q_EMIT searchRequested();
        return true;
    }
    if (!plain) {
        return false;
    }
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_W:
        walk(Direction::Up);
        return true;
    case Qt::Key_Down:
    case Qt::Key_S:
        walk(Direction::Down);
        return true;
    case Qt::Key_Left:
    case Qt::Key_A:
        walk(Direction::Left);
        return true;
    case Qt::Key_Right:
    case Qt::Key_D:
        walk(Direction::Right);
        return true;
    case Qt::Key_Space:
        fit();
        return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25);
        return true;
    case Qt::Key_Minus:
        zoomBy(0.8);
        return true;
    case Qt::Key_0:
        zoomTo(1, QRectF(rect()).center());
        return true;
    case Qt::Key_F:
        centerOn(m_look.current);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_look.current.valid()) {
            activate(m_look.current);
        }
        return true;
    case Qt::Key_Backspace:
        if (const GroupId group = innermostGroup(m_look.current);
            group.valid() && !m_scene->box(m_look.current).isGroup) {
            Q_EMIT toggleGroup(group);
        }
        return true;
    case Qt::Key_Escape:
        if (!m_look.marked.empty()) {
            clearMarked();
            return true;
        }
        if (m_look.current.valid()) {
            setCurrent({});
            Q_EMIT picked({});
            return true;
        }
        return false;
    default:
        return false;
    }
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (!handleKey(event)) {
        QWidget::keyPressEvent(event);
    }
}

} // namespace aotscope::views
