#include "memory/memory_painter.h"

#include "base/mapped.h"
#include "common/format.h"
#include "graph/coloring.h"
#include "memory/memory_painter_frame.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

using namespace memory_picture;

using memory::Band;
using memory::BandRun;

namespace {

constexpr double smallestPixels = 1;
constexpr double fadedShare = 0.4;

/// The theme's text or background colour, whichever is readable on `ground`.
QColor readable(const Theme& theme, const QColor& ground) {
    const double light = ground.lightnessF();
    return std::abs(theme.text.lightnessF() - light) > std::abs(theme.background.lightnessF() - light)
               ? theme.text
               : theme.background;
}

} // namespace

QRectF MemoryPainter::plotOf(const QRectF& area) {
    return area.adjusted(leftMargin, topMargin, -rightMargin, -bottomMargin);
}

MemoryAxis MemoryLook::axis() const {
    if (byTime && measured && measured->start.back() > 0) {
        return MemoryAxis(measured->start);
    }
    return MemoryAxis(scene ? scene->length() : 0);
}

double MemoryPainter::xOf(const MemoryLook& look, const QRectF& plot, double position) {
    return plot.left() + (look.axis().placeOf(position) - look.from) / (look.to - look.from) * plot.width();
}

double MemoryPainter::placeAt(const MemoryLook& look, const QRectF& plot, double x) {
    return look.from + (x - plot.left()) / plot.width() * (look.to - look.from);
}

double MemoryPainter::positionAt(const MemoryLook& look, const QRectF& plot, double x) {
    return look.axis().positionAt(placeAt(look, plot, x));
}

QRectF MemoryPainter::markerHandle(const MemoryLook& look, const QRectF& area) {
    constexpr double half = 7;
    const QRectF plot = plotOf(area);
    const double x = xOf(look, plot, look.marker + 0.5);
    return {x - half, plot.bottom(), 2 * half, 12};
}

std::int64_t MemoryPainter::highest(const MemoryLook& look) {
    std::int64_t top = 1;
    const auto consider = [&](const memory::MemoryProfile& profile) {
        const memory::Peak& peak =
            look.inputs == memory::BandStack::Inputs::Shown ? profile.peak : profile.intermediatePeak;
        top = std::max(top, peak.bytes);
    };
    consider(look.scene->profile());
    for (const MemoryCurve& curve : look.curves) {
        consider(*curve.profile);
    }
    if (!look.measured) {
        return top;
    }
    const bool withInputs = look.inputs == memory::BandStack::Inputs::Shown;
    top = std::max(top, (withInputs ? look.measured->peak : look.measured->intermediatePeak).bytes);
    // Scratch memory of an operator may be many times what is alive. The axis ends at the bands, and scratch
    // is cut off.
    const std::int64_t withScratch = withInputs ? look.measured->highest : look.measured->intermediateHighest;
    return std::clamp(withScratch, top, 2 * top);
}

void MemoryPainter::refresh(const MemoryLook& look, const QRectF& plot) {
    m_top = std::max<std::int64_t>(1, std::llround(double(highest(look)) * 1.06));
    Key key;
    key.scene = look.scene.get();
    const bool byTime = look.axis().isTime();
    key.times = byTime ? look.measured.get() : nullptr;
    key.from = byTime ? look.from : std::max(0.0, std::floor(look.from));
    key.to = byTime ? look.to : std::max(0.0, std::ceil(look.to));
    key.width = std::max(1, int(plot.width()));
    key.smallest = std::llround(smallestPixels * double(m_top) / std::max(1.0, plot.height()));
    key.inputs = look.inputs;
    if (key == m_key) {
        return;
    }
    m_key = key;
    m_cells = cellsOf(look, key);
    m_bands = look.scene->stack().stack(m_cells, key.smallest, key.inputs);
}

memory::Cells MemoryPainter::cellsOf(const MemoryLook& look, const Key& key) {
    const std::vector<std::int64_t>& bytes = curveOf(look.scene->profile(), look.inputs);
    const MemoryAxis axis = look.axis();
    if (!axis.isTime()) {
        return memory::gatherCells(bytes, std::uint32_t(key.from), std::uint32_t(key.to),
                                   std::size_t(key.width));
    }
    // All positions in one pixel column form one cell; a position that spans several columns is one cell too.
    std::vector<std::uint32_t> begins;
    const auto length = std::uint32_t(bytes.size());
    for (int column = 0; column <= key.width; ++column) {
        const double position = axis.positionAt(key.from + (key.to - key.from) * column / key.width);
        const auto begin = std::min(length, std::uint32_t(std::max(0.0, position)));
        if (begins.empty() || begin > begins.back()) {
            begins.push_back(begin);
        }
    }
    if (begins.back() < length) {
        begins.push_back(begins.back() + 1);
    }
    return memory::gatherCells(bytes, std::move(begins));
}

