// Mouse, wheel and tooltips of GraphCanvas. Its keys are in canvas_keys.cpp.
#include "graph/graph_canvas.h"

#include "graph/graph_facts.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace aotscope::views {
namespace {

constexpr double wheelStep = 1.0 / 120;

} // namespace

QString GraphCanvas::toolTipAt(const QPointF& pixel) const {
    if (!m_scene) {
        return {};
    }
    if (const BoxId box = boxAt(pixel); box.valid()) {
        const layout::Box& found = m_scene->box(box);
        return found.node.valid() ? nodeToolTip(*m_scene, found.node, m_look.marks.get())
                                  : groupToolTip(*m_scene, found.group, m_look.marks.get());
    }
    if (const auto title = titleAt(pixel)) {
        return groupToolTip(*m_scene, title->group, m_look.marks.get());
    }
    const auto band = bandAt(pixel);
    return band ? bandToolTip(*m_scene, *m_look.marks, *band) : QString();
}

bool GraphCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(help->pos());
        if (text.isEmpty()) {
            QToolTip::hideText();
        } else {
            QToolTip::showText(help->globalPos(), text, this);
        }
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        // While the canvas has the focus, its keys take precedence over the window's shortcuts.
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier && key->key() == Qt::Key_Space) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        refreshTheme();
    }
    return QWidget::event(event);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
    m_pressPixel = event->position();
    m_lastPixel = event->position();
    if (event->button() == Qt::LeftButton) {
        m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Select : Drag::Maybe;
    } else if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
    } else {
        event->ignore();
    }
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF pixel = event->position();
    if (m_drag == Drag::Maybe &&
        (pixel - m_pressPixel).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::Pan) {
        setView(m_origin - (pixel - m_lastPixel) / m_zoom, m_zoom);
    } else if (m_drag == Drag::Select) {
        update();
    } else if (m_drag == Drag::None) {
        hoverAt(pixel);
    }
    m_lastPixel = pixel;
}

void GraphCanvas::hoverAt(const QPointF& pixel) {
    if (!m_scene) {
        return;
    }
    const BoxId box = boxAt(pixel);
    const auto titleHere = titleAt(pixel);
    const GroupId title = box.valid() || !titleHere ? GroupId() : titleHere->group;
    if (title != m_look.hoveredTitle) {
        m_look.hoveredTitle = title;
        setCursor(title.valid() ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
    setHoveredBand(box.valid() || title.valid() ? std::nullopt : bandAt(pixel));
    if (box != m_look.hovered) {
        setHovered(box);
        Q_EMIT hovered(box);
    }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    unsetCursor();
    if (!m_scene) {
        return;
    }
    if (drag == Drag::Select) {
        finishSelect(QRectF(m_pressPixel, event->position()).normalized(),
                     event->modifiers() & Qt::ControlModifier);
        update();
        return;
    }
    if (drag != Drag::Maybe || event->button() != Qt::LeftButton) {
        return;
    }
    const BoxId box = boxAt(event->position());
    if (box.valid() && event->modifiers() & Qt::ControlModifier) {
        if (m_look.marked.erase(box.index()) == 0) {
            m_look.marked.insert(box.index());
        }
        Q_EMIT markedChanged();
        update();
        return;
    }
    const auto title = box.valid() ? std::nullopt : titleAt(event->position());
    if (title) {
        // The left end of a title is the fold button; elsewhere a double-click folds.
        if (event->position().x() - title->rect.left() <= std::max(22.0, 22 * m_zoom)) {
            Q_EMIT toggleGroup(title->group);
        } else {
            markGroup(title->group, event->modifiers() & Qt::ControlModifier);
        }
        return;
    }
    clearMarked();
    if (const auto band = box.valid() ? std::nullopt : bandAt(event->position())) {
        Q_EMIT bandPicked(*band);
        return;
    }
    setCurrent(box);
    Q_EMIT picked(box);
}

void GraphCanvas::finishSelect(const QRectF& pixels, bool add) {
    if (!add) {
        m_look.marked.clear();
    }
    const QRectF area(toScene(pixels.topLeft()), pixels.size() / m_zoom);
    m_scene->boxes().forEachIn(area, [&](std::uint32_t item) { m_look.marked.insert(item); });
    Q_EMIT markedChanged();
}

void GraphCanvas::markGroup(GroupId group, bool add) {
    if (!add) {
        m_look.marked.clear();
    }
    for (const ir::NodeId node : m_scene->layout().groups[group.index()].nodes) {
        if (const BoxId box = m_scene->boxOf(node); box.valid()) {
            m_look.marked.insert(box.index());
        }
    }
    Q_EMIT markedChanged();
    update();
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_scene || event->button() != Qt::LeftButton) {
        return;
    }
    if (const BoxId box = boxAt(event->position()); box.valid()) {
        activate(box);
    } else if (const auto title = titleAt(event->position())) {
        Q_EMIT toggleGroup(title->group);
    }
}

std::optional<ScenePainter::Title> GraphCanvas::titleAt(const QPointF& pixel) const {
    const std::vector<ScenePainter::Title> titles = m_painter.titles(m_look, rect(), m_origin, m_zoom);
    const auto found = std::find_if(titles.rbegin(), titles.rend(), [&](const ScenePainter::Title& title) {
        return title.rect.contains(pixel);
    });
    return found == titles.rend() ? std::nullopt : std::optional(*found);
}

BoxId GraphCanvas::boxAt(const QPointF& pixel) const {
    const auto title = titleAt(pixel);
    return title && title->overBoxes ? BoxId() : m_scene->boxAt(toScene(pixel));
}

void GraphCanvas::leaveEvent(QEvent*) {
    m_look.hoveredTitle = {};
    setHoveredBand(std::nullopt);
    if (m_look.hovered.valid()) {
        setHovered({});
        Q_EMIT hovered({});
    }
    update();
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ControlModifier) {
        zoomTo(m_zoom * std::pow(1.2, event->angleDelta().y() * wheelStep), event->position());
    } else {
        QPointF move =
            event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * 0.6 : QPointF(event->pixelDelta());
        if (event->modifiers() & Qt::ShiftModifier && move.x() == 0) {
            move = QPointF(move.y(), 0);
        }
        setView(m_origin - move / m_zoom, m_zoom);
    }
    hoverAt(event->position());
    event->accept();
}

void GraphCanvas::focusInEvent(QFocusEvent*) {
    update();
}

void GraphCanvas::focusOutEvent(QFocusEvent*) {
    update();
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    BoxId box = m_look.current;
    GroupId group;
    QPoint global = event->globalPos();
    if (m_scene && event->reason() == QContextMenuEvent::Mouse) {
        box = boxAt(event->pos());
        const auto title = titleAt(event->pos());
        group = box.valid() || !title ? GroupId() : title->group;
        const auto band = box.valid() || title ? std::nullopt : bandAt(event->pos());
        if (band) {
            Q_EMIT bandMenuRequested(*band, global);
            return;
        }
    } else if (m_scene && box.valid()) {
        global = mapToGlobal(toPixel(m_scene->rect(box)).bottomLeft().toPoint());
    }
    if (box.valid() && m_scene->box(box).isGroup) {
        group = m_scene->box(box).group;
    } else if (box.valid()) {
        group = innermostGroup(box);
    }
    Q_EMIT menuRequested(box, group, global);
}

} // namespace aotscope::views
