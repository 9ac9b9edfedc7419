#pragma once

#include "memory/band_stack.h"

#include <QColor>
#include <QImage>
#include <QRect>
#include <QRectF>

#include <vector>

class QPainter;

namespace aotscope::views {

/// The bands of the plot as pixels. A frame with a hundred thousand visible values has hundreds of thousands
/// of rectangles, more than QPainter can fill in time; here the cost is the number of pixels.
class BandRaster {
public:
    /// Starts with an empty picture of the plot. `columns` are the left edges of the cells and the right edge
    /// of the last one, from the plot's left edge, in the painter's units.
    void begin(const QPainter& painter, const QRectF& plot, const std::vector<double>& columns,
               double pixelsPerByte);
    /// The rectangle of a band's run in device pixels of the picture, at least one pixel high and wide.
    [[nodiscard]] QRect rectOf(const memory::BandRun& run) const;
    void fill(const QRect& rect, QRgb color);
    /// Fills a band with its colour, with a line at the top and left of runs that are large enough.
    void fillBand(const memory::Band& band, QRgb color, QRgb line);
    /// The outline of a band, inside it.
    void ring(const memory::Band& band, QRgb color, int width);
    void draw(QPainter& painter) const;

private:
    [[nodiscard]] int yOf(std::int64_t bytes) const;

    QRectF m_plot;
    double m_ratio = 1;
    double m_pixelsPerByte = 1;
    std::vector<int> m_columns;
    QImage m_image;
};

} // namespace aotscope::views
