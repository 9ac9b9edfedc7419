// Mouse and keys of MemoryCanvas.
#include "memory/memory_canvas.h"

#include "common/line_moves.h"
#include "common/plain_words.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {
constexpr std::int64_t manyNodes = 10;
} // namespace

bool MemoryCanvas::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        const memory::Band* band = m_look.scene ? bandAt(help->pos()) : nullptr;
        const QString words =
            band != nullptr && m_describe ? m_describe(*band, positionAt(help->pos().x())) : QString();
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

void MemoryCanvas::mousePressEvent(QMouseEvent* event) {
    if (!m_look.scene || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) {
        return;
    }
    m_press = m_last = event->position();
    const bool picks = event->modifiers().testFlag(Qt::ShiftModifier);
    m_drag = event->button() == Qt::MiddleButton ? Drag::Pan
             : picks                             ? Drag::MaybePick
             : onMarker(m_press)                 ? Drag::Marker
                                                 : Drag::Maybe;
    if (m_drag == Drag::Marker) {
        // Pressing the ▲ already shows what is alive there.
        Q_EMIT markerMoved(m_look.marker);
    }
}

void MemoryCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (!m_look.scene) {
        return;
    }
    if (m_drag == Drag::None) {
        hoverAt(event->position());
        return;
    }
    dragTo(event->position());
}

void MemoryCanvas::dragTo(const QPointF& point) {
    const bool isFar = (point - m_press).manhattanLength() >= QApplication::startDragDistance();
    if (isFar && m_drag == Drag::Maybe) {
        m_drag = Drag::Pan;
    } else if (isFar && m_drag == Drag::MaybePick) {
        m_drag = Drag::Pick;
    }
    if (m_drag == Drag::Pick) {
        const auto [first, last] = std::minmax({positionAt(m_press.x()), positionAt(point.x())});
        setSpan(std::pair(first, last));
    } else if (m_drag == Drag::Pan) {
        setCursor(Qt::ClosedHandCursor);
        panBy(m_last.x() - point.x());
    } else if (m_drag == Drag::Marker && positionAt(point.x()) != m_look.marker) {
        moveMarker(positionAt(point.x()));
        Q_EMIT markerMoved(m_look.marker);
    }
    m_last = point;
}

void MemoryCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const Drag ended = std::exchange(m_drag, Drag::None);
    if (!m_look.scene) {
        unsetCursor();
        return;
    }
    showCursorAt(event->position());
    if (ended == Drag::MaybePick) {
        setSpan(std::nullopt);
    }
    if (ended != Drag::Maybe) {
        return;
    }
    const memory::Band* band = bandAt(event->position());
    Q_EMIT picked(band != nullptr ? std::optional<quint32>(band->range) : std::nullopt);
}

void MemoryCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    m_drag = Drag::None;
    const memory::Band* band = m_look.scene ? bandAt(event->position()) : nullptr;
    if (band != nullptr && band->range) {
        setSelected(band->range);
        showLife();
    }
}

void MemoryCanvas::showCursorAt(const QPointF& point) {
    setCursor(onMarker(point) ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void MemoryCanvas::hoverAt(const QPointF& point) {
    showCursorAt(point);
    const memory::Band* band = bandAt(point);
    const std::optional<std::uint32_t> range = band != nullptr ? band->range : std::nullopt;
    if (range != m_look.hovered) {
        m_look.hovered = range;
        update();
        Q_EMIT hovered(range);
    }
}

void MemoryCanvas::leaveEvent(QEvent*) {
    if (m_look.hovered) {
        m_look.hovered.reset();
        update();
        Q_EMIT hovered(std::nullopt);
    }
}

void MemoryCanvas::wheelEvent(QWheelEvent* event) {
    if (!m_look.scene) {
        return;
    }
    const QPoint delta = event->angleDelta();
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoomAt(wheelZoom(delta.y()), event->position().x());
    } else {
        panBy(-double(delta.x() != 0 ? delta.x() : delta.y()));
    }
    event->accept();
}

void MemoryCanvas::keyPressEvent(QKeyEvent* event) {
    if (!m_look.scene || !handleKey(event)) {
        QWidget::keyPressEvent(event);
    }
}

bool MemoryCanvas::handleKey(QKeyEvent* event) {
    const double middle = underMouse() ? mapFromGlobal(QCursor::pos()).x() : rect().center().x();
    const std::int64_t step = event->modifiers().testFlag(Qt::ShiftModifier) ? manyNodes : 1;
    const auto walk = [&](std::int64_t by) {
        moveMarker(static_cast<std::uint32_t>(std::max<std::int64_t>(0, m_look.marker + by)));
        Q_EMIT markerMoved(m_look.marker);
    };
    if (const auto move = lineMoveOf(event->key())) {
        move->pan == 0 ? zoomAt(move->zoom, middle) : panBy(move->pan * width());
        return true;
    }
    switch (event->key()) {
    case Qt::Key_F:
        showLife();
        return true;
    case Qt::Key_P:
        markPeak();
        return true;
    case Qt::Key_M:
        Q_EMIT measureAsked();
        return true;
    case Qt::Key_T:
        Q_EMIT axisAsked();
        return true;
    case Qt::Key_Left:
        walk(-step);
        return true;
    case Qt::Key_Right:
        walk(step);
        return true;
    case Qt::Key_Escape:
        setSpan(std::nullopt);
        Q_EMIT picked(std::nullopt);
        return true;
    default:
        return false;
    }
}

} // namespace aotscope::views
