#include "steps/stack_canvas.h"

#include "common/format.h"
#include "common/plain_words.h"
#include "style/ink.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

constexpr int stackMargin = 8;
/// Between the border of a box and what it holds.
constexpr int stackInset = 8;
constexpr int stackGap = 4;
constexpr int stackPadding = 6;
constexpr int costWidth = 64;

} // namespace

StackCanvas::StackCanvas(const ThemeSource& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("stackCanvas"));
    describePictures();
    setAccessibleName(tr("Wrappers around the compiled graph, the outermost first"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&theme, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void StackCanvas::setLevels(std::vector<StackLevel> levels) {
    const bool isOther = levels.size() != m_levels.size();
    m_levels = std::move(levels);
    if (m_chosen && *m_chosen >= m_levels.size()) {
        m_chosen.reset();
    }
    if (m_standing && *m_standing >= m_levels.size()) {
        m_standing.reset();
    }
    layOut();
    if (isOther) {
        pictureChanged(this);
    }
    update();
}

void StackCanvas::layOut() {
    const int line = fontMetrics().height();
    m_places.clear();
    int top = stackMargin;
    int depth = 0;
    for (const StackLevel& level : m_levels) {
        const int height = isBox(level) ? 2 * line + 2 * stackPadding : line + stackPadding;
        m_places.push_back({top, height, depth});
        top += height + (isBox(level) ? stackGap : 0);
        depth += isBox(level) && level.step ? 1 : 0;
    }
    // The boxes close below the innermost one, one after the other.
    m_height = top + depth * stackInset / 2 + stackMargin;
    setMinimumHeight(m_height);
    updateGeometry();
}

QSize StackCanvas::sizeHint() const {
    return {300, m_height};
}

QSize StackCanvas::minimumSizeHint() const {
    return {180, m_height};
}

void StackCanvas::setChosen(std::optional<std::size_t> level) {
    if (level == m_chosen) {
        return;
    }
    m_chosen = level;
    currentItemChanged(this);
    update();
    if (level && *level < m_places.size()) {
        Q_EMIT revealed(headOf(*level));
    }
}

void StackCanvas::setStanding(std::optional<std::size_t> level) {
    if (level != m_standing) {
        m_standing = level;
        update();
    }
}

QRect StackCanvas::headOf(std::size_t level) const {
    const Place& place = m_places[level];
    const int left = stackMargin + place.depth * stackInset;
    return {left, place.top, std::max(1, width() - left - stackMargin - place.depth * stackInset / 2),
            place.height};
}

QString StackCanvas::itemName(int item) const {
    return m_levels[static_cast<std::size_t>(item)].name;
}

QString StackCanvas::itemDescription(int item) const {
    const StackLevel& level = m_levels[static_cast<std::size_t>(item)];
    QStringList parts;
    if (level.step) {
        parts.append(level.applies ? tr("applies: %1").arg(level.reason)
                                   : tr("does nothing: %1").arg(level.reason));
    } else {
        parts.append(level.reason);
    }
    if (level.nanoseconds) {
        parts.append(tr("%1 of its own in this call").arg(formatNanoseconds(*level.nanoseconds)));
    }
    if (m_standing == static_cast<std::size_t>(item)) {
        parts.append(tr("the current point is here"));
    }
    if (level.isBreakpoint) {
        parts.append(tr("calls pause here"));
    }
    return parts.join(QStringLiteral(", "));
}

QRect StackCanvas::itemRect(int item) const {
    return headOf(static_cast<std::size_t>(item)).intersected(rect());
}

std::optional<int> StackCanvas::itemAt(QPoint place) const {
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        if (headOf(level).contains(place)) {
            return static_cast<int>(level);
        }
    }
    return std::nullopt;
}

std::optional<int> StackCanvas::currentItem() const {
    return m_chosen ? std::optional(static_cast<int>(*m_chosen)) : std::nullopt;
}

void StackCanvas::chooseItem(int item) {
    pick(static_cast<std::size_t>(item));
}

void StackCanvas::pick(std::size_t level) {
    setChosen(level);
    Q_EMIT picked(level);
}

bool StackCanvas::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::optional<int> item = itemAt(help->pos());
        QToolTip::showText(help->globalPos(),
                           item ? plainToolTip(itemName(*item) + QLatin1Char('\n') + itemDescription(*item))
                                : QString(),
                           this);
        return true;
    }
    if (event->type() == QEvent::FontChange) {
        layOut();
    }
    return QWidget::event(event);
}

