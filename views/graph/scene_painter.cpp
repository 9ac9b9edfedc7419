#include "graph/scene_painter.h"

#include "common/format.h"
#include "graph/scene_painter_frame.h"

#include <QGuiApplication>
#include <QPen>

#include <algorithm>

namespace aotscope::views {

SceneLook SceneLook::of(const Theme& theme) {
    SceneLook look;
    look.theme = theme;
    look.nameFont = QGuiApplication::font();
    look.nameFont.setPixelSize(12);
    look.nameFont.setBold(true);
    look.nameFont.setHintingPreference(QFont::PreferNoHinting);
    look.codeFont = views::codeFont();
    look.codeFont.setPixelSize(11);
    look.codeFont.setHintingPreference(QFont::PreferNoHinting);
    return look;
}

void ScenePainter::setScene(GraphScenePtr scene) {
    m_scene = std::move(scene);
    m_labels.clear();
}

void ScenePainter::paint(QPainter& painter, const SceneLook& look, const QRectF& viewport,
                         const QPointF& origin, double zoom, base::Progress* progress) {
    painter.fillRect(viewport, look.theme.background);
    m_painted = {};
    if (!m_scene || zoom <= 0 || !look.coloring) {
        return;
    }
    const Frame frame{painter, look, viewport, origin, zoom, QRectF(origin, viewport.size() / zoom),
                      progress};
    painter.save();
    painter.setClipRect(viewport);
    paintGroupFrames(frame);
    painter.translate(viewport.topLeft());
    painter.scale(zoom, zoom);
    painter.translate(-origin);
    painter.setRenderHint(QPainter::Antialiasing, zoom >= farZoom);
    paintDataEdges(frame);
    paintBands(frame);
    if (frame.stopped()) {
        painter.restore();
        return;
    }
    if (zoom < farZoom) {
        paintFarBoxes(frame);
    } else {
        paintBoxes(frame);
    }
    painter.restore();
    paintTitles(frame);
    paintRings(frame);
}

void ScenePainter::paintRings(const Frame& frame) {
    QPainter& painter = frame.painter;
    painter.save();
    painter.setClipRect(frame.viewport);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    const auto ring = [&](BoxId id, const QColor& color, double width, Qt::PenStyle style) {
        if (!frame.shows(id) || !m_scene->rect(id).intersects(frame.area.adjusted(-4, -4, 4, 4))) {
            return;
        }
        QRectF rect = frame.toPixel(m_scene->rect(id));
        // When zoomed far out, the enlarged ring shows where the selection is.
        const double grow = std::max(0.0, (10 - std::min(rect.width(), rect.height())) / 2);
        rect = rect.adjusted(-2 - grow, -2 - grow, 2 + grow, 2 + grow);
        painter.setPen(QPen(color, width, style));
        const double radius = std::clamp((cornerRadius + 2) * frame.zoom, 2.0, 12.0);
        painter.drawRoundedRect(rect, radius, radius);
    };
    for (const std::uint32_t item : frame.look.marked) {
        ring(BoxId(item), frame.look.theme.accent, 1, Qt::DashLine);
    }
    if (frame.look.hovered.valid() && frame.look.hovered != frame.look.current) {
        ring(frame.look.hovered, frame.look.theme.dimText, 1, Qt::SolidLine);
    }
    if (frame.look.current.valid()) {
        ring(frame.look.current, frame.look.theme.accent, 2, Qt::SolidLine);
    }
    painter.restore();
}

} // namespace aotscope::views
