#include "kernels/rerun_plot.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "kernels/rerun_words.h"
#include "style/ink.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::views {

RerunPlot::RerunPlot(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("rerunPlot"));
    setAccessibleName(tr("Reruns and the distribution of the selected one"));
    setMinimumSize(280, 120);
    setFocusPolicy(Qt::StrongFocus);
}

void RerunPlot::setReruns(const std::vector<session::RerunSnapshotPtr>& reruns,
                          std::optional<std::size_t> baseline) {
    m_points.clear();
    m_least = std::numeric_limits<double>::infinity();
    m_most = 0;
    for (const session::RerunSnapshotPtr& rerun : reruns) {
        Point point;
        point.times = session::rerunTimes(rerun->result->samples).value_or(session::RerunTimes());
        const bool isChanged = rerun->kernel && !rerun->kernel->source.empty();
        point.isChangedRun = isChanged || !rerun->settings.changes.isNone();
        const QString kernel = !rerun->kernel ? QString()
                               : isChanged    ? tr("changed text")
                                              : tr("fused kernel");
        point.words = timesText(point.times);
        for (const QString& more : {settingsText(rerun->settings), kernel}) {
            point.words += more.isEmpty() ? QString() : QStringLiteral("\n") + more;
        }
        m_least = std::min(m_least, point.times.minimum);
        m_most = std::max(m_most, point.times.p95);
        m_points.push_back(std::move(point));
    }
    const double margin = std::max(m_most * 0.02, (m_most - m_least) * 0.08);
    m_least = m_points.empty() ? 0 : std::max(0.0, m_least - margin);
    m_most = m_points.empty() ? 1 : m_most + margin;
    m_baseline = baseline;
    setSelected(m_selected);
}

void RerunPlot::setSelected(std::optional<std::size_t> rerun) {
    m_selected = rerun && *rerun < m_points.size() ? rerun : std::nullopt;
    describe();
    update();
}

void RerunPlot::describe() {
    setAccessibleDescription(m_selected ? tr("Rerun %1 of %2: %3")
                                              .arg(*m_selected + 1)
                                              .arg(m_points.size())
                                              .arg(m_points[*m_selected].words)
                                        : tr("No rerun is selected"));
}

QRectF RerunPlot::historyArea() const {
    const int labels = fontMetrics().horizontalAdvance(QStringLiteral("000.0 ms")) + 12;
    const int line = fontMetrics().height();
    return QRectF(rect()).adjusted(labels, line + 12, -(width() * 0.45), -line - 8);
}

QRectF RerunPlot::distributionArea() const {
    const int line = fontMetrics().height();
    const QRectF history = historyArea();
    return {history.right() + 24, history.top(), rect().right() - history.right() - 32,
            rect().bottom() - line - 8 - history.top()};
}

double RerunPlot::heightOf(double nanoseconds) const {
    const QRectF area = historyArea();
    const double share = m_most > m_least ? (nanoseconds - m_least) / (m_most - m_least) : 0.5;
    return area.bottom() - share * area.height();
}

QPointF RerunPlot::placeOf(std::size_t rerun) const {
    const QRectF area = historyArea();
    constexpr double widest = 36;
    const double step =
        std::min(widest, area.width() / static_cast<double>(std::max<std::size_t>(m_points.size(), 1)));
    return {area.left() + step * (static_cast<double>(rerun) + 0.5), heightOf(m_points[rerun].times.median)};
}

std::optional<std::size_t> RerunPlot::pointAt(QPoint place) const {
    const QRectF area = historyArea().adjusted(-8, -8, 8, 8);
    if (m_points.empty() || !area.contains(place)) {
        return std::nullopt;
    }
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const double distance = std::abs(placeOf(i).x() - place.x());
        nearest = distance < std::abs(placeOf(nearest).x() - place.x()) ? i : nearest;
    }
    constexpr double reach = 18;
    return std::abs(placeOf(nearest).x() - place.x()) <= reach ? std::optional(nearest) : std::nullopt;
}

QString RerunPlot::textAt(QPoint place) const {
    if (const auto point = pointAt(place)) {
        return tr("Rerun %1: %2").arg(*point + 1).arg(m_points[*point].words);
    }
    const QRectF area = distributionArea();
    if (!m_selected || !area.contains(place)) {
        return {};
    }
    const session::RerunTimes& times = m_points[*m_selected].times;
    const auto bins = static_cast<int>(times.histogram.counts.size());
    if (bins == 0) {
        return {};
    }
    const int bin =
        std::clamp(static_cast<int>((place.x() - area.left()) * bins / area.width()), 0, bins - 1);
    const double width = (times.histogram.to - times.histogram.from) / bins;
    return tr("%1 to %2: %3")
        .arg(kernelTime(times.histogram.from + width * bin),
             kernelTime(times.histogram.from + width * (bin + 1)),
             formatCount(times.histogram.counts[static_cast<std::size_t>(bin)], "repetition", "repetitions"));
}

bool RerunPlot::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), plainToolTip(textAt(help->pos())), this);
        return true;
    }
    return QWidget::event(event);
}

void RerunPlot::choose(std::size_t rerun) {
    if (rerun < m_points.size() && m_selected != rerun) {
        setSelected(rerun);
        Q_EMIT chosen(rerun);
    }
}

