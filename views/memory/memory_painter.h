#pragma once

#include "common/theme.h"
#include "memory/band_raster.h"
#include "memory/memory_axis.h"
#include "memory/memory_scene.h"

#include <QBrush>
#include <QFont>
#include <QPen>
#include <QRectF>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace aotscope::views {

/// Everything that determines how a profile looks.
struct MemoryLook {
    Theme theme;
    QFont font;
    MemoryScenePtr scene;
    std::vector<MemoryCurve> curves;
    /// A measured run of the scene's profile; null: none.
    MeasuredPtr measured;
    /// Nodes are as wide as the time they took, if measured.
    bool byTime = false;
    /// The visible part, in places of the axis.
    double from = 0;
    double to = 1;
    memory::BandStack::Inputs inputs = memory::BandStack::Inputs::Shown;
    /// The position under the ▲.
    std::uint32_t marker = 0;
    /// Indices of values.
    std::optional<std::uint32_t> selected;
    std::optional<std::uint32_t> hovered;
    /// The picked range, first and last position.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> span;

    [[nodiscard]] MemoryAxis axis() const;
};

/// Paints a profile: bands, curves, phases, axes. The time per frame depends on the number of pixels, not of
/// values: values less than a pixel high are merged into one band per category.
class MemoryPainter {
public:
    void paint(QPainter& painter, const MemoryLook& look, const QRectF& area);

    /// The part of `area` with the bands; the axes are around it.
    [[nodiscard]] static QRectF plotOf(const QRectF& area);
    [[nodiscard]] static double xOf(const MemoryLook& look, const QRectF& plot, double position);
    [[nodiscard]] static double positionAt(const MemoryLook& look, const QRectF& plot, double x);
    /// A place on the axis.
    [[nodiscard]] static double placeAt(const MemoryLook& look, const QRectF& plot, double x);
    /// The band at a point, as last painted.
    [[nodiscard]] const memory::Band* bandAt(const MemoryLook& look, const QRectF& area,
                                             const QPointF& point) const;
    /// Bounds of a value's bands, as last painted; if it shares a band with other small values, of its life.
    /// Empty: not visible.
    [[nodiscard]] QRectF rectOf(const MemoryLook& look, const QRectF& area, std::uint32_t range) const;
    /// Area of the ▲ below the plot.
    [[nodiscard]] static QRectF markerHandle(const MemoryLook& look, const QRectF& area);
    /// The pen of a curve, also used in legends.
    [[nodiscard]] static QPen curvePen(const Theme& theme, std::size_t curve);
    /// The pen of the measured curve, and the brush for scratch memory above it.
    [[nodiscard]] static QPen measuredPen(const Theme& theme);
    [[nodiscard]] static QBrush scratchBrush(const Theme& theme);

private:
    struct Frame;
    /// The parameters of the cached bands.
    struct Key {
        const MemoryScene* scene = nullptr;
        /// Null: the axis is in program order.
        const memory::MeasuredProfile* times = nullptr;
        double from = 0;
        double to = 0;
        int width = 0;
        std::int64_t smallest = 0;
        memory::BandStack::Inputs inputs = memory::BandStack::Inputs::Shown;
        friend bool operator==(const Key&, const Key&) = default;
    };

    void refresh(const MemoryLook& look, const QRectF& plot);
    [[nodiscard]] static memory::Cells cellsOf(const MemoryLook& look, const Key& key);
    [[nodiscard]] static std::int64_t highest(const MemoryLook& look);
    void paintGround(const Frame& frame) const;
    void paintBands(const Frame& frame);
    /// `number`: how many single-value bands are below it.
    [[nodiscard]] static QColor colorOf(const MemoryLook& look, const memory::Band& band, std::size_t number,
                                        bool faded);
    void paintLabels(const Frame& frame) const;
    void paintTimes(const Frame& frame) const;
    void paintCurves(const Frame& frame) const;
    void paintMeasured(const Frame& frame) const;
    void paintCut(const Frame& frame, double x, std::int64_t bytes) const;
    void paintSteps(const Frame& frame, const std::vector<double>& heights, const QPen& pen) const;
    void paintMarks(const Frame& frame) const;

    Key m_key;
    std::int64_t m_top = 1;
    memory::Cells m_cells;
    std::vector<memory::Band> m_bands;
    BandRaster m_raster;
};

} // namespace aotscope::views
