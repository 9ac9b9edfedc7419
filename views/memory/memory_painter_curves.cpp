// The lines and times of MemoryPainter's picture.
#include "memory/memory_painter_frame.h"

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace memory_picture {

std::int64_t gridStep(std::int64_t length, const Unit& unit, double lines) {
    const double wanted = double(length) / unit.divisor / lines;
    const double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1e-9))));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        if (power * factor >= wanted) {
            return std::max<std::int64_t>(1, std::llround(power * factor * unit.divisor));
        }
    }
    return std::max<std::int64_t>(1, length);
}

} // namespace memory_picture

using namespace memory_picture;

namespace {

/// Positions that a column of pixels stands for, at least one.
std::pair<std::size_t, std::size_t> positionsAt(const MemoryLook& look, const QRectF& plot, int column,
                                                std::size_t length) {
    const auto at = [&](double x) {
        return std::size_t(std::clamp(MemoryPainter::positionAt(look, plot, x), 0.0, double(length)));
    };
    const std::size_t first = std::min(at(plot.left() + column), length - 1);
    return {first, std::max(first + 1, at(plot.left() + column + 1))};
}

/// Goes straight on and then up or down, as what is alive does.
void addStep(QPolygonF& line, const QPointF& point) {
    if (!line.isEmpty() && line.back().y() != point.y()) {
        line.append(QPointF(point.x(), line.back().y()));
    }
    line.append(point);
}

} // namespace

