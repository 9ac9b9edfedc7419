#include "memory/band_raster.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace {
/// Lower or narrower rectangles would consist of lines only.
constexpr int leastHeightOfLines = 4;
constexpr int leastWidthOfLines = 6;
} // namespace

void BandRaster::begin(const QPainter& painter, const QRectF& plot, const std::vector<double>& columns,
                       double pixelsPerByte) {
    m_plot = plot;
    m_ratio = painter.device()->devicePixelRatioF();
    m_pixelsPerByte = pixelsPerByte * m_ratio;
    const QSize size(std::max(1, int(std::ceil(plot.width() * m_ratio))),
                     std::max(1, int(std::ceil(plot.height() * m_ratio))));
    if (m_image.size() != size) {
        m_image = QImage(size, QImage::Format_ARGB32_Premultiplied);
    }
    m_image.setDevicePixelRatio(m_ratio);
    m_image.fill(Qt::transparent);
    m_columns.clear();
    m_columns.reserve(columns.size());
    for (const double column : columns) {
        m_columns.push_back(int(std::clamp(std::round(column * m_ratio), 0.0, double(size.width()))));
    }
}

int BandRaster::yOf(std::int64_t bytes) const {
    const double height = m_image.height();
    return int(std::clamp(std::round(height - double(bytes) * m_pixelsPerByte), 0.0, height));
}

QRect BandRaster::rectOf(const memory::BandRun& run) const {
    const int left = m_columns[run.from];
    const int top = yOf(run.base + run.bytes);
    return {left, top, std::max(1, m_columns[run.end] - left), std::max(1, yOf(run.base) - top)};
}

void BandRaster::fill(const QRect& rect, QRgb color) {
    const QRect inside = rect.intersected(m_image.rect());
    if (inside.isEmpty()) {
        return;
    }
    const qsizetype stride = m_image.bytesPerLine() / qsizetype(sizeof(QRgb));
    QRgb* row = reinterpret_cast<QRgb*>(m_image.bits()) + inside.top() * stride + inside.left();
    for (int y = 0; y < inside.height(); ++y, row += stride) {
        std::fill_n(row, inside.width(), color);
    }
}

void BandRaster::fillBand(const memory::Band& band, QRgb color, QRgb line) {
    const int thin = std::max(1, int(std::round(m_ratio)));
    for (const memory::BandRun& run : band.runs) {
        const QRect rect = rectOf(run);
        fill(rect, color);
        if (rect.height() >= leastHeightOfLines * thin) {
            fill({rect.left(), rect.top(), rect.width(), thin}, line);
            if (rect.width() >= leastWidthOfLines * thin) {
                fill({rect.left(), rect.top(), thin, rect.height()}, line);
            }
        }
    }
}

void BandRaster::ring(const memory::Band& band, QRgb color, int width) {
    const int thick = std::max(1, int(std::round(width * m_ratio)));
    // Vertical lines connect a run to its neighbour, top to top and bottom to bottom; without a neighbour
    // they connect its own top and bottom.
    const auto upright = [&](int x, int from, int to) {
        fill({x, std::min(from, to), thick, std::abs(to - from) + thick}, color);
    };
    const memory::BandRun* before = nullptr;
    QRect last;
    for (const memory::BandRun& run : band.runs) {
        const QRect rect = rectOf(run);
        const int bottom = std::max(rect.top(), rect.bottom() + 1 - thick);
        fill({rect.left(), rect.top(), rect.width(), thick}, color);
        fill({rect.left(), bottom, rect.width(), thick}, color);
        if (before != nullptr && before->end == run.from) {
            upright(rect.left(), last.top(), rect.top());
            upright(rect.left(), std::max(last.top(), last.bottom() + 1 - thick), bottom);
        } else {
            if (before != nullptr) {
                upright(last.right() + 1 - thick, last.top(), last.bottom() + 1 - thick);
            }
            upright(rect.left(), rect.top(), bottom);
        }
        before = &run;
        last = rect;
    }
    if (before != nullptr) {
        upright(last.right() + 1 - thick, last.top(), last.bottom() + 1 - thick);
    }
}

void BandRaster::draw(QPainter& painter) const {
    painter.drawImage(m_plot.topLeft(), m_image);
}

} // namespace aotscope::views
