#include "budget/budget_plot.h"

#include "common/format.h"
#include "graph/coloring.h"
#include "partition/why_text.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::views {

namespace {

constexpr double leftMargin = 76;
constexpr double rightMargin = 84;
constexpr double topMargin = 20;
constexpr double bottomMargin = 38;
constexpr double headroom = 1.06;
constexpr double fadedShare = 0.35;
constexpr std::array curves{BudgetCurve::Flops, BudgetCurve::Peak, BudgetCurve::Saved};

double valueOf(const session::BudgetSweepPoint& point, BudgetCurve curve, bool inputs) {
    switch (curve) {
    case BudgetCurve::Saved:
        return double(point.savedBytes);
    case BudgetCurve::Peak:
        return double(peakOf(point, inputs));
    case BudgetCurve::Flops:
        return point.recomputedFlops;
    }
    return 0;
}

double valueOf(const session::PartitionSnapshot& split, BudgetCurve curve, bool inputs) {
    switch (curve) {
    case BudgetCurve::Saved:
        return double(split.savedBytes);
    case BudgetCurve::Peak:
        return double(peakOf(split, inputs));
    case BudgetCurve::Flops:
        return split.recomputedFlops;
    }
    return 0;
}

/// The largest values on both axes, including the chosen partition, which may lie beyond the curves.
struct Tops {
    double bytes = 1;
    double flops = 1;
};

Tops topsOf(const BudgetLook& look) {
    Tops tops;
    const auto consider = [&](const auto& values) {
        tops.bytes = std::max({tops.bytes, valueOf(values, BudgetCurve::Saved, look.inputs),
                               valueOf(values, BudgetCurve::Peak, look.inputs)});
        tops.flops = std::max(tops.flops, valueOf(values, BudgetCurve::Flops, look.inputs));
    };
    if (look.sweep) {
        std::ranges::for_each(look.sweep->points, consider);
    }
    if (look.split) {
        consider(*look.split);
    }
    return {tops.bytes * headroom, tops.flops * headroom};
}

/// 1, 2 or 5 times a power of ten of the unit, so that about five lines fit.
double gridStep(double top, double unit) {
    const double wanted = top / unit / 5;
    const double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1e-9))));
    for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
        if (power * factor >= wanted) {
            return power * factor * unit;
        }
    }
    return top;
}

struct Frame {
    QPainter& painter;
    const BudgetLook& look;
    QRectF area;
    QRectF plot;
    Tops tops;

    [[nodiscard]] double y(BudgetCurve curve, double value) const {
        return plot.bottom() -
               value / (curve == BudgetCurve::Flops ? tops.flops : tops.bytes) * plot.height();
    }
    [[nodiscard]] QPen pen(BudgetCurve curve) const {
        QPen pen = BudgetPlot::curvePen(look.theme, curve);
        if (look.outdated) {
            pen.setColor(mix(look.theme.panel, pen.color(), fadedShare));
        }
        return pen;
    }
    [[nodiscard]] QPointF at(BudgetCurve curve, const session::BudgetSweepPoint& point) const {
        return {BudgetPlot::xOf(plot, point.budget), y(curve, valueOf(point, curve, look.inputs))};
    }
};

void paintAxes(const Frame& frame) {
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    painter.fillRect(frame.plot, theme.panel);
    const Unit unit = byteUnit(std::llround(10 * frame.tops.bytes));
    const double split = gridStep(frame.tops.bytes, unit.divisor);
    for (int line = 0; line * split <= frame.tops.bytes; ++line) {
        const double bytes = line * split;
        const double y = std::round(frame.y(BudgetCurve::Saved, bytes)) + 0.5;
        painter.setPen(theme.line);
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(theme.dimText);
        painter.drawText(QRectF(0, y - 8, leftMargin - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         inUnit(bytes, unit));
    }
    const double flopStep = gridStep(frame.tops.flops, 1);
    painter.setPen(BudgetPlot::curvePen(theme, BudgetCurve::Flops).color());
    for (int line = 0; line * flopStep <= frame.tops.flops; ++line) {
        const double flops = line * flopStep;
        const double y = std::round(frame.y(BudgetCurve::Flops, flops)) + 0.5;
        painter.drawLine(QPointF(frame.plot.right(), y), QPointF(frame.plot.right() + 4, y));
        painter.drawText(QRectF(frame.plot.right() + 8, y - 8, rightMargin - 8, 16),
                         Qt::AlignLeft | Qt::AlignVCenter, formatFlops(flops));
    }
    painter.setPen(theme.dimText);
    painter.drawText(QRectF(0, 0, frame.area.width() / 2, topMargin - 2), Qt::AlignLeft | Qt::AlignVCenter,
                     QStringLiteral("  ") + QObject::tr("bytes"));
    painter.drawText(QRectF(frame.area.width() / 2, 0, frame.area.width() / 2 - 8, topMargin - 2),
                     Qt::AlignRight | Qt::AlignVCenter, QObject::tr("recomputed"));
    painter.drawText(QRectF(0, frame.plot.bottom() + 18, leftMargin - 16, 16),
                     Qt::AlignRight | Qt::AlignVCenter, QObject::tr("budget"));
    for (int tenth = 0; tenth <= 10; tenth += 2) {
        const double x = BudgetPlot::xOf(frame.plot, tenth / 10.0);
        painter.drawLine(QPointF(x, frame.plot.bottom()), QPointF(x, frame.plot.bottom() + 3));
        painter.drawText(QRectF(x - 30, frame.plot.bottom() + 18, 60, 16), Qt::AlignCenter,
                         QString::number(tenth / 10.0, 'f', 1));
    }
}

void paintCurve(const Frame& frame, BudgetCurve curve) {
    const BudgetLook& look = frame.look;
    QPainter& painter = frame.painter;
    QPolygonF line;
    for (const session::BudgetSweepPoint& point : look.sweep->points) {
        line.append(frame.at(curve, point));
    }
    const QPen pen = frame.pen(curve);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pen.color());
    // With many points only the line is drawn.
    const double spacing = frame.plot.width() / double(std::max<qsizetype>(1, line.size() - 1));
    const double radius = std::clamp(spacing / 4, 1.0, 3.0);
    for (const QPointF& point : line) {
        painter.drawEllipse(point, radius, radius);
    }
    if (look.hovered && *look.hovered < look.sweep->points.size()) {
        painter.setBrush(look.theme.panel);
        painter.setPen(QPen(pen.color(), 2));
        painter.drawEllipse(line[qsizetype(*look.hovered)], 5, 5);
    }
}

