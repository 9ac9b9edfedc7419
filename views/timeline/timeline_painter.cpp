#include "timeline/timeline_painter.h"

#include "common/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

using timeline::Counter;
using timeline::EventId;
using timeline::Row;

namespace {

constexpr double fadedShare = 0.3;
/// Narrower events of a lane are drawn together.
constexpr double smallest = 1.5;
constexpr double narrowestText = 26;

QColor mixed(const QColor& color, const QColor& ground, double share) {
    const auto part = [share](int front, int back) {
        return int(std::lround(front * share + back * (1 - share)));
    };
    return QColor(part(color.red(), ground.red()), part(color.green(), ground.green()),
                  part(color.blue(), ground.blue()));
}

/// The curve that is drawn beneath: the first one in bytes.
const Counter* memoryCounter(const timeline::Timeline& timeline) {
    const auto found = std::ranges::find(timeline.counters(), "B", &Counter::unit);
    return found == timeline.counters().end() ? nullptr : &*found;
}

} // namespace

double rulerStep(double visible, double pixels) {
    constexpr double apart = 110;
    const double wanted = visible / std::max(1.0, pixels / apart);
    const double power = std::pow(10.0, std::floor(std::log10(std::max(wanted, 1.0))));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (power * factor >= wanted) {
            return power * factor;
        }
    }
    return power * 10;
}

QString rulerText(double nanoseconds, double step) {
    const auto [unit, name] = step < 1e3   ? std::pair(1e3, "µs")
                              : step < 1e6 ? std::pair(step < 1e5 ? 1e3 : 1e6, step < 1e5 ? "µs" : "ms")
                              : step < 1e9 ? std::pair(step < 1e8 ? 1e6 : 1e9, step < 1e8 ? "ms" : "s")
                                           : std::pair(1e9, "s");
    const int decimals = std::max(0, int(std::ceil(-std::log10(step / unit) - 1e-9)));
    return QString::number(nanoseconds / unit, 'f', decimals) + QChar(0x2009) + QString::fromUtf8(name);
}

QRect TimelinePainter::lanesOf(const TimelineLook& look, const QRect& area) {
    const bool curve = look.scene && memoryCounter(look.scene->timeline()) != nullptr;
    return area.adjusted(0, rulerHeight, 0, curve ? -curveHeight : 0);
}

double TimelinePainter::xOf(const TimelineLook& look, const QRect& area, double time) {
    const double width = std::max(1, area.width() - 2 * leftMargin);
    return area.left() + leftMargin + (time - look.from) / (look.to - look.from) * width;
}

double TimelinePainter::timeAt(const TimelineLook& look, const QRect& area, double x) {
    const double width = std::max(1, area.width() - 2 * leftMargin);
    return look.from + (x - area.left() - leftMargin) / width * (look.to - look.from);
}

QColor TimelinePainter::colorOf(const TimelineLook& look, const Row& row, std::uint32_t event) {
    // Neighbouring numbers get unlike hues.
    const double hue = std::fmod(double(row.names[event]) * 0.618033988749895 + 0.08, 1.0);
    const bool quiet = row.categories[event] == timeline::Category::Overhead ||
                       row.categories[event] == timeline::Category::Recording ||
                       row.categories[event] == timeline::Category::Python;
    return look.theme.dark ? QColor::fromHslF(hue, quiet ? 0.12 : 0.42, 0.36)
                           : QColor::fromHslF(hue, quiet ? 0.15 : 0.55, 0.80);
}

QRectF TimelinePainter::rectOf(const TimelineLook& look, const QRect& area, EventId event) {
    const QRect lanes = lanesOf(look, area);
    const Row& row = look.scene->timeline().row(event);
    const double begin = xOf(look, area, double(row.start(event.index)));
    const double end = xOf(look, area, double(row.end(event.index)));
    const double y = lanes.top() - look.scrolled + double(look.scene->laneOf(event)) * laneHeight;
    return {begin, y + 1, std::max(1.0, end - begin), laneHeight - 2.0};
}

std::optional<std::size_t> TimelinePainter::nameAt(const TimelineLook& look, const QRect& area,
                                                   const QPointF& point) {
    const QRect lanes = lanesOf(look, area);
    if (!look.scene || !lanes.contains(point.toPoint())) {
        return std::nullopt;
    }
    return look.scene->nameAt(std::uint32_t(int(point.y()) - lanes.top() + look.scrolled) / laneHeight);
}

