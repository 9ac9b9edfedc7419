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

/// The range of positions in a pixel column; it has at least one.
std::pair<std::size_t, std::size_t> positionsAt(const MemoryLook& look, const QRectF& plot, int column,
                                                std::size_t length) {
    const auto at = [&](double x) {
        return std::size_t(std::clamp(MemoryPainter::positionAt(look, plot, x), 0.0, double(length)));
    };
    const std::size_t first = std::min(at(plot.left() + column), length - 1);
    return {first, std::max(first + 1, at(plot.left() + column + 1))};
}

/// Whether a dashed pen draws at this x. A vertical piece is drawn whole or not at all, so that dashes keep
/// their length along x.
bool drawsAt(Qt::PenStyle style, int x) {
    switch (style) {
    case Qt::DashLine:
        return x % 9 < 6;
    case Qt::DotLine:
        return x % 4 < 2;
    case Qt::DashDotLine:
        return x % 14 < 7 || (x % 14 >= 9 && x % 14 < 11);
    default:
        return true;
    }
}

} // namespace

QPen MemoryPainter::curvePen(const Theme& theme, std::size_t curve) {
    static constexpr Qt::PenStyle styles[] = {Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const QColor colors[] = {theme.accent, theme.bad, theme.warning};
    return {colors[curve % std::size(colors)], 2, styles[curve % std::size(styles)]};
}

QPen MemoryPainter::measuredPen(const Theme& theme) {
    return {theme.text, 2};
}

QBrush MemoryPainter::scratchBrush(const Theme& theme) {
    return {theme.text, Qt::BDiagPattern};
}

/// Draws a staircase line with one height per pixel column, as rectangles, because stroking a path would take
/// longer than everything else. An outline in the background colour keeps it visible on every band.
void MemoryPainter::paintSteps(const Frame& frame, const std::vector<double>& heights,
                               const QPen& pen) const {
    const auto stroke = [&](double width, const QColor& color, Qt::PenStyle style) {
        const double half = width / 2;
        for (std::size_t i = 0; i < heights.size();) {
            const bool draws = drawsAt(style, int(i));
            std::size_t end = i + 1;
            while (end < heights.size() && heights[end] == heights[i] && drawsAt(style, int(end)) == draws) {
                ++end;
            }
            if (draws) {
                const double x = frame.plot.left() + double(i);
                frame.painter.fillRect(QRectF(x, heights[i] - half, double(end - i), width), color);
                const double before = i > 0 ? heights[i - 1] : heights[i];
                const double top = std::min(before, heights[i]) - half;
                frame.painter.fillRect(QRectF(x - half, top, width, std::abs(before - heights[i]) + width),
                                       color);
            }
            i = end;
        }
    };
    stroke(pen.widthF() * 2, frame.look.theme.background, Qt::SolidLine);
    stroke(pen.widthF(), pen.color(), pen.style());
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
        std::vector<double> heights;
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
            heights.push_back(std::round(frame.y(most)));
        }
        paintSteps(frame, heights, curvePen(look.theme, i));
    }
}

/// The measured curve with operators' scratch memory above it, and red marks at the bottom where it differs
/// from the prediction.
void MemoryPainter::paintMeasured(const Frame& frame) const {
    const MemoryLook& look = frame.look;
    if (!look.measured || look.measured->bytes.empty()) {
        return;
    }
    const memory::MeasuredProfile& measured = *look.measured;
    const std::vector<std::int64_t>& bytes =
        look.inputs == memory::BandStack::Inputs::Shown ? measured.bytes : measured.intermediateBytes;
    std::vector<double> heights;
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
        heights.push_back(std::round(frame.y(most)));
    }
    paintSteps(frame, heights, measuredPen(look.theme));
    if (cut.second > 0) {
        paintCut(frame, cut.first, cut.second);
    }
}

/// Labels a value that is cut off at the top of the picture with its bytes.
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

/// The elapsed time below an axis of time.
void MemoryPainter::paintTimes(const Frame& frame) const {
    const MemoryLook& look = frame.look;
    if (!look.axis().isTime()) {
        return;
    }
    QPainter& painter = frame.painter;
    const Unit unit = timeUnit(std::int64_t(look.to));
    const std::int64_t step = gridStep(std::int64_t(look.to - look.from), unit, 8);
    // The label of the ▲ takes precedence over time labels.
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
