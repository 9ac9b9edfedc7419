#include "values/histogram_canvas.h"

#include "common/format.h"
#include "style/ink.h"
#include "values/value_words.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace aotscope::views {

HistogramCanvas::HistogramCanvas(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("histogram"));
    setAccessibleName(tr("Histogram of the elements"));
    setMinimumSize(160, 72);
}

void HistogramCanvas::setValue(const session::ValueSnapshotPtr& value) {
    m_value = value;
    setAccessibleDescription(value ? histogramText(value->summary) : QString());
    update();
}

const session::Histogram* HistogramCanvas::histogram() const {
    const bool isThere = m_value && m_value->summary.histogram && !m_value->summary.histogram->counts.empty();
    return isThere ? &*m_value->summary.histogram : nullptr;
}

QRect HistogramCanvas::plot() const {
    return rect().adjusted(8, 8, -8, -8 - fontMetrics().height());
}

QString HistogramCanvas::rangeText(QPoint place) const {
    const session::Histogram* counted = histogram();
    const QRect area = plot();
    if (counted == nullptr || !area.contains(place)) {
        return {};
    }
    const auto bins = static_cast<int>(counted->counts.size());
    const int bin = std::clamp((place.x() - area.left()) * bins / std::max(area.width(), 1), 0, bins - 1);
    const double width = (counted->to - counted->from) / bins;
    return tr("%1 to %2: %3")
        .arg(formatNumber(counted->from + width * bin), formatNumber(counted->from + width * (bin + 1)),
             formatCount(counted->counts[static_cast<std::size_t>(bin)], "element", "elements"));
}

bool HistogramCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), rangeText(help->pos()), this);
        return true;
    }
    return QWidget::event(event);
}

void HistogramCanvas::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Ink ink(palette());
    const session::Histogram* counted = histogram();
    if (counted == nullptr) {
        painter.setPen(ink.dimText);
        painter.drawText(rect(), Qt::AlignCenter, tr("no finite elements"));
        return;
    }
    const QRect area = plot();
    const std::uint64_t most = std::max<std::uint64_t>(*std::ranges::max_element(counted->counts), 1);
    const auto bins = static_cast<int>(counted->counts.size());
    for (int bin = 0; bin < bins; ++bin) {
        const double share =
            static_cast<double>(counted->counts[static_cast<std::size_t>(bin)]) / static_cast<double>(most);
        const int left = area.left() + area.width() * bin / bins;
        const int right = area.left() + area.width() * (bin + 1) / bins;
        // A range that is not empty has a visible column.
        const int height = share > 0 ? std::max(1, static_cast<int>(share * area.height())) : 0;
        painter.fillRect(left, area.bottom() + 1 - height, std::max(1, right - left - 1), height, ink.accent);
    }
    painter.setPen(ink.line);
    painter.drawLine(area.left(), area.bottom() + 1, area.right(), area.bottom() + 1);
    painter.setPen(ink.dimText);
    const QRect labels(area.left(), area.bottom() + 3, area.width(), fontMetrics().height());
    painter.drawText(labels, Qt::AlignLeft, formatNumber(counted->from));
    painter.drawText(labels, Qt::AlignRight, formatNumber(counted->to));
    const double zero =
        counted->from < 0 && counted->to > 0 ? -counted->from / (counted->to - counted->from) : 0;
    if (zero > 0.2 && zero < 0.8) {
        const int x = area.left() + static_cast<int>(zero * area.width());
        painter.drawText(QRect(x - 20, labels.top(), 40, labels.height()), Qt::AlignHCenter,
                         QStringLiteral("0"));
    }
}

} // namespace aotscope::views
