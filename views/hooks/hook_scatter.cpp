#include "hooks/hook_scatter.h"

#include "common/format.h"
#include "common/plain_words.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>

namespace aotscope::views {

namespace {

constexpr double above = 8;
constexpr double radius = 5;
/// Within this distance the pointer is on a point.
constexpr double reach = 9;
/// Beside the logarithmic axis, with and without a place for exact or infinite errors.
constexpr double edge = 62;
constexpr double narrowEdge = 16;
constexpr double headroom = 1.1;

ByteAxis axisOf(std::int64_t low, std::int64_t high) {
    const auto grown = [](std::int64_t bytes) { return std::llround(static_cast<double>(bytes) * headroom); };
    return {std::min<std::int64_t>(0, grown(low)), std::max<std::int64_t>(1, grown(high))};
}

} // namespace

HookScatter::HookScatter(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("hookScatter"));
    describePictures();
    setAccessibleName(tr("What each hook brings, over its error"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(180, 96);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void HookScatter::setCapsules(const std::vector<Capsule>& capsules) {
    m_points.clear();
    for (const Capsule& capsule : capsules) {
        if (capsule.worstGradient) {
            m_points.push_back({capsule.saved->name, text(capsule.hooked->hook), *capsule.worstGradient,
                                capsule.bytesSaved(), capsule.peakFall.value_or(0), capsule.isOlder});
        }
    }
    std::ranges::stable_sort(m_points, {}, &Point::error);
    m_hovered.reset();
    measureAxes();
    pictureChanged(this);
    update();
}

void HookScatter::setWords(const QString& words) {
    m_words = words;
    setAccessibleDescription(words);
    update();
}

void HookScatter::setGain(Gain gain) {
    m_gain = gain;
    measureAxes();
    update();
}

void HookScatter::setChosen(const std::string& saved) {
    if (m_chosen != saved) {
        m_chosen = saved;
        currentItemChanged(this);
        update();
    }
}

std::int64_t HookScatter::gainOf(const Point& point) const {
    return m_gain == Gain::BytesSaved ? point.bytesSaved : point.peakFall;
}

QRectF HookScatter::plot() const {
    return plotArea(QRectF(rect()), above);
}

HookScatter::Decades HookScatter::decades() const {
    double low = 1;
    double high = 0;
    for (const Point& point : m_points) {
        if (point.error > 0 && std::isfinite(point.error)) {
            low = std::min(low, point.error);
            high = std::max(high, point.error);
        }
    }
    if (high <= 0) {
        return {};
    }
    const int from = static_cast<int>(std::floor(std::log10(low)));
    return {from, std::max(from + 1, static_cast<int>(std::ceil(std::log10(high))))};
}

HookScatter::Edges HookScatter::edges() const {
    const auto any = [&](auto&& isIt) { return std::ranges::any_of(m_points, isIt, &Point::error); };
    return {any([](double error) { return error <= 0; }) ? edge : narrowEdge,
            any([](double error) { return !std::isfinite(error); }) ? edge : narrowEdge};
}

double HookScatter::xOf(double error) const {
    const QRectF area = plot();
    constexpr double place = 20;
    if (error <= 0) {
        return area.left() + place;
    }
    if (!std::isfinite(error)) {
        return area.right() - place;
    }
    const Decades& range = m_decades;
    const Edges& beside = m_edges;
    const double share = (std::log10(error) - range.from) / (range.to - range.from);
    return area.left() + beside.left + share * (area.width() - beside.left - beside.right);
}

void HookScatter::measureAxes() {
    m_decades = decades();
    m_edges = edges();
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const Point& point : m_points) {
        low = std::min(low, gainOf(point));
        high = std::max(high, gainOf(point));
    }
    m_bytes = axisOf(low, high);
}

QPointF HookScatter::placeOf(std::size_t point) const {
    const Point& at = m_points[point];
    return {xOf(at.error), m_bytes.y(plot(), static_cast<double>(gainOf(at)))};
}

QString HookScatter::itemName(int item) const {
    return text(m_points[static_cast<std::size_t>(item)].saved);
}

QString HookScatter::itemDescription(int item) const {
    const Point& point = m_points[static_cast<std::size_t>(item)];
    const QString peak = point.peakFall == 0  ? tr("the peak stays")
                         : point.peakFall > 0 ? tr("the peak falls by %1").arg(formatBytes(point.peakFall))
                                              : tr("the peak rises by %1").arg(formatBytes(-point.peakFall));
    return tr("%1 saves %2, relative error of the worst gradient %3, %4")
        .arg(point.hook, formatBytes(point.bytesSaved), formatNumber(point.error), peak);
}

QRect HookScatter::itemRect(int item) const {
    const QPointF place = placeOf(static_cast<std::size_t>(item));
    return QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius).toAlignedRect() & rect();
}

std::optional<int> HookScatter::itemAt(QPoint place) const {
    std::optional<int> nearest;
    double best = reach;
    for (int item = 0; item < itemCount(); ++item) {
        const QPointF away = placeOf(static_cast<std::size_t>(item)) - QPointF(place);
        const double distance = std::hypot(away.x(), away.y());
        if (distance <= best) {
            best = distance;
            nearest = item;
        }
    }
    return nearest;
}

std::optional<int> HookScatter::currentItem() const {
    const auto found = std::ranges::find(m_points, m_chosen, &Point::saved);
    return found == m_points.end() ? std::nullopt : std::optional(static_cast<int>(found - m_points.begin()));
}

void HookScatter::chooseItem(int item) {
    const std::string saved = m_points[static_cast<std::size_t>(item)].saved;
    setChosen(saved);
    Q_EMIT chosen(saved);
}

void HookScatter::hover(std::optional<int> point) {
    if (m_hovered != point) {
        m_hovered = point;
        setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
        update();
    }
}

bool HookScatter::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::optional<int> item = itemAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           item ? plainToolTip(itemName(*item) + QLatin1Char('\n') + itemDescription(*item))
                                : QString(),
                           this);
        return true;
    }
    return QWidget::event(event);
}