std::optional<EventId> TimelinePainter::eventAt(const TimelineLook& look, const QRect& area,
                                                const QPointF& point) {
    const QRect lanes = lanesOf(look, area);
    if (!look.scene || !lanes.contains(point.toPoint())) {
        return std::nullopt;
    }
    const auto place =
        look.scene->laneAt(std::uint32_t(int(point.y()) - lanes.top() + look.scrolled) / laneHeight);
    if (!place) {
        return std::nullopt;
    }
    constexpr double reach = 2;
    const Row& row = *look.scene->timeline().rows()[place->row];
    const auto before = std::int64_t(std::floor(timeAt(look, area, point.x() - reach)));
    const std::uint32_t event = row.firstEndingAfter(place->lane, before - 1);
    if (event >= row.lanes[place->lane + 1] ||
        double(row.start(event)) > timeAt(look, area, point.x() + reach)) {
        return std::nullopt;
    }
    // The next one may be right under the mouse.
    const auto exact = row.at(place->lane, std::int64_t(std::floor(timeAt(look, area, point.x()))));
    return EventId{place->row, exact.value_or(event)};
}

void TimelinePainter::paint(QPainter& painter, const TimelineLook& look, const QRect& area,
                            double pixelRatio) {
    const Key key{look.scene.get(), look.from,   look.to,    look.scrolled,   look.search,
                  look.folds,       area.size(), pixelRatio, look.theme.dark, look.font};
    if (!(key == m_key) || m_ground.isNull()) {
        m_key = key;
        m_ground = QPixmap(area.size() * pixelRatio);
        m_ground.setDevicePixelRatio(pixelRatio);
        QPainter ground(&m_ground);
        paintGround(ground, look, QRect(QPoint(), area.size()));
    }
    painter.drawPixmap(area.topLeft(), m_ground);
    if (!look.scene) {
        return;
    }
    painter.setFont(look.font);
    paintMarks(painter, look, area);
    painter.save();
    painter.setClipRect(lanesOf(look, area));
    paintFlows(painter, look, area);
    paintRings(painter, look, area);
    painter.restore();
}

void TimelinePainter::paintGround(QPainter& painter, const TimelineLook& look, const QRect& area) {
    m_drawn = 0;
    painter.fillRect(area, look.theme.background);
    if (!look.scene) {
        return;
    }
    painter.setFont(look.font);
    painter.save();
    painter.setClipRect(lanesOf(look, area));
    paintRows(painter, look, area);
    painter.restore();
    paintRuler(painter, look, area);
    paintCurve(painter, look, area);
}

