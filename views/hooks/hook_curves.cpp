#include "hooks/hook_curves.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "hooks/plot_axes.h"
#include "memory/band_stack.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

namespace {

constexpr double legendHeight = 24;
constexpr double legendLineHeight = 16;
constexpr double legendLeft = 12;
/// Length of a line in the legend, and the space beside it and its words.
constexpr double legendLine = 20;
constexpr double legendGap = 22;
constexpr double curveHeadroom = 1.06;

QPen penBefore(const Theme& theme) {
    return {theme.dimText, 1.6, Qt::DashLine};
}

QPen penWith(const Theme& theme) {
    return {theme.category(Category::Packed), 2};
}

} // namespace

HookCurves::HookCurves(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("hookCurves"));
    setAccessibleName(tr("Memory of the step with hooks and without"));
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(180, 96);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void HookCurves::setPartition(const session::PartitionSnapshotPtr& split) {
    m_split = split;
    setAccessibleDescription(summary());
    update();
}

const memory::MemoryProfile* HookCurves::with() const {
    return m_split ? m_split->profile.get() : nullptr;
}

const memory::MemoryProfile* HookCurves::before() const {
    return m_split && m_split->hooks ? m_split->hooks->profileBefore.get() : nullptr;
}

QString HookCurves::summary() const {
    if (with() == nullptr) {
        return {};
    }
    return before() == nullptr ? tr("without hooks, peak %1").arg(formatBytes(with()->peak.bytes))
                               : tr("peak %1 before, %2 with hooks")
                                     .arg(formatBytes(before()->peak.bytes), formatBytes(with()->peak.bytes));
}

QRectF HookCurves::plot() const {
    return plotArea(QRectF(rect()), legendHeight + (isLegendTall() ? legendLineHeight : 0));
}

std::vector<std::int64_t> HookCurves::columnsOf(const memory::MemoryProfile& profile) const {
    const memory::MemoryProfile& shown = *with();
    const auto length = static_cast<std::int64_t>(profile.bytes.size());
    const int columns = std::max(1, static_cast<int>(plot().width()));
    const auto at = [&](int column) {
        const double position = static_cast<double>(shown.bytes.size()) * column / columns;
        return std::clamp<std::int64_t>(
            static_cast<std::int64_t>(memory::positionIn(profile, shown, position)), 0, length - 1);
    };
    std::vector<std::int64_t> most;
    for (int column = 0; column < columns; ++column) {
        const std::int64_t first = at(column);
        const std::int64_t past = std::max(first + 1, at(column + 1));
        most.push_back(*std::max_element(profile.bytes.begin() + first, profile.bytes.begin() + past));
    }
    return most;
}

QString HookCurves::wordsAt(double x) const {
    const QRectF area = plot();
    if (with() == nullptr || with()->bytes.empty() || x < area.left() || x >= area.right()) {
        return {};
    }
    const auto column = static_cast<std::size_t>(x - area.left());
    const auto bytesAt = [&](const memory::MemoryProfile& profile) {
        const std::vector<std::int64_t> columns = columnsOf(profile);
        return formatBytes(columns[std::min(column, columns.size() - 1)]);
    };
    const double position = (x - area.left()) / area.width() * static_cast<double>(with()->bytes.size());
    const auto place = std::min(static_cast<std::size_t>(position), with()->nodes.size() - 1);
    const bool isForward = place < with()->forwardEnd;
    const ir::NodeId node = with()->nodes[place];
    const ir::GraphPtr& half = isForward ? m_split->function.forward() : m_split->function.backward();
    const QString name = node.valid() ? text(half->node(node).name) : QString();
    QString words = (isForward ? tr("forward %1") : tr("backward %1")).arg(name).trimmed();
    words += before() ? tr("\n%1 with hooks, %2 before").arg(bytesAt(*with()), bytesAt(*before()))
                      : tr("\n%1").arg(bytesAt(*with()));
    return words;
}

bool HookCurves::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), plainToolTip(wordsAt(help->pos().x())), this);
        return true;
    }
    return QWidget::event(event);
}

