#pragma once

#include "timeline/timeline_look.h"

#include <QColor>
#include <QPixmap>
#include <QRectF>

#include <cstdint>
#include <optional>

class QPainter;

namespace aotscope::views {

/// Paints a timeline: a ruler, rows in lanes, the curve of memory beneath. The time per frame depends on the
/// number of pixels and lanes in sight, not of events: in each lane the next event that is visible is found
/// by binary search, and those narrower than a pixel are one. What does not change under the mouse is painted
/// once.
class TimelinePainter {
public:
    void paint(QPainter& painter, const TimelineLook& look, const QRect& area, double pixelRatio);

    static constexpr int laneHeight = 18;
    static constexpr int rulerHeight = 22;
    static constexpr int curveHeight = 72;
    static constexpr int leftMargin = 8;

    /// The part of `area` with the lanes.
    [[nodiscard]] static QRect lanesOf(const TimelineLook& look, const QRect& area);
    [[nodiscard]] static double xOf(const TimelineLook& look, const QRect& area, double time);
    [[nodiscard]] static double timeAt(const TimelineLook& look, const QRect& area, double x);
    /// The event at a point; at least as wide as a finger on the mouse is steady.
    [[nodiscard]] static std::optional<timeline::EventId> eventAt(const TimelineLook& look, const QRect& area,
                                                                  const QPointF& point);
    /// The row whose name is at a point.
    [[nodiscard]] static std::optional<std::size_t> nameAt(const TimelineLook& look, const QRect& area,
                                                           const QPointF& point);
    /// Where an event is; it may be out of sight.
    [[nodiscard]] static QRectF rectOf(const TimelineLook& look, const QRect& area, timeline::EventId event);
    /// The colour of events with that name.
    [[nodiscard]] static QColor colorOf(const TimelineLook& look, const timeline::Row& row,
                                        std::uint32_t event);

    /// Rectangles that the last full painting drew, which bound its time.
    [[nodiscard]] std::size_t drawn() const { return m_drawn; }

private:
    struct Key {
        const TimelineScene* scene = nullptr;
        double from = 0;
        double to = 0;
        int scrolled = 0;
        int search = 0;
        int folds = 0;
        QSize size;
        double pixelRatio = 1;
        bool dark = true;
        QFont font;
        friend bool operator==(const Key&, const Key&) = default;
    };
    void paintGround(QPainter& painter, const TimelineLook& look, const QRect& area);
    void paintRuler(QPainter& painter, const TimelineLook& look, const QRect& area) const;
    void paintRows(QPainter& painter, const TimelineLook& look, const QRect& area);
    void paintLane(QPainter& painter, const TimelineLook& look, const QRect& area, const timeline::Row& row,
                   std::size_t lane, int y);
    void paintEvent(QPainter& painter, const TimelineLook& look, const timeline::Row& row,
                    std::uint32_t event, const QRectF& box);
    void paintCurve(QPainter& painter, const TimelineLook& look, const QRect& area) const;
    // timeline_painter_overlay.cpp
    void paintMarks(QPainter& painter, const TimelineLook& look, const QRect& area) const;
    void paintFlows(QPainter& painter, const TimelineLook& look, const QRect& area) const;
    void paintRings(QPainter& painter, const TimelineLook& look, const QRect& area) const;

    Key m_key;
    QPixmap m_ground;
    std::size_t m_drawn = 0;
};

/// Times on a ruler: the step between two labels, and a label.
[[nodiscard]] double rulerStep(double visible, double pixels);
[[nodiscard]] QString rulerText(double nanoseconds, double step);

} // namespace aotscope::views
