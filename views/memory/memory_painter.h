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

/// How a profile is to look now.
struct MemoryLook {
    Theme theme;
    QFont font;
    MemoryScenePtr scene;
    std::vector<MemoryCurve> curves;
    /// What a run of the scene's profile held; null: it was not run.
    MeasuredPtr measured;
    /// Nodes are as wide as the time they took, once that is measured.
    bool byTime = false;
    /// The visible part of the axis, in its places.
    double from = 0;
    double to = 1;
    memory::BandStack::Inputs inputs = memory::BandStack::Inputs::Shown;
    /// The position under the ▲.
    std::uint32_t marker = 0;
    /// Values, by number.
    std::optional<std::uint32_t> selected;
    std::optional<std::uint32_t> hovered;
    /// Positions picked on the curve, first and last.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> span;

    [[nodiscard]] MemoryAxis axis() const;
};

/// Paints a profile: bands, curves, phases, axes. The time a frame takes depends on the pixels, not on the
/// number of values: what is less than a pixel high is drawn as one band per category.
class MemoryPainter {
public:
    void paint(QPainter& painter, const MemoryLook& look, const QRectF& area);

    /// The part of `area` that the bands fill; around it are the axes.
    [[nodiscard]] static QRectF plotOf(const QRectF& area);
    [[nodiscard]] static double xOf(const MemoryLook& look, const QRectF& plot, double position);
    [[nodiscard]] static double positionAt(const MemoryLook& look, const QRectF& plot, double x);
    /// On the axis.
    [[nodiscard]] static double placeAt(const MemoryLook& look, const QRectF& plot, double x);
    /// The band under a point, as painted last.
    [[nodiscard]] const memory::Band* bandAt(const MemoryLook& look, const QRectF& area,
                                             const QPointF& point) const;
    /// Around the bands of a value, as painted last: over its life where it shares a band with other small
    /// ones. Empty: it is not in sight.
    [[nodiscard]] QRectF rectOf(const MemoryLook& look, const QRectF& area, std::uint32_t range) const;
    /// The ▲ under the plot.
    [[nodiscard]] static QRectF markerHandle(const MemoryLook& look, const QRectF& area);
    /// How a curve's line is drawn, for legends.
    [[nodiscard]] static QPen curvePen(const Theme& theme, std::size_t curve);
    /// Of the measured curve, and what fills the band of memory given back, which lies on it.
    [[nodiscard]] static QPen measuredPen(const Theme& theme);
    [[nodiscard]] static QBrush scratchBrush(const Theme& theme);

private:
    struct Frame;
    /// What the bands were made for; they stay while it does.
    struct Key {
        const MemoryScene* scene = nullptr;
        /// Null: the axis is that of program order.
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
    /// `number`: how many bands of single values lie below.
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