void MemoryPainter::paint(QPainter& painter, const MemoryLook& look, const QRectF& area) {
    painter.fillRect(area, look.theme.background);
    const QRectF plot = plotOf(area);
    if (!look.scene || plot.width() < 8 || plot.height() < 8) {
        return;
    }
    refresh(look, plot);
    const Frame frame{painter, look, area, plot, plot.height() / double(m_top)};
    painter.setFont(look.font);
    paintGround(frame);
    painter.save();
    painter.setClipRect(plot);
    paintBands(frame);
    paintLabels(frame);
    paintMeasured(frame);
    paintCurves(frame);
    painter.restore();
    paintTimes(frame);
    paintMarks(frame);
}

void MemoryPainter::paintGround(const Frame& frame) const {
    QPainter& painter = frame.painter;
    const Theme& theme = frame.look.theme;
    const memory::MemoryProfile& profile = frame.look.scene->profile();
    painter.fillRect(frame.plot, theme.panel);
    const Unit unit = byteUnit(10 * m_top);
    const std::int64_t step = gridStep(m_top, unit, 5);
    for (std::int64_t bytes = 0; bytes <= m_top; bytes += step) {
        const double y = std::round(frame.y(bytes)) + 0.5;
        painter.setPen(theme.line);
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(theme.dimText);
        painter.drawText(QRectF(0, y - 8, leftMargin - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         inUnit(double(bytes), unit));
    }
    if (profile.backwardBegin <= profile.forwardEnd) {
        return;
    }
    const auto phase = [&](double from, double to, const QString& name) {
        const double left = std::max(frame.x(from), frame.plot.left());
        const double right = std::min(frame.x(to), frame.plot.right());
        const double needed = painter.fontMetrics().horizontalAdvance(name) + 8;
        if (right - left >= needed) {
            painter.setPen(theme.dimText);
            painter.drawText(QRectF(left + 4, 0, right - left - 8, topMargin), Qt::AlignVCenter, name);
        }
    };
    phase(0, profile.forwardEnd, QObject::tr("forward →"));
    phase(profile.backwardBegin, double(profile.bytes.size()), QObject::tr("backward →"));
}

void MemoryPainter::paintBands(const Frame& frame) {
    const MemoryLook& look = frame.look;
    const Theme& theme = look.theme;
    const auto columns = base::mapped(
        m_cells.begin, [&](const std::uint32_t begin) { return frame.x(begin) - frame.plot.left(); });
    m_raster.begin(frame.painter, frame.plot, columns, frame.pixelsPerByte);
    std::size_t number = 0;
    const Band* selected = nullptr;
    const Band* hovered = nullptr;
    for (const Band& band : m_bands) {
        const bool isSelected = band.range && band.range == look.selected;
        const bool isHovered = band.range && band.range == look.hovered;
        selected = isSelected ? &band : selected;
        hovered = isHovered ? &band : hovered;
        const QColor color = colorOf(look, band, number, look.selected && !isSelected && !isHovered);
        m_raster.fillBand(band, color.rgb(), mix(color, theme.background, 0.45).rgb());
        number += band.range ? 1 : 0;
    }
    if (hovered != nullptr && hovered != selected) {
        m_raster.ring(*hovered, theme.text.rgb(), 1);
    }
    if (selected != nullptr) {
        m_raster.ring(*selected, theme.accent.rgb(), 2);
    }
    m_raster.draw(frame.painter);
}

/// Neighbours of the same category get different shades.
QColor MemoryPainter::colorOf(const MemoryLook& look, const Band& band, std::size_t number, bool faded) {
    const double shade = band.range ? 0.06 * double(number % 3) : 0.14;
    const QColor color = mix(look.theme.category(categoryOf(band.category)), look.theme.background, shade);
    return faded ? mix(look.theme.panel, color, fadedShare) : color;
}

/// In each band's longest range, if it is large enough for text.
void MemoryPainter::paintLabels(const Frame& frame) const {
    constexpr double leastHeight = 15;
    constexpr double leastWidth = 60;
    const MemoryLook& look = frame.look;
    const QFontMetricsF metrics(frame.painter.font());
    std::size_t number = 0;
    for (const Band& band : m_bands) {
        if (!band.range) {
            continue;
        }
        const std::size_t place = number++;
        const memory::LiveRange& range = look.scene->profile().ranges[*band.range];
        if (double(range.bytes) * frame.pixelsPerByte < leastHeight) {
            continue;
        }
        QRectF best;
        for (const BandRun& run : band.runs) {
            const QRectF rect =
                QRectF(QPointF(frame.x(m_cells.begin[run.from]), frame.y(run.base + run.bytes)),
                       QPointF(frame.x(m_cells.begin[run.end]), frame.y(run.base)))
                    .intersected(frame.plot);
            best = rect.width() > best.width() ? rect : best;
        }
        if (best.height() < leastHeight || best.width() < leastWidth) {
            continue;
        }
        const bool picked = band.range == look.selected || band.range == look.hovered;
        frame.painter.setPen(readable(look.theme, colorOf(look, band, place, look.selected && !picked)));
        const QString label = text(range.name) + QStringLiteral("  ") + formatBytes(range.bytes);
        frame.painter.drawText(best.adjusted(6, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter,
                               metrics.elidedText(label, Qt::ElideRight, best.width() - 10));
    }
}

void MemoryPainter::paintMarks(const Frame& frame) const {
    QPainter& painter = frame.painter;
    const MemoryLook& look = frame.look;
    const Theme& theme = look.theme;
    const memory::MemoryProfile& profile = look.scene->profile();
    painter.save();
    painter.setClipRect(frame.area.adjusted(leftMargin - 8, 0, 0, 0));
    if (look.span) {
        QColor veil = theme.accent;
        veil.setAlphaF(0.18F);
        const double left = frame.x(look.span->first);
        const double right = frame.x(look.span->second + 1.0);
        painter.fillRect(QRectF(left, frame.plot.top(), right - left, frame.plot.height()), veil);
        painter.setPen(theme.accent);
        painter.drawLine(QPointF(left, frame.plot.top()), QPointF(left, frame.plot.bottom()));
        painter.drawLine(QPointF(right, frame.plot.top()), QPointF(right, frame.plot.bottom()));
    }
    if (profile.backwardBegin > profile.forwardEnd) {
        const double x = std::round(frame.x(profile.forwardEnd + 0.5)) + 0.5;
        painter.setPen(QPen(theme.dimText, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, 2), QPointF(x, frame.plot.bottom()));
    }
    const QRectF handle = markerHandle(look, frame.area);
    const double x = std::round(handle.center().x()) + 0.5;
    painter.setPen(QPen(theme.text, 1));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.text);
    painter.drawPolygon(QPolygonF({QPointF(x, handle.top()), QPointF(handle.right(), handle.bottom()),
                                   QPointF(handle.left(), handle.bottom())}));
    if (look.marker < profile.bytes.size()) {
        const std::int64_t bytes = curveOf(profile, look.inputs)[look.marker];
        const bool peak = look.marker == profile.peak.position;
        const QString label = (peak ? QObject::tr("peak ") : QString()) + formatBytes(bytes);
        const double width = painter.fontMetrics().horizontalAdvance(label) + 8;
        const double left =
            handle.right() + 4 + width > frame.area.right() ? handle.left() - 4 - width : handle.right() + 4;
        painter.setPen(theme.text);
        painter.drawText(QRectF(left, frame.plot.bottom() + 2, width, bottomMargin - 4),
                         Qt::AlignLeft | Qt::AlignVCenter, label);
    }
    painter.restore();
}

const Band* MemoryPainter::bandAt(const MemoryLook& look, const QRectF& area, const QPointF& point) const {
    const QRectF plot = plotOf(area);
    if (!look.scene || m_key.scene != look.scene.get() || !plot.contains(point) || m_cells.size() == 0) {
        return nullptr;
    }
    const auto position = static_cast<std::uint32_t>(std::max(0.0, positionAt(look, plot, point.x())));
    const auto past = std::ranges::upper_bound(m_cells.begin, position);
    if (past == m_cells.begin.begin() || past == m_cells.begin.end()) {
        return nullptr;
    }
    const auto cell = static_cast<std::uint32_t>(past - m_cells.begin.begin() - 1);
    const double bytes = (plot.bottom() - point.y()) / plot.height() * double(m_top);
    for (const Band& band : m_bands) {
        const auto run = std::ranges::upper_bound(band.runs, cell, {}, &BandRun::end);
        if (run != band.runs.end() && run->from <= cell && double(run->base) <= bytes &&
            bytes < double(run->base + run->bytes)) {
            return &band;
        }
    }
    return nullptr;
}

QRectF MemoryPainter::rectOf(const MemoryLook& look, const QRectF& area, std::uint32_t range) const {
    const QRectF plot = plotOf(area);
    if (!look.scene || m_key.scene != look.scene.get()) {
        return {};
    }
    const memory::LiveRange& life = look.scene->profile().ranges[range];
    const double left = xOf(look, plot, life.from);
    const double right = xOf(look, plot, life.last + 1.0);
    QRectF found(QPointF(left, plot.top()), QPointF(right, plot.bottom()));
    const auto band = std::ranges::find(m_bands, std::optional(range), &Band::range);
    if (band != m_bands.end() && !band->runs.empty()) {
        const auto yOf = [&](std::int64_t bytes) {
            return plot.bottom() - double(bytes) / double(m_top) * plot.height();
        };
        const auto lowest = std::ranges::min(band->runs, {}, &BandRun::base);
        const auto highest =
            std::ranges::max(band->runs, {}, [](const BandRun& run) { return run.base + run.bytes; });
        found.setTop(yOf(highest.base + highest.bytes));
        found.setBottom(yOf(lowest.base));
    }
    return found.intersected(plot);
}

} // namespace aotscope::views