void RerunPlot::mousePressEvent(QMouseEvent* event) {
    if (const auto point = pointAt(event->pos())) {
        choose(*point);
    }
    QWidget::mousePressEvent(event);
}

void RerunPlot::keyPressEvent(QKeyEvent* event) {
    const std::size_t at = m_selected.value_or(m_points.size());
    if (event->key() == Qt::Key_Left && at > 0) {
        choose(at - 1);
    } else if (event->key() == Qt::Key_Right) {
        choose(at + 1);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void RerunPlot::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_points.empty()) {
        painter.setPen(Ink(palette()).dimText);
        painter.drawText(rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Every rerun becomes a point here, with its distribution beside it."));
        return;
    }
    paintHistory(painter);
    paintDistribution(painter);
}

void RerunPlot::paintHistory(QPainter& painter) const {
    const Ink ink(palette());
    const QRectF area = historyArea();
    const int line = fontMetrics().height();
    painter.setPen(ink.dimText);
    painter.drawText(QRectF(area.left(), area.top() - line - 8, area.width(), line), Qt::AlignLeft,
                     tr("min – p95, median"));
    constexpr int ticks = 3;
    for (int i = 0; i <= ticks; ++i) {
        const double time = m_least + (m_most - m_least) * i / ticks;
        const double y = heightOf(time);
        painter.setPen(ink.line);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(ink.dimText);
        painter.drawText(QRectF(0, y - line / 2.0, area.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter,
                         kernelTime(time));
    }
    if (m_baseline && *m_baseline < m_points.size()) {
        const double y = placeOf(*m_baseline).y();
        painter.setPen(QPen(ink.text, 1, Qt::DashLine));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.drawText(QRectF(area.left(), y - line - 1, area.width() - 2, line), Qt::AlignRight,
                         tr("baseline"));
    }
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const Point& point = m_points[i];
        const QPointF place = placeOf(i);
        painter.setPen(QPen(ink.dimText, 2, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QPointF(place.x(), heightOf(point.times.minimum)),
                         QPointF(place.x(), heightOf(point.times.p95)));
        painter.setPen(QPen(ink.accent, 2));
        painter.setBrush(point.isChangedRun ? ink.panel : ink.accent);
        painter.drawEllipse(place, 4, 4);
        if (m_selected == i) {
            painter.setPen(QPen(ink.text, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(place, 8, 8);
        }
    }
    painter.setPen(ink.dimText);
    painter.drawText(QRectF(area.left(), area.bottom() + 6, area.width(), line), Qt::AlignLeft,
                     formatCount(m_points.size(), "rerun", "reruns"));
}

/// A line through the distribution, labelled above it.
void RerunPlot::paintMark(QPainter& painter, double nanoseconds, const QString& words, bool isDashed,
                          int line) const {
    const session::Histogram& histogram = m_points[*m_selected].times.histogram;
    const QRectF area = distributionArea();
    const double range = histogram.to - histogram.from;
    const double x = area.left() + (range > 0 ? (nanoseconds - histogram.from) / range : 0.5) * area.width();
    if (x < area.left() - 1 || x > area.right() + 1) {
        return;
    }
    painter.setPen(QPen(Ink(palette()).text, 1, isDashed ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const int width = fontMetrics().horizontalAdvance(words);
    const bool fits = x + width + 4 <= area.right();
    painter.drawText(QRectF(fits ? x + 3 : x - width - 3, area.top() + line * fontMetrics().height(),
                            width + 1, fontMetrics().height()),
                     Qt::AlignLeft, words);
}

void RerunPlot::paintDistribution(QPainter& painter) const {
    const Ink ink(palette());
    const QRectF area = distributionArea();
    const int line = fontMetrics().height();
    painter.setPen(ink.dimText);
    const QRectF heading(area.left(), area.top() - line - 8, area.width(), line);
    if (!m_selected) {
        painter.drawText(heading, Qt::AlignLeft, tr("select a rerun to see its distribution"));
        return;
    }
    const session::RerunTimes& times = m_points[*m_selected].times;
    painter.drawText(heading, Qt::AlignLeft, tr("distribution of rerun %1").arg(*m_selected + 1));
    const std::vector<std::uint64_t>& counts = times.histogram.counts;
    const std::uint64_t most =
        counts.empty() ? 1 : std::max<std::uint64_t>(*std::ranges::max_element(counts), 1);
    const double width = area.width() / static_cast<double>(std::max<std::size_t>(counts.size(), 1));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double height = area.height() * static_cast<double>(counts[i]) / static_cast<double>(most);
        const double shown = counts[i] > 0 ? std::max(1.0, height) : 0;
        painter.fillRect(QRectF(area.left() + width * static_cast<double>(i), area.bottom() - shown,
                                std::max(1.0, width - 1), shown),
                         ink.accent);
    }
    painter.setPen(ink.line);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    paintMark(painter, times.median, tr("median"), false, 0);
    paintMark(painter, times.p95, tr("p95"), true, 1);
    painter.setPen(ink.dimText);
    const QRectF labels(area.left(), area.bottom() + 4, area.width(), line);
    painter.drawText(labels, Qt::AlignLeft, kernelTime(times.histogram.from));
    painter.drawText(labels, Qt::AlignRight,
                     kernelTime(times.histogram.to) +
                         (times.beyond > 0 ? tr(", %1 slower").arg(times.beyond) : QString()));
}

} // namespace aotscope::views