void HookScatter::mouseMoveEvent(QMouseEvent* event) {
    hover(itemAt(event->position().toPoint()));
}

void HookScatter::mousePressEvent(QMouseEvent* event) {
    const std::optional<int> item = itemAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && item) {
        chooseItem(*item);
    }
}

void HookScatter::leaveEvent(QEvent*) {
    hover(std::nullopt);
}

void HookScatter::keyPressEvent(QKeyEvent* event) {
    const int last = itemCount() - 1;
    if (last < 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const std::optional<int> now = currentItem();
    switch (event->key()) {
    case Qt::Key_Left:
        chooseItem(now ? std::max(*now - 1, 0) : last);
        break;
    case Qt::Key_Right:
        chooseItem(now ? std::min(*now + 1, last) : 0);
        break;
    case Qt::Key_Home:
        chooseItem(0);
        break;
    case Qt::Key_End:
        chooseItem(last);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

/// Powers of ten, with places for exact and infinite errors.
void HookScatter::paintErrorAxis(QPainter& painter) const {
    const Theme& theme = m_theme.theme();
    const QRectF area = plot();
    const Decades& range = m_decades;
    const auto label = [&](double x, const QString& words) {
        painter.setPen(theme.dimText);
        painter.drawText(QRectF(x - 30, area.bottom() + 3, 60, 16), Qt::AlignCenter, words);
    };
    const Edges& beside = m_edges;
    const double spacing = (area.width() - beside.left - beside.right) / (range.to - range.from);
    const int every = std::max(1, static_cast<int>(std::ceil(48 / std::max(1.0, spacing))));
    for (int power = range.from; power <= range.to; ++power) {
        const double x = std::round(xOf(std::pow(10, power))) + 0.5;
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        if ((power - range.from) % every == 0) {
            const bool isShort = std::abs(power) <= 3;
            label(x, isShort ? QString::number(std::pow(10, power)) : QStringLiteral("1e%1").arg(power));
        }
    }
    if (beside.left == edge) {
        label(xOf(0), tr("exact"));
    }
    if (beside.right == edge) {
        label(xOf(std::numeric_limits<double>::infinity()), QStringLiteral("∞"));
    }
}

void HookScatter::paintPoint(QPainter& painter, std::size_t point) const {
    const Theme& theme = m_theme.theme();
    const QPointF place = placeOf(point);
    QColor fill = theme.category(Category::Packed);
    // Hollow: measured before other hooks changed.
    painter.setBrush(m_points[point].isOlder ? QBrush(theme.panel) : QBrush(fill));
    painter.setPen(QPen(m_points[point].isOlder ? fill : theme.background, 1.2));
    painter.drawEllipse(place, radius, radius);
    const bool isHovered = m_hovered && static_cast<std::size_t>(*m_hovered) == point;
    if (m_points[point].saved == m_chosen || isHovered) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(isHovered ? theme.text : theme.accent, 2));
        painter.drawEllipse(place, radius + 3, radius + 3);
    }
}

void HookScatter::paintName(QPainter& painter, std::size_t point) const {
    const Theme& theme = m_theme.theme();
    const QPointF place = placeOf(point);
    const QString name = text(m_points[point].saved);
    const double width = painter.fontMetrics().horizontalAdvance(name) + 8;
    const double height = painter.fontMetrics().height() + 2;
    double left = place.x() + radius + 6;
    if (left + width > rect().right() - 4) {
        left = place.x() - radius - 6 - width;
    }
    const double top = std::clamp(place.y() - height / 2, above, plot().bottom() - height);
    const QRectF box(left, top, width, height);
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignCenter, name);
}

void HookScatter::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = m_theme.theme();
    painter.fillRect(rect(), theme.background);
    const QRectF area = plot();
    if (area.width() < 16 || area.height() < 16) {
        return;
    }
    if (m_points.empty()) {
        painter.setPen(theme.dimText);
        painter.drawText(QRectF(rect()).adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
                         m_words);
    } else {
        paintByteAxis(painter, theme, area, m_bytes);
        paintErrorAxis(painter);
        painter.setRenderHint(QPainter::Antialiasing);
        for (std::size_t point = 0; point < m_points.size(); ++point) {
            paintPoint(painter, point);
        }
        if (const std::optional<int> named = m_hovered ? m_hovered : currentItem()) {
            paintName(painter, static_cast<std::size_t>(*named));
        }
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace aotscope::views
