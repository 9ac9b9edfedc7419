#pragma once

#include "memory/band_stack.h"

#include <QColor>
#include <QImage>
#include <QRect>
#include <QRectF>

#include <vector>

class QPainter;

namespace aotscope::views {

/// The plot's bands as pixels. A frame has hundreds of thousands of rectangles where a hundred thousand
/// values are in sight, more than a QPainter fills in its time; here each costs the pixels it covers.
class BandRaster {
public:
    /// An empty picture of the plot. `columns` are where the cells begin and the last one ends, from the
    /// plot's left edge in the painter's units.
    void begin(const QPainter& painter, const QRectF& plot, const std::vector<double>& columns,
               double pixelsPerByte);
    /// Where a run of a band lies, in device pixels of the picture; at least one high and wide.
    [[nodiscard]] QRect rectOf(const memory::BandRun& run) const;
    void fill(const QRect& rect, QRgb color);
    /// A band in its colour, with a line on top and at the left of what is large enough to bear one.
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