/// Draws the values of the chosen partition. The sweep need not contain its budget.
void paintHandle(const Frame& frame) {
    QPainter& painter = frame.painter;
    const BudgetLook& look = frame.look;
    const QRectF handle = BudgetPlot::handle(look, frame.area);
    const double x = handle.center().x();
    painter.setPen(QPen(look.theme.text, 1));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(look.theme.text);
    painter.drawPolygon(QPolygonF({QPointF(x, handle.top()), handle.bottomRight(), handle.bottomLeft()}));
    if (look.split) {
        for (const BudgetCurve curve : curves) {
            painter.setBrush(BudgetPlot::curvePen(look.theme, curve).color());
            painter.setPen(QPen(look.theme.text, 1.5));
            painter.drawEllipse(QPointF(x, frame.y(curve, valueOf(*look.split, curve, look.inputs))), 5, 5);
        }
    }
    const QString label = QString::number(look.budget, 'f', 2);
    const double width = painter.fontMetrics().horizontalAdvance(label) + 8;
    // Keep clear of the right axis's labels.
    const bool right = handle.right() + width < frame.plot.right();
    const QRectF place(right ? handle.right() + 3 : handle.left() - 3 - width, handle.top() - 1, width, 16);
    painter.setPen(look.theme.text);
    painter.drawText(place, (right ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, label);
}

} // namespace

std::int64_t peakOf(const session::BudgetSweepPoint& point, bool inputs) {
    return inputs ? point.peakBytes : point.intermediatePeakBytes;
}

std::int64_t peakOf(const session::PartitionSnapshot& split, bool inputs) {
    return inputs ? split.profile->peak.bytes : split.profile->intermediatePeak.bytes;
}

QRectF BudgetPlot::plotOf(const QRectF& area) {
    return area.adjusted(leftMargin, topMargin, -rightMargin, -bottomMargin);
}

double BudgetPlot::xOf(const QRectF& plot, double budget) {
    return plot.left() + budget * plot.width();
}

double BudgetPlot::budgetAt(const QRectF& plot, double x) {
    return std::clamp((x - plot.left()) / std::max(1.0, plot.width()), 0.0, 1.0);
}

QRectF BudgetPlot::handle(const BudgetLook& look, const QRectF& area) {
    constexpr double half = 7;
    const QRectF plot = plotOf(area);
    return {xOf(plot, look.budget) - half, plot.bottom() + 4, 2 * half, 12};
}

QPointF BudgetPlot::pointAt(const BudgetLook& look, const QRectF& area, BudgetCurve curve,
                            std::size_t point) {
    const QRectF plot = plotOf(area);
    const session::BudgetSweepPoint& values = look.sweep->points[point];
    const Tops tops = topsOf(look);
    const double top = curve == BudgetCurve::Flops ? tops.flops : tops.bytes;
    return {xOf(plot, values.budget),
            plot.bottom() - valueOf(values, curve, look.inputs) / top * plot.height()};
}

QPen BudgetPlot::curvePen(const Theme& theme, BudgetCurve curve) {
    switch (curve) {
    case BudgetCurve::Saved:
        return {theme.category(Category::Saved), 2};
    case BudgetCurve::Peak:
        return {theme.accent, 1.6, Qt::DashLine};
    case BudgetCurve::Flops:
        return {theme.category(Category::Recomputed), 1.6, Qt::DotLine};
    }
    return {};
}

void BudgetPlot::paint(QPainter& painter, const BudgetLook& look, const QRectF& area) {
    painter.fillRect(area, look.theme.background);
    const QRectF plot = plotOf(area);
    if (plot.width() < 8 || plot.height() < 8) {
        return;
    }
    const Frame frame{painter, look, area, plot, topsOf(look)};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(look.font);
    paintAxes(frame);
    if (look.sweep) {
        for (const BudgetCurve curve : curves) {
            paintCurve(frame, curve);
        }
    }
    paintHandle(frame);
}

} // namespace aotscope::views
