// Mouse and keys of TimelineCanvas.
#include "timeline/timeline_canvas.h"

#include "common/line_moves.h"
#include "common/plain_words.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace aotscope::views {

using timeline::EventId;

bool TimelineCanvas::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto under = TimelinePainter::eventAt(m_look, pictureRect(), help->pos());
        const QString words = under && m_describe ? m_describe(*under) : QString();
        if (words.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), plainToolTip(words), this);
        }
        return true;
    }
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
        refreshTheme();
        break;
    default:
        break;
    }
    return QWidget::event(event);
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
    if (!m_look.scene || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) {
        return;
    }
    m_press = m_last = event->position();
    const bool onRuler = m_press.y() < TimelinePainter::rulerHeight;
    const bool picks =
        event->button() == Qt::LeftButton && (onRuler || event->modifiers().testFlag(Qt::ShiftModifier));
    m_drag = picks ? Drag::Pick : Drag::Maybe;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_look.scene) {
        return;
    }
    const QPointF point = event->position();
    if (m_drag == Drag::None) {
        const auto under = TimelinePainter::eventAt(m_look, pictureRect(), point);
        const bool onName = TimelinePainter::nameAt(m_look, pictureRect(), point).has_value();
        setCursor(onName ? Qt::PointingHandCursor : Qt::ArrowCursor);
        if (under != m_look.hovered) {
            setHovered(under);
            Q_EMIT hovered(under);
        }
        return;
    }
    if (m_drag == Drag::Maybe && (point - m_press).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Pan;
    }
    if (m_drag == Drag::Pan) {
        setCursor(Qt::ClosedHandCursor);
        panBy(m_last.x() - point.x());
        scrollTo(m_look.scrolled + int(m_last.y() - point.y()));
    } else if (m_drag == Drag::Pick) {
        const auto timeAt = [&](const QPointF& place) {
            return std::int64_t(std::llround(TimelinePainter::timeAt(m_look, pictureRect(), place.x())));
        };
        m_look.picked = std::minmax({timeAt(m_press), timeAt(point)});
        update();
    }
    m_last = point;
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const Drag ended = std::exchange(m_drag, Drag::None);
    if (ended == Drag::Pan) {
        unsetCursor();
    }
    if (!m_look.scene || (ended != Drag::Maybe && ended != Drag::Pick)) {
        return;
    }
    if (ended == Drag::Pick) {
        if (event->position() == m_press) {
            m_look.picked.reset();
            update();
        }
        return;
    }
    if (const auto name = TimelinePainter::nameAt(m_look, pictureRect(), event->position())) {
        setFolded(*name, !m_look.scene->places()[*name].folded);
        return;
    }
    const auto under = TimelinePainter::eventAt(m_look, pictureRect(), event->position());
    setSelected(under);
    Q_EMIT picked(under);
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    m_drag = Drag::None;
    if (const auto under = TimelinePainter::eventAt(m_look, pictureRect(), event->position())) {
        setSelected(under);
        fit(*under);
        Q_EMIT picked(under);
    }
}

void TimelineCanvas::leaveEvent(QEvent*) {
    if (m_look.hovered) {
        setHovered(std::nullopt);
        Q_EMIT hovered(std::nullopt);
    }
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
    if (!m_look.scene) {
        return;
    }
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoomAt(wheelZoom(delta.y()), event->position().x());
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) || delta.x() != 0) {
        panBy(-double(delta.x() != 0 ? delta.x() : delta.y()));
    } else {
        scrollTo(m_look.scrolled - delta.y() / 2);
    }
    event->accept();
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
    if (!m_look.scene || !handleKey(event)) {
        QWidget::keyPressEvent(event);
    }
}

bool TimelineCanvas::handleKey(QKeyEvent* event) {
    const double middle = underMouse() ? mapFromGlobal(QCursor::pos()).x() : rect().center().x();
    if (const auto move = lineMoveOf(event->key())) {
        move->pan == 0 ? zoomAt(move->zoom, middle) : panBy(move->pan * width());
        return true;
    }
    switch (event->key()) {
    case Qt::Key_F:
        focusSelected();
        return true;
    case Qt::Key_M:
        toggleMark();
        return true;
    case Qt::Key_Slash:
        Q_EMIT searchAsked();
        return true;
    case Qt::Key_Home:
        showAll();
        return true;
    case Qt::Key_Escape:
        m_look.marks.clear();
        m_look.picked.reset();
        choose(std::nullopt);
        return true;
    default:
        return walk(event->key());
    }
}

/// The event before or after the selected one in its lane.
std::optional<EventId> TimelineCanvas::beside(int step) const {
    const EventId event = *m_look.selected;
    const timeline::Row& row = m_look.scene->timeline().row(event);
    const std::size_t lane = row.laneOf(event.index);
    const bool isEnd = step < 0 ? event.index == row.lanes[lane] : event.index + 1 == row.lanes[lane + 1];
    return isEnd ? std::nullopt : std::optional(EventId{event.row, event.index + (step < 0 ? -1U : 1U)});
}

bool TimelineCanvas::walk(int key) {
    if (!m_look.selected) {
        return false;
    }
    const EventId event = *m_look.selected;
    const timeline::Row& row = m_look.scene->timeline().row(event);
    std::optional<EventId> next;
    switch (key) {
    case Qt::Key_BracketLeft:
        next = m_look.scene->sameName(event, -1);
        break;
    case Qt::Key_BracketRight:
        next = m_look.scene->sameName(event, 1);
        break;
    case Qt::Key_Comma:
    case Qt::Key_Left:
        next = beside(-1);
        break;
    case Qt::Key_Period:
    case Qt::Key_Right:
        next = beside(1);
        break;
    case Qt::Key_Up:
        if (const auto parent = row.parent(event.index)) {
            next = EventId{event.row, *parent};
        }
        break;
    case Qt::Key_Down:
        if (const auto [first, last] = row.children(event.index); first < last) {
            next = EventId{event.row, first};
        }
        break;
    default:
        return false;
    }
    if (next) {
        choose(next);
    }
    return true;
}

} // namespace aotscope::views