void StackCanvas::mousePressEvent(QMouseEvent* event) {
    const std::optional<int> item = itemAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && item) {
        chooseItem(*item);
    }
}

void StackCanvas::keyPressEvent(QKeyEvent* event) {
    if (m_levels.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const std::size_t last = m_levels.size() - 1;
    switch (event->key()) {
    case Qt::Key_Up:
        pick(m_chosen ? *m_chosen - std::min<std::size_t>(*m_chosen, 1) : last);
        break;
    case Qt::Key_Down:
        pick(m_chosen ? std::min(*m_chosen + 1, last) : 0);
        break;
    case Qt::Key_Home:
        pick(0);
        break;
    case Qt::Key_End:
        pick(last);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

/// The boxes of the wrappers that apply, each with all inside it.
void StackCanvas::paintFrames(QPainter& painter) const {
    const Theme& theme = m_theme.theme();
    int closing = m_height - stackMargin;
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        if (!isBox(m_levels[level])) {
            continue;
        }
        QRect box = headOf(level);
        if (m_levels[level].step) {
            box.setBottom(closing);
            closing -= stackInset / 2;
        }
        const bool isChosen = m_chosen == level;
        const QColor fill = m_levels[level].step
                                ? (m_places[level].depth % 2 == 0 ? theme.raised : theme.panel)
                                : theme.background;
        paintBox(painter, QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), fill,
                 isChosen ? theme.accent : theme.line);
        if (isChosen) {
            paintBox(painter, QRectF(box).adjusted(1.5, 1.5, -1.5, -1.5), {}, theme.accent, 3);
        }
    }
}

void StackCanvas::paintCost(QPainter& painter, const StackLevel& level, const QRect& head) const {
    if (!level.nanoseconds) {
        return;
    }
    std::int64_t longest = 1;
    for (const StackLevel& each : m_levels) {
        longest = std::max(longest, each.nanoseconds.value_or(0));
    }
    const Theme& theme = m_theme.theme();
    painter.setFont(codeFont());
    painter.setPen(theme.text);
    const QRect line(head.right() - costWidth - stackPadding, head.top() + stackPadding, costWidth,
                     fontMetrics().height());
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, formatNanoseconds(*level.nanoseconds));
    const double share = double(*level.nanoseconds) / double(longest);
    const int length = std::max(2, static_cast<int>(share * costWidth));
    const QRect bar(line.right() - length + 1, line.bottom() + 4, length, 4);
    painter.fillRect(bar, theme.category(Category::Saved));
    painter.setFont(font());
}

void StackCanvas::paintLevel(QPainter& painter, std::size_t number) const {
    const Theme& theme = m_theme.theme();
    const StackLevel& level = m_levels[number];
    const QRect head = headOf(number);
    const int line = fontMetrics().height();
    const bool isChosen = m_chosen == number;
    QRect row = head.adjusted(stackPadding, 0, -stackPadding, 0);
    if (!isBox(level)) {
        if (isChosen) {
            paintBox(painter, QRectF(head).adjusted(0.5, 0.5, -0.5, -0.5), theme.selection, theme.accent);
        }
        painter.setPen(theme.dimText);
        const QString name = QStringLiteral("–  ") + level.name;
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, name);
        row.setLeft(row.left() + painter.fontMetrics().horizontalAdvance(name) + 8);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(level.reason, Qt::ElideRight, row.width()));
        return;
    }
    QRect first(row.left(), head.top() + stackPadding, row.width() - costWidth - 8, line);
    if (m_standing == number) {
        painter.setPen(theme.accent);
        painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("▶"));
        first.setLeft(first.left() + 16);
    }
    if (level.isBreakpoint) {
        painter.setPen(theme.bad);
        painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("●"));
        first.setLeft(first.left() + 14);
    }
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(level.name, Qt::ElideRight, first.width()));
    painter.setFont(font());
    painter.setPen(theme.dimText);
    const int reserved = level.nanoseconds ? costWidth + 8 : 0;
    const QRect second(row.left(), first.bottom() + 1, row.width() - reserved, line);
    painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(level.reason, Qt::ElideRight, second.width()));
    paintCost(painter, level, head);
}

void StackCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.theme().panel);
    paintFrames(painter);
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        paintLevel(painter, level);
    }
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(m_theme.theme().accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

} // namespace aotscope::views
