#pragma once

#include "common/theme.h"
#include "contract/partition_snapshot.h"

#include <QFont>
#include <QPen>
#include <QRectF>

#include <cstddef>
#include <optional>

class QPainter;

namespace aotscope::views {

/// Everything that determines how curves and handle look.
struct BudgetLook {
    Theme theme;
    QFont font;
    /// Null: no curves.
    session::BudgetSweepSnapshotPtr sweep;
    /// The curves belong to earlier choices and are drawn faded.
    bool outdated = false;
    /// The partition of the current choices; null while it is being computed.
    session::PartitionSnapshotPtr split;
    /// Whether parameters, buffers and other inputs count towards the peak.
    bool inputs = true;
    /// The chosen budget: the position of the handle.
    double budget = 1;
    /// The point under the pointer.
    std::optional<std::size_t> hovered;
};

enum class BudgetCurve { Saved, Peak, Flops };

/// Paints saved bytes and peak (left axis) and recomputed operations (right axis) over the budget.
class BudgetPlot {
public:
    static void paint(QPainter& painter, const BudgetLook& look, const QRectF& area);

    /// The part of `area` between the axes.
    [[nodiscard]] static QRectF plotOf(const QRectF& area);
    [[nodiscard]] static double xOf(const QRectF& plot, double budget);
    /// Clamped to 0 to 1.
    [[nodiscard]] static double budgetAt(const QRectF& plot, double x);
    /// Area of the ▲ below the plot.
    [[nodiscard]] static QRectF handle(const BudgetLook& look, const QRectF& area);
    /// Position of a sweep point on a curve.
    [[nodiscard]] static QPointF pointAt(const BudgetLook& look, const QRectF& area, BudgetCurve curve,
                                         std::size_t point);
    /// The pen of a curve, also used in legends.
    [[nodiscard]] static QPen curvePen(const Theme& theme, BudgetCurve curve);
};

/// With or without inputs.
[[nodiscard]] std::int64_t peakOf(const session::BudgetSweepPoint& point, bool inputs);
[[nodiscard]] std::int64_t peakOf(const session::PartitionSnapshot& split, bool inputs);

} // namespace aotscope::views
