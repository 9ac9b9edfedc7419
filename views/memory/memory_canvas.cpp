#include "memory/memory_canvas.h"

#include "common/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

MemoryCanvas::MemoryCanvas(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("memoryCanvas"));
    describePictures();
    setAccessibleName(tr("Memory over the step"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(200, 100);
    connect(&theme, &ThemeSource::changed, this, &MemoryCanvas::refreshTheme);
    refreshTheme();
}

void MemoryCanvas::refreshTheme() {
    m_look.theme = m_theme.theme();
    m_look.font = font();
    update();
}

double MemoryCanvas::length() const {
    return m_look.axis().length();
}

void MemoryCanvas::setScene(const MemoryScenePtr& scene, bool keepView) {
    setMeasured(nullptr);
    const double before = length();
    const double from = m_look.from / before;
    const double to = m_look.to / before;
    const bool atPeak = m_look.scene && m_look.marker == m_look.scene->profile().peak.position;
    const bool keep = keepView && m_look.scene && scene;
    m_look.scene = scene;
    m_look.selected.reset();
    m_look.hovered.reset();
    if (!keep) {
        m_look.from = 0;
        m_look.to = length();
        m_look.marker = scene ? scene->profile().peak.position : 0;
        setSpan(std::nullopt);
    } else {
        // Another partition has other nodes; keep roughly the same part visible.
        m_look.from = from * length();
        m_look.to = to * length();
        m_look.marker = atPeak ? scene->profile().peak.position
                               : std::min(m_look.marker, std::max(1U, scene->length()) - 1);
        if (m_look.span && m_look.span->second >= scene->length()) {
            setSpan(std::nullopt);
        }
    }
    pictureChanged(this);
    update();
    Q_EMIT viewChanged();
}

int MemoryCanvas::itemCount() const {
    return m_look.scene ? static_cast<int>(m_look.scene->profile().ranges.size()) : 0;
}

QString MemoryCanvas::itemName(int item) const {
    return text(m_look.scene->profile().ranges[static_cast<std::size_t>(item)].name);
}

/// "saved activation, 48.0 KiB, alive from node 3 to node 17 of 20"
QString MemoryCanvas::itemDescription(int item) const {
    const memory::LiveRange& range = m_look.scene->profile().ranges[static_cast<std::size_t>(item)];
    return tr("%1, %2, alive from node %3 to node %4 of %5")
        .arg(text(std::string(base::wordOf(range.category))), formatBytes(range.bytes))
        .arg(range.from + 1)
        .arg(range.last + 1)
        .arg(m_look.scene->length());
}

QRect MemoryCanvas::itemRect(int item) const {
    return m_painter.rectOf(m_look, rect(), static_cast<std::uint32_t>(item))
        .toAlignedRect()
        .intersected(rect());
}

std::optional<int> MemoryCanvas::itemAt(QPoint place) const {
    const memory::Band* band = bandAt(place);
    return band && band->range ? std::optional(static_cast<int>(*band->range)) : std::nullopt;
}

std::optional<int> MemoryCanvas::currentItem() const {
    return m_look.selected ? std::optional(static_cast<int>(*m_look.selected)) : std::nullopt;
}

void MemoryCanvas::chooseItem(int item) {
    Q_EMIT picked(static_cast<quint32>(item));
}

void MemoryCanvas::setCurves(std::vector<MemoryCurve> curves) {
    m_look.curves = std::move(curves);
    update();
}

/// The visible nodes stay visible.
template<typename Change>
void MemoryCanvas::changeAxis(Change&& change) {
    const MemoryAxis before = m_look.axis();
    const bool whole = m_look.from <= 0 && m_look.to >= before.length();
    const double from = before.positionAt(m_look.from);
    const double to = before.positionAt(m_look.to);
    change();
    const MemoryAxis axis = m_look.axis();
    if (whole) {
        showAll();
    } else {
        showPart(axis.placeOf(from), axis.placeOf(to));
    }
}

void MemoryCanvas::setMeasured(const MeasuredPtr& measured) {
    if (measured != m_look.measured) {
        changeAxis([&] { m_look.measured = measured; });
    }
}

void MemoryCanvas::setByTime(bool byTime) {
    if (byTime != m_look.byTime) {
        changeAxis([&] { m_look.byTime = byTime; });
    }
}

void MemoryCanvas::setInputs(memory::BandStack::Inputs inputs) {
    m_look.inputs = inputs;
    update();
}

void MemoryCanvas::setSelected(std::optional<std::uint32_t> range) {
    if (range != m_look.selected) {
        m_look.selected = range;
        m_lifeShown = false;
        currentItemChanged(this);
        update();
    }
}

void MemoryCanvas::moveMarker(std::uint32_t position) {
    if (!m_look.scene || m_look.scene->length() == 0) {
        return;
    }
    m_look.marker = std::min(position, m_look.scene->length() - 1);
    // Scroll to it, but no further than needed.
    const double width = m_look.to - m_look.from;
    const double begin = m_look.axis().placeOf(m_look.marker);
    const double end = m_look.axis().placeOf(m_look.marker + 1.0);
    if (begin < m_look.from) {
        showPart(begin, begin + width);
    } else if (end > m_look.to) {
        showPart(end - width, end);
    }
    update();
}

void MemoryCanvas::markPeak() {
    if (m_look.scene) {
        moveMarker(m_look.scene->profile().peak.position);
        Q_EMIT markerMoved(m_look.marker);
    }
}

void MemoryCanvas::setSpan(std::optional<std::pair<std::uint32_t, std::uint32_t>> span) {
    if (span != m_look.span) {
        m_look.span = span;
        update();
        Q_EMIT spanChanged();
    }
}

void MemoryCanvas::showPart(double from, double to) {
    const double most = length();
    const double width = std::clamp(to - from, m_look.axis().shortest(), most);
    m_look.from = std::clamp(from, 0.0, most - width);
    m_look.to = m_look.from + width;
    update();
    Q_EMIT viewChanged();
}

void MemoryCanvas::showAll() {
    showPart(0, length());
}

void MemoryCanvas::zoomAt(double factor, double x) {
    const double fixed = MemoryPainter::placeAt(m_look, MemoryPainter::plotOf(rect()), x);
    const double width = std::clamp((m_look.to - m_look.from) / factor, m_look.axis().shortest(), length());
    const double share = (fixed - m_look.from) / (m_look.to - m_look.from);
    showPart(fixed - share * width, fixed + (1 - share) * width);
}

void MemoryCanvas::panBy(double pixels) {
    const double places = pixels / MemoryPainter::plotOf(rect()).width() * (m_look.to - m_look.from);
    showPart(m_look.from + places, m_look.to + places);
}

void MemoryCanvas::showLife() {
    if (!m_look.selected || m_lifeShown) {
        m_lifeShown = false;
        showAll();
        return;
    }
    const memory::LiveRange& range = m_look.scene->profile().ranges[*m_look.selected];
    const MemoryAxis axis = m_look.axis();
    const double from = axis.placeOf(range.from);
    const double to = axis.placeOf(range.last + 1.0);
    const double margin = std::max(axis.shortest() / 4, 0.1 * (to - from));
    showPart(from - margin, to + margin);
    m_lifeShown = true;
}

double MemoryCanvas::xOf(double position) const {
    return MemoryPainter::xOf(m_look, MemoryPainter::plotOf(rect()), position);
}

QPointF MemoryCanvas::pixelOfMarker() const {
    return MemoryPainter::markerHandle(m_look, rect()).center();
}

std::uint32_t MemoryCanvas::positionAt(double x) const {
    const double position = MemoryPainter::positionAt(m_look, MemoryPainter::plotOf(rect()), x);
    const double last = m_look.scene ? std::max(1U, m_look.scene->length()) - 1.0 : 0;
    return static_cast<std::uint32_t>(std::clamp(std::floor(position), 0.0, last));
}

const memory::Band* MemoryCanvas::bandAt(const QPointF& point) const {
    return m_painter.bandAt(m_look, rect(), point);
}

bool MemoryCanvas::onMarker(const QPointF& point) const {
    constexpr double reach = 5;
    const QRectF handle = MemoryPainter::markerHandle(m_look, rect());
    return handle.adjusted(-reach, -2, reach, reach).contains(point);
}

void MemoryCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    m_painter.paint(painter, m_look, rect());
    if (hasFocus()) {
        painter.setPen(m_look.theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace aotscope::views
