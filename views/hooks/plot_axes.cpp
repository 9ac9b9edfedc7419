#include "hooks/plot_axes.h"

#include "common/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace aotscope::views {

namespace {

constexpr double leftMargin = 64;
constexpr double rightMargin = 12;
constexpr double bottomMargin = 22;
constexpr double pixelsPerLine = 36;

/// 1, 2 or 5 times a power of ten of the unit.
double gridStep(double span, double unit, double lines) {
    const double wanted = span / unit / std::max(1.0, lines);
    const double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1e-9))));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        if (power * factor >= wanted) {
            return power * factor * unit;
        }
    }
    return span;
}

} // namespace

double ByteAxis::y(const QRectF& plot, double bytes) const {
    const double span = std::max<double>(1, static_cast<double>(high - low));
    return plot.bottom() - (bytes - static_cast<double>(low)) / span * plot.height();
}

QRectF plotArea(const QRectF& whole, double above) {
    return whole.adjusted(leftMargin, above, -rightMargin, -bottomMargin);
}

void paintByteAxis(QPainter& painter, const Theme& theme, const QRectF& plot, const ByteAxis& axis) {
    painter.fillRect(plot, theme.panel);
    const auto low = static_cast<double>(axis.low);
    const auto high = static_cast<double>(axis.high);
    Unit unit = byteUnit(std::llround(10 * std::max(std::abs(low), std::abs(high))));
    const double step = std::max(1.0, gridStep(high - low, unit.divisor, plot.height() / pixelsPerLine));
    unit.decimals = step < unit.divisor ? 1 : 0;
    const auto first = std::llround(std::ceil(low / step));
    const auto last = std::llround(std::floor(high / step));
    for (std::int64_t line = first; line <= last; ++line) {
        const double bytes = static_cast<double>(line) * step;
        const double y = std::round(axis.y(plot, bytes)) + 0.5;
        painter.setPen(theme.line);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.dimText);
        painter.drawText(QRectF(0, y - 8, plot.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         inUnit(bytes, unit));
    }
}

} // namespace aotscope::views
