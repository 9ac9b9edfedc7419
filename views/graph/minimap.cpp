#include "graph/minimap.h"

#include "graph/graph_canvas.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr int padding = 6;
constexpr int widest = 150;
constexpr int highest = 220;

} // namespace

Minimap::Minimap(GraphCanvas* canvas) : QWidget(canvas), m_canvas(canvas) {
    setObjectName(QStringLiteral("graphMinimap"));
    setAccessibleName(tr("Overview of the graph"));
    setToolTip(tr("Overview: drag the rectangle to move (Space shows everything)"));
    setCursor(Qt::ArrowCursor);
    canvas->installEventFilter(this);
    connect(canvas, &GraphCanvas::viewChanged, this, &Minimap::viewChanged);
    hide();
}

double Minimap::scale() const {
    const QRectF& bounds = m_scene->bounds();
    return std::min((width() - 2 * padding) / bounds.width(), (height() - 2 * padding) / bounds.height());
}

/// The pixel of scene point (0, 0).
QPointF Minimap::offset() const {
    const QRectF& bounds = m_scene->bounds();
    return QPointF(width(), height()) / 2 - bounds.center() * scale();
}

void Minimap::refresh() {
    m_scene = m_canvas->scene();
    m_painter.setScene(m_scene);
    m_picture = {};
    place();
    viewChanged();
    update();
}

QSize Minimap::sizeFor(const QRectF& bounds) {
    if (bounds.isEmpty()) {
        return {};
    }
    const double by = std::min(widest / bounds.width(), highest / bounds.height());
    return {std::max(44, int(bounds.width() * by) + 2 * padding),
            std::max(32, int(bounds.height() * by) + 2 * padding)};
}

void Minimap::place() {
    if (!m_scene || m_scene->bounds().isEmpty()) {
        return;
    }
    const QSize wanted = sizeFor(m_scene->bounds());
    if (wanted != size()) {
        resize(wanted);
        m_picture = {};
    }
    move(m_canvas->width() - width() - gap, gap);
}

void Minimap::viewChanged() {
    const bool useful = m_scene && !m_scene->bounds().isEmpty() && m_scene->boxCount() > 0 &&
                        !m_canvas->visibleArea().contains(m_scene->bounds()) &&
                        m_canvas->width() > 3 * width();
    if (useful != isVisibleTo(m_canvas)) {
        setVisible(useful);
    }
    update();
}

QRectF Minimap::viewRect() const {
    if (!m_scene) {
        return {};
    }
    const QRectF area = m_canvas->visibleArea();
    return {offset() + area.topLeft() * scale(), area.size() * scale()};
}

void Minimap::paintEvent(QPaintEvent*) {
    if (!m_scene) {
        return;
    }
    const Theme& theme = m_canvas->look().theme;
    const qreal ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatio() != ratio) {
        m_picture = QPixmap(size() * ratio);
        m_picture.setDevicePixelRatio(ratio);
        QPainter painter(&m_picture);
        SceneLook look = SceneLook::of(theme);
        look.coloring = m_canvas->look().coloring;
        look.marks = m_canvas->look().marks;
        look.choices = m_canvas->look().choices;
        look.theme.background = theme.panel;
        look.titles = false;
        m_painter.paint(painter, look, rect(), -offset() / scale(), scale());
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_picture);
    painter.setPen(QPen(theme.line, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    QColor fill = theme.accent;
    fill.setAlphaF(0.12F);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1.5));
    painter.setBrush(fill);
    QRectF view = viewRect().intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
    view.setHeight(std::max(view.height(), 4.0));
    painter.drawRoundedRect(view, 2, 2);
}

void Minimap::moveTo(const QPointF& pixel) {
    if (m_scene) {
        m_canvas->centerOn((pixel - m_grab - offset()) / scale());
    }
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    const QRectF view = viewRect();
    m_grab = view.contains(event->position()) ? event->position() - view.center() : QPointF();
    moveTo(event->position());
    event->accept();
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) {
        moveTo(event->position());
    }
    event->accept();
}

void Minimap::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

bool Minimap::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_canvas && event->type() == QEvent::Resize) {
        place();
        viewChanged();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace aotscope::views
