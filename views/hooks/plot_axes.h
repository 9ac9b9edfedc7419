#pragma once

#include "common/theme.h"

#include <QRectF>

#include <cstdint>

class QPainter;

namespace aotscope::views {

/// Bytes from bottom to top.
struct ByteAxis {
    std::int64_t low = 0;
    std::int64_t high = 1;

    [[nodiscard]] double y(const QRectF& plot, double bytes) const;
};

/// The part of a picture between its axes, below a line of `above` pixels for a legend.
[[nodiscard]] QRectF plotArea(const QRectF& whole, double above);
/// Lines with their bytes at the left of the plot.
void paintByteAxis(QPainter& painter, const Theme& theme, const QRectF& plot, const ByteAxis& axis);

} // namespace aotscope::views