void HookCurves::mouseMoveEvent(QMouseEvent* event) {
    m_x = event->position().x();
    update();
}

void HookCurves::leaveEvent(QEvent*) {
    m_x = -1;
    update();
}

/// The curves' names with their peaks, with a line of text for each if they do not fit into one.
std::vector<HookCurves::Entry> HookCurves::entries() const {
    const Theme& theme = m_theme.theme();
    const QString now = formatBytes(with()->peak.bytes);
    if (before() == nullptr) {
        return {{penWith(theme), tr("no hooks, peak %1").arg(now)}};
    }
    return {{penWith(theme), tr("with hooks, peak %1").arg(now)},
            {penBefore(theme), tr("before, peak %1").arg(formatBytes(before()->peak.bytes))}};
}

bool HookCurves::isLegendTall() const {
    double width = 0;
    for (const Entry& entry : with() ? entries() : std::vector<Entry>()) {
        width += legendLine + legendGap + fontMetrics().horizontalAdvance(entry.words);
    }
    return width + legendLeft > rect().width();
}

void HookCurves::paintLegend(QPainter& painter) const {
    const bool isTall = isLegendTall();
    double x = legendLeft;
    double middle = legendHeight / 2;
    for (const Entry& entry : entries()) {
        const double width = painter.fontMetrics().horizontalAdvance(entry.words) + 2;
        painter.setPen(entry.pen);
        painter.drawLine(QPointF(x, middle), QPointF(x + legendLine, middle));
        painter.setPen(m_theme.theme().text);
        painter.drawText(QRectF(x + legendLine + 6, middle - legendHeight / 2, width, legendHeight),
                         Qt::AlignVCenter | Qt::AlignLeft, entry.words);
        if (isTall) {
            middle += legendLineHeight;
        } else {
            x += legendLine + legendGap + width;
        }
    }
}

/// Where the forward ends.
void HookCurves::paintHalves(QPainter& painter) const {
    const Theme& theme = m_theme.theme();
    const QRectF area = plot();
    const double share = static_cast<double>(with()->forwardEnd) / static_cast<double>(with()->bytes.size());
    const double x = std::round(area.left() + share * area.width()) + 0.5;
    painter.setPen(QPen(theme.dimText, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(theme.dimText);
    const auto label = [&](double from, double to, const QString& words) {
        if (painter.fontMetrics().horizontalAdvance(words) < to - from - 4) {
            painter.drawText(QRectF(from, area.bottom() + 3, to - from, 16), Qt::AlignCenter, words);
        }
    };
    label(area.left(), x, tr("forward"));
    label(x, area.right(), tr("backward"));
}

void HookCurves::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = m_theme.theme();
    painter.fillRect(rect(), theme.background);
    const QRectF area = plot();
    if (with() == nullptr || with()->bytes.empty() || area.width() < 16 || area.height() < 16) {
        return;
    }
    painter.setFont(font());
    ByteAxis axis;
    axis.high = with()->peak.bytes;
    if (before()) {
        axis.high = std::max(axis.high, before()->peak.bytes);
    }
    axis.high = std::max<std::int64_t>(1, std::llround(static_cast<double>(axis.high) * curveHeadroom));
    paintByteAxis(painter, theme, area, axis);
    paintHalves(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto draw = [&](const memory::MemoryProfile& profile, const QPen& pen) {
        QPainterPath path;
        double x = area.left();
        for (const std::int64_t bytes : columnsOf(profile)) {
            const QPointF point(x, axis.y(area, static_cast<double>(bytes)));
            x == area.left() ? path.moveTo(point) : path.lineTo(point);
            x += 1;
        }
        painter.strokePath(path, pen);
    };
    draw(*with(), penWith(theme));
    if (before()) {
        draw(*before(), penBefore(theme));
    }
    paintLegend(painter);
    if (m_x >= area.left() && m_x <= area.right()) {
        painter.setPen(theme.accent);
        painter.drawLine(QPointF(m_x, area.top()), QPointF(m_x, area.bottom()));
    }
}

} // namespace aotscope::views
