// The bands of what is saved for the backward, and their labels; a label is a capsule where a hook packs it.
#include "graph/scene_painter_frame.h"

#include "graph/edge_shape.h"
#include "layout/picture_colors.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QPen>

#include <algorithm>

namespace aotscope::views {
namespace {

constexpr std::size_t mostFarBands = 4'000;
constexpr double capWidth = 6;

} // namespace

void ScenePainter::paintBands(const Frame& frame) {
    if (!frame.look.marks) {
        return;
    }
    if (frame.zoom < farZoom) {
        paintFarBands(frame);
        return;
    }
    const std::vector<layout::Band>& bands = frame.look.marks->split().bands;
    std::vector<std::uint32_t> shown;
    std::vector<std::uint32_t> focused;
    frame.look.marks->bands().forEachIn(frame.area, [&](std::uint32_t item) {
        const layout::Band& band = bands[item];
        if (frame.shows(band.from) && frame.shows(band.to)) {
            (frame.touches(band.from, band.to) ? focused : shown).push_back(item);
        }
    });
    // The largest first, so that thin ones stay visible; those of the box in focus on top.
    std::ranges::sort(shown);
    std::ranges::sort(focused);
    shown.insert(shown.end(), focused.begin(), focused.end());
    frame.painter.setBrush(Qt::NoBrush);
    for (const std::uint32_t band : shown) {
        if (frame.stopped()) {
            return;
        }
        paintBand(frame, band);
    }
    if (frame.zoom >= textZoom) {
        paintBandLabels(frame, shown);
    }
}

/// Bands between the same pixels are drawn once.
void ScenePainter::paintFarBands(const Frame& frame) {
    const std::vector<layout::Band>& bands = frame.look.marks->split().bands;
    std::unordered_set<std::uint64_t> seen;
    QPainterPath thin;
    frame.look.marks->bands().forEachIn(frame.area, [&](std::uint32_t item) {
        const layout::Band& band = bands[item];
        if (!frame.shows(band.from) || !frame.shows(band.to) || seen.size() >= mostFarBands) {
            return;
        }
        const auto key = [&](const layout::Point& p) {
            const QPointF pixel = frame.toPixel(QPointF(p.x, p.y)) / 2;
            return (std::uint64_t(std::uint16_t(int(pixel.x()))) << 16) | std::uint16_t(int(pixel.y()));
        };
        if (seen.insert(key(band.path.front()) << 32 | key(band.path.back())).second) {
            appendPath(thin, band.path, true);
            m_painted.bands.push_back(item);
        }
    });
    const Theme& theme = frame.look.theme;
    const QColor band = mix(theme.background, theme.category(Category::Saved), layout::bandShare);
    QPen pen(mix(theme.background, band, frame.look.kept.empty() ? 0.6 : 0.3), 1);
    pen.setCosmetic(true);
    frame.painter.setPen(pen);
    frame.painter.setBrush(Qt::NoBrush);
    frame.painter.drawPath(thin);
}

void ScenePainter::paintBand(const Frame& frame, std::uint32_t index) {
    const layout::Band& band = frame.look.marks->split().bands[index];
    const Theme& theme = frame.look.theme;
    const QColor full = theme.category(Category::Saved);
    const bool stressed = frame.touches(band.from, band.to) || frame.look.hoveredBand == index;
    const QColor color = stressed ? full
                                  : frame.tone(mix(theme.background, full, layout::bandShare),
                                               frame.fadesLine(band.from, band.to));
    QPainterPath path;
    appendPath(path, band.path, frame.zoom < 0.3);
    const double width = layout::bandWidth(band.bytes) + (frame.look.hoveredBand == index ? 2 : 0);
    frame.painter.setPen(QPen(color, std::max(width, 1 / frame.zoom), Qt::SolidLine, Qt::FlatCap));
    frame.painter.drawPath(path);
    m_painted.bands.push_back(index);
}

/// Those of the box in focus first, then the largest; a label that would overlap another one or a box
/// is left out.
void ScenePainter::paintBandLabels(const Frame& frame, std::vector<std::uint32_t>& bands) {
    constexpr std::size_t most = 120;
    constexpr double height = 16;
    const std::vector<layout::Band>& all = frame.look.marks->split().bands;
    std::ranges::stable_sort(bands, std::greater<>(), [&](std::uint32_t index) {
        return std::pair(frame.look.hoveredBand == index || frame.touches(all[index].from, all[index].to),
                         all[index].bytes);
    });
    const QFontMetricsF metrics(frame.look.codeFont);
    std::vector<QRectF> placed;
    for (const std::uint32_t index : bands) {
        const layout::Band& band = all[index];
        const QString words = storedBytesText(band.bytes, band.stored);
        if (words.isEmpty() || placed.size() >= most) {
            continue;
        }
        const double caps = band.stored ? 2 * capWidth + 4 : 0;
        QRectF rect(QPointF(), QSizeF(metrics.horizontalAdvance(words) + 12 + caps, height));
        const std::vector<QPointF> places = labelPlaces(band.path, frame.area);
        const auto isFree = [&](const QPointF& place) {
            rect.moveCenter(place);
            bool isTaken = std::ranges::any_of(placed, [&](const QRectF& r) { return r.intersects(rect); });
            m_scene->boxes().forEachIn(rect, [&](std::uint32_t /*box*/) { isTaken = true; });
            return !isTaken;
        };
        if (std::ranges::none_of(places, isFree)) {
            continue;
        }
        placed.push_back(rect.adjusted(-2, -2, 2, 2));
        m_painted.labels.push_back({index, words, rect});
        paintBandLabel(frame, m_painted.labels.back(), frame.fadesLine(band.from, band.to));
    }
}

void ScenePainter::paintBandLabel(const Frame& frame, const PaintedScene::Label& label, bool fade) {
    const Theme& theme = frame.look.theme;
    const bool isHooked = frame.look.marks->split().bands[label.band].stored.has_value();
    const bool isHovered = frame.look.hoveredBand == label.band;
    const QColor color = frame.tone(theme.category(Category::Saved), fade);
    const double radius = label.rect.height() / 2;
    QPainter& painter = frame.painter;
    painter.setPen(QPen(color, isHovered ? 2 : 1));
    painter.setBrush(isHovered ? theme.hover : theme.panel);
    painter.drawRoundedRect(label.rect, radius, radius);
    if (isHooked) {
        // A capsule: pack at its left end, unpack at its right one.
        QPainterPath shape;
        shape.addRoundedRect(label.rect, radius, radius);
        painter.save();
        painter.setClipPath(shape, Qt::IntersectClip);
        const QColor packed = frame.tone(theme.category(Category::Packed), fade);
        painter.fillRect(QRectF(label.rect.topLeft(), QSizeF(capWidth, label.rect.height())), packed);
        painter.fillRect(
            QRectF(label.rect.right() - capWidth, label.rect.top(), capWidth, label.rect.height()), packed);
        painter.restore();
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(label.rect, radius, radius);
    }
    painter.setFont(frame.look.codeFont);
    painter.setPen(frame.tone(theme.text, fade));
    painter.drawText(label.rect, Qt::AlignCenter, label.text);
}

} // namespace aotscope::views