void TimelinePainter::paintRuler(QPainter& painter, const TimelineLook& look, const QRect& area) const {
    const QRect ruler(area.left(), area.top(), area.width(), rulerHeight);
    painter.fillRect(ruler, look.theme.panel);
    const double origin = double(look.scene->timeline().begin());
    const double step = rulerStep(look.to - look.from, area.width());
    const double first = std::floor((look.from - origin) / step);
    const double last = std::floor((look.to - origin) / step);
    for (int mark = 0; mark <= int(last - first); ++mark) {
        const double time = (first + mark) * step;
        const double x = xOf(look, area, origin + time);
        painter.setPen(look.theme.line);
        painter.drawLine(QPointF(x, ruler.bottom() - 5), QPointF(x, ruler.bottom()));
        painter.setPen(look.theme.dimText);
        painter.drawText(QRectF(x + 4, ruler.top(), 120, ruler.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         rulerText(time, step));
    }
    painter.setPen(look.theme.line);
    painter.drawLine(ruler.bottomLeft(), ruler.bottomRight());
}

void TimelinePainter::paintRows(QPainter& painter, const TimelineLook& look, const QRect& area) {
    const QRect lanes = lanesOf(look, area);
    const timeline::Timeline& timeline = look.scene->timeline();
    QFont bold = look.font;
    bold.setBold(true);
    for (const TimelineScene::Place& place : look.scene->places()) {
        const int top = lanes.top() - look.scrolled + int(place.top) * laneHeight;
        const int bottom = top + int(1 + (place.folded ? 0 : place.lanes)) * laneHeight;
        if (bottom < lanes.top() || top > lanes.bottom()) {
            continue;
        }
        const Row& row = *timeline.rows()[place.row];
        painter.fillRect(QRect(area.left(), top, area.width(), laneHeight), look.theme.panel);
        painter.setPen(look.theme.dimText);
        painter.setFont(bold);
        painter.drawText(
            QRect(area.left() + leftMargin, top, area.width(), laneHeight), Qt::AlignVCenter | Qt::AlignLeft,
            (place.folded ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + rowTitle(timeline, place.row));
        painter.setFont(look.font);
        for (std::uint32_t lane = 0; !place.folded && lane < place.lanes; ++lane) {
            const int y = top + int(lane + 1) * laneHeight;
            if (y + laneHeight >= lanes.top() && y <= lanes.bottom()) {
                paintLane(painter, look, area, row, lane, y);
            }
        }
    }
}

void TimelinePainter::paintLane(QPainter& painter, const TimelineLook& look, const QRect& area,
                                const Row& row, std::size_t lane, int y) {
    const std::uint32_t laneEnd = row.lanes[lane + 1];
    std::uint32_t event = row.firstEndingAfter(lane, std::int64_t(std::floor(look.from)) - 1);
    // A run of narrow events with one colour.
    QRectF run;
    QColor runColor;
    const auto endRun = [&] {
        if (!run.isEmpty()) {
            painter.fillRect(run, runColor);
            ++m_drawn;
            run = QRectF();
        }
    };
    while (event < laneEnd && double(row.start(event)) <= look.to) {
        const double begin = xOf(look, area, double(row.start(event)));
        const double end = xOf(look, area, double(row.end(event)));
        if (end - begin >= smallest) {
            endRun();
            const double left = std::max(begin, double(area.left()) - 2);
            const double right = std::min(end, double(area.right()) + 2);
            paintEvent(painter, look, row, event, {left, y + 1.0, right - left, laneHeight - 2.0});
            ++event;
            continue;
        }
        const double pixel = std::floor(begin);
        QColor color = colorOf(look, row, event);
        if (!look.found.empty() && !look.found[row.names[event]]) {
            color = mixed(color, look.theme.background, fadedShare);
        }
        const QRectF box(pixel, y + 1.0, 1, laneHeight - 2.0);
        if (!run.isEmpty() && runColor == color && run.right() >= pixel) {
            run.setRight(pixel + 1);
        } else {
            endRun();
            run = box;
            runColor = color;
        }
        const auto next = row.firstEndingAfter(lane, std::int64_t(timeAt(look, area, pixel + 1)));
        event = std::max(event + 1, next);
    }
    endRun();
}

void TimelinePainter::paintEvent(QPainter& painter, const TimelineLook& look, const Row& row,
                                 std::uint32_t event, const QRectF& box) {
    ++m_drawn;
    const bool faded = !look.found.empty() && !look.found[row.names[event]];
    const QColor color = faded ? mixed(colorOf(look, row, event), look.theme.background, fadedShare)
                               : colorOf(look, row, event);
    // A hairline of ground keeps neighbours apart.
    const QRectF inner = box.adjusted(0, 0, box.width() > 3 ? -0.75 : 0, 0);
    if (row.predicted) {
        painter.fillRect(inner, QBrush(color, Qt::BDiagPattern));
        painter.setPen(color);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(inner.adjusted(0.5, 0.5, -0.5, -0.5));
    } else {
        painter.fillRect(inner, color);
    }
    if (inner.width() >= narrowestText) {
        painter.setPen(faded ? look.theme.dimText : look.theme.text);
        const QString name = text(look.scene->timeline().parts().names[row.names[event]]);
        painter.drawText(inner.adjusted(4, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(name, Qt::ElideRight, int(inner.width()) - 6));
    }
}

void TimelinePainter::paintCurve(QPainter& painter, const TimelineLook& look, const QRect& area) const {
    const Counter* counter = memoryCounter(look.scene->timeline());
    if (counter == nullptr) {
        return;
    }
    const QRect plot(area.left(), area.bottom() - curveHeight + 1, area.width(), curveHeight);
    painter.fillRect(plot, look.theme.panel);
    painter.setPen(look.theme.line);
    painter.drawLine(plot.topLeft(), plot.topRight());
    const double highest = std::max(1.0, *std::ranges::max_element(counter->values));
    constexpr int room = 18;
    const auto yOf = [&](double value) {
        return plot.bottom() - std::max(0.0, value) / highest * (plot.height() - room);
    };
    QColor fill = look.theme.accent;
    fill.setAlphaF(0.25F);
    painter.setPen(Qt::NoPen);
    // The highest value of each pixel.
    auto at = static_cast<std::size_t>(
        std::ranges::upper_bound(counter->times, std::int64_t(timeAt(look, area, area.left()))) -
        counter->times.begin());
    double value = at > 0 ? counter->values[at - 1] : 0;
    for (int x = area.left(); x <= area.right(); ++x) {
        const auto until = std::int64_t(timeAt(look, area, x + 1));
        double most = value;
        for (; at < counter->times.size() && counter->times[at] <= until; ++at) {
            value = counter->values[at];
            most = std::max(most, value);
        }
        painter.fillRect(QRectF(x, yOf(most), 1, plot.bottom() - yOf(most) + 1), fill);
        painter.fillRect(QRectF(x, yOf(most), 1, 1.5), look.theme.accent);
    }
    painter.setPen(look.theme.dimText);
    painter.drawText(plot.adjusted(leftMargin, 2, -leftMargin, 0), Qt::AlignTop | Qt::AlignLeft,
                     text(counter->name) + QStringLiteral("  ·  ") + formatBytes(std::int64_t(highest)) +
                         QStringLiteral(" at most"));
}

} // namespace aotscope::views
