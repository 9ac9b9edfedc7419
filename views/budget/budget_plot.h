#pragma once

#include "common/theme.h"
#include "session/explore/partition_snapshot.h"

#include <QFont>
#include <QPen>
#include <QRectF>

#include <cstddef>
#include <optional>

class QPainter;

namespace aotscope::views {

/// What the curves and the handle are to look like now.
struct BudgetLook {
    Theme theme;
    QFont font;
    /// Null: no curves.
    session::BudgetSweepSnapshotPtr sweep;
    /// The curves are of earlier choices: faded until the new ones are there.
    bool outdated = false;
    /// The partition of the present choices; null: it is being computed.
    session::PartitionSnapshotPtr split;
    /// Parameters, buffers and other inputs count in the peak.
    bool inputs = true;
    /// The chosen budget, where the handle is.
    double budget = 1;
    /// The point under the pointer.
    std::optional<std::size_t> hovered;
};

enum class BudgetCurve { Saved, Peak, Flops };

/// Paints saved bytes and peak (left axis) and the operations computed again (right axis) over the budget.
class BudgetPlot {
public:
    static void paint(QPainter& painter, const BudgetLook& look, const QRectF& area);

    /// The part of `area` between the axes.
    [[nodiscard]] static QRectF plotOf(const QRectF& area);
    [[nodiscard]] static double xOf(const QRectF& plot, double budget);
    /// 0 to 1, whatever `x` is.
    [[nodiscard]] static double budgetAt(const QRectF& plot, double x);
    /// The ▲ under the plot.
    [[nodiscard]] static QRectF handle(const BudgetLook& look, const QRectF& area);
    /// Where a curve has a point of the sweep.
    [[nodiscard]] static QPointF pointAt(const BudgetLook& look, const QRectF& area, BudgetCurve curve,
                                         std::size_t point);
    /// How a curve's line is drawn, for legends.
    [[nodiscard]] static QPen curvePen(const Theme& theme, BudgetCurve curve);
};

/// The peak that is shown.
[[nodiscard]] std::int64_t peakOf(const session::BudgetSweepPoint& point, bool inputs);
[[nodiscard]] std::int64_t peakOf(const session::PartitionSnapshot& split, bool inputs);

} // namespace aotscope::views