QPen MemoryPainter::curvePen(const Theme& theme, std::size_t curve) {
    static constexpr Qt::PenStyle styles[] = {Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const QColor colors[] = {theme.accent, theme.bad, theme.warning};
    return {colors[curve % std::size(colors)], 1.6, styles[curve % std::size(styles)]};
}

QPen MemoryPainter::measuredPen(const Theme& theme) {
    return {theme.text, 1.6};
}

QBrush MemoryPainter::scratchBrush(const Theme& theme) {
    return {theme.text, Qt::BDiagPattern};
}

/// A ground under the line keeps it legible on every colour.
void MemoryPainter::paintLine(const Frame& frame, const QPolygonF& line, const QPen& pen) const {
    frame.painter.setPen(QPen(frame.look.theme.background, pen.widthF() * 2));
    frame.painter.drawPolyline(line);
    frame.painter.setPen(pen);
    frame.painter.drawPolyline(line);
}

void MemoryPainter::paintCurves(const Frame& frame) const {
    const MemoryLook& look = frame.look;
    const memory::MemoryProfile& shown = look.scene->profile();
    for (std::size_t i = 0; i < look.curves.size(); ++i) {
        const memory::MemoryProfile& other = *look.curves[i].profile;
        const std::vector<std::int64_t>& bytes = curveOf(other, look.inputs);
        if (bytes.empty()) {
            continue;
        }
        QPolygonF line;
        const int columns = int(frame.plot.width());
        for (int column = 0; column <= columns; ++column) {
            const auto at = [&](double x) {
                const double position =
                    std::clamp(positionAt(look, frame.plot, x), 0.0, double(shown.bytes.size()));
                return std::clamp<std::int64_t>(std::int64_t(memory::positionIn(other, shown, position)), 0,
                                                std::int64_t(bytes.size()) - 1);
            };
            const std::int64_t first = at(frame.plot.left() + column);
            const std::int64_t past = std::max(first + 1, at(frame.plot.left() + column + 1));
            const std::int64_t most = *std::max_element(bytes.begin() + first, bytes.begin() + past);
            addStep(line, {frame.plot.left() + column, frame.y(most)});
        }
        paintLine(frame, line, curvePen(look.theme, i));
    }
}

/// What the run held, on it what single operators took and gave back, and at the bottom where it held
/// another number of bytes than predicted.
void MemoryPainter::paintMeasured(const Frame& frame) const {
    const MemoryLook& look = frame.look;
    if (!look.measured || look.measured->bytes.empty()) {
        return;
    }
    const memory::MeasuredProfile& measured = *look.measured;
    const std::vector<std::int64_t>& bytes =
        look.inputs == memory::BandStack::Inputs::Shown ? measured.bytes : measured.intermediateBytes;
    QPolygonF line;
    const int columns = int(frame.plot.width());
    constexpr double differenceHeight = 3;
    std::pair<double, std::int64_t> cut;
    for (int column = 0; column <= columns; ++column) {
        const auto [first, past] = positionsAt(look, frame.plot, column, bytes.size());
        std::int64_t most = 0;
        std::int64_t withScratch = 0;
        for (std::size_t at = first; at < past; ++at) {
            most = std::max(most, bytes[at]);
            withScratch = std::max(withScratch, bytes[at] + measured.scratch[at]);
        }
        const double x = frame.plot.left() + column;
        if (withScratch > most) {
            const QRectF band(x, frame.y(withScratch), 1, frame.y(most) - frame.y(withScratch));
            QColor ground = look.theme.text;
            ground.setAlphaF(0.22F);
            frame.painter.fillRect(band, ground);
            frame.painter.fillRect(band, scratchBrush(look.theme));
            if (band.top() < frame.plot.top() && withScratch > cut.second) {
                cut = {x, withScratch};
            }
        }
        const auto differs = std::ranges::lower_bound(measured.differing, std::uint32_t(first));
        if (differs != measured.differing.end() && *differs < past) {
            frame.painter.fillRect(QRectF(x, frame.plot.bottom() - differenceHeight, 1, differenceHeight),
                                   look.theme.bad);
        }
        addStep(line, {x, frame.y(most)});
    }
    paintLine(frame, line, measuredPen(look.theme));
    if (cut.second > 0) {
        paintCut(frame, cut.first, cut.second);
    }
}

/// How far up it goes where the picture ends before.
void MemoryPainter::paintCut(const Frame& frame, double x, std::int64_t bytes) const {
    QPainter& painter = frame.painter;
    const QString label = QStringLiteral("↑ ") + formatBytes(bytes);
    const QFontMetricsF metrics(painter.font());
    const double width = metrics.horizontalAdvance(label) + 8;
    const double left = x + 3 + width > frame.plot.right() ? x - 2 - width : x + 3;
    const QRectF place(left, frame.plot.top() + 2, width, metrics.height() + 2);
    painter.fillRect(place, frame.look.theme.panel);
    painter.setPen(frame.look.theme.text);
    painter.drawText(place, Qt::AlignCenter, label);
}

/// Under an axis of time: how far the run is.
void MemoryPainter::paintTimes(const Frame& frame) const {
    const MemoryLook& look = frame.look;
    if (!look.axis().isTime()) {
        return;
    }
    QPainter& painter = frame.painter;
    const Unit unit = timeUnit(std::int64_t(look.to));
    const std::int64_t step = gridStep(std::int64_t(look.to - look.from), unit, 8);
    // The label of the ▲ goes before those of the times.
    constexpr double labelWidth = 76;
    constexpr double markerReach = 150;
    const double marker = markerHandle(look, frame.area).center().x();
    const std::int64_t begin = (std::int64_t(look.from) + step - 1) / step * step;
    painter.setPen(look.theme.dimText);
    for (std::int64_t time = begin; double(time) <= look.to; time += step) {
        const double x =
            frame.plot.left() + (double(time) - look.from) / (look.to - look.from) * frame.plot.width();
        painter.drawLine(QPointF(x, frame.plot.bottom()), QPointF(x, frame.plot.bottom() + 4));
        const QRectF label(x - labelWidth / 2, frame.plot.bottom() + 4, labelWidth, bottomMargin - 5);
        const bool fits =
            label.left() >= 0 && label.right() <= frame.area.right() && std::abs(x - marker) > markerReach;
        if (fits) {
            painter.drawText(label, Qt::AlignHCenter | Qt::AlignVCenter, inUnit(double(time), unit));
        }
    }
}

} // namespace aotscope::views
