// Painting and input of CodeView.
#include "common/code_view.h"
#include "common/plain_words.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace aotscope::views {

namespace {
/// Longer lines (JSON on one line) are painted without colours.
constexpr qsizetype longestColouredLine = 20'000;
} // namespace

void CodeView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const Theme& theme = m_theme->theme();
    painter.fillRect(event->rect(), theme.panel);
    if (m_lines->text().empty()) {
        return;
    }
    painter.setFont(font());
    const int first = verticalScrollBar()->value() + event->rect().top() / m_lineHeight;
    const int last =
        std::min(lineCount() - 1, verticalScrollBar()->value() + event->rect().bottom() / m_lineHeight);
    for (int number = first; number <= last; ++number) {
        paintLine(painter, number, (number - verticalScrollBar()->value()) * m_lineHeight);
    }
}

void CodeView::paintLine(QPainter& painter, int number, int top) const {
    const Theme& theme = m_theme->theme();
    const QRect row(0, top, viewport()->width(), m_lineHeight);
    const auto mark = m_marks.find(number);
    if (number == m_currentLine) {
        painter.fillRect(row, theme.selection);
    } else if (number == m_hoveredLine) {
        painter.fillRect(row, theme.hover);
    } else if (std::binary_search(m_relatedLines.begin(), m_relatedLines.end(), number)) {
        painter.fillRect(row, theme.raised);
        painter.fillRect(QRect(0, top, 2, m_lineHeight), theme.accent);
    }
    const int gutter = gutterWidth();
    const int left = gutter - static_cast<int>(horizontalScrollBar()->value() * m_charWidth);
    painter.save();
    painter.setClipRect(QRect(gutter - 4, top, viewport()->width(), m_lineHeight), Qt::IntersectClip);
    paintSelection(painter, number, top, left);
    paintTokens(painter, number, top, left);
    painter.restore();
    paintDot(painter, number, top);
    painter.setPen(mark != m_marks.end() ? theme.bad : theme.dimText);
    const QString label =
        (mark != m_marks.end() ? QStringLiteral("● ") : QString()) + QString::number(number + 1);
    painter.drawText(QRect(marginWidth(), top, gutter - 12 - marginWidth(), m_lineHeight),
                     Qt::AlignRight | Qt::AlignVCenter, label);
    if (mark != m_marks.end()) {
        const QString message = mark->second.section(QLatin1Char('\n'), 0, 0);
        const int wanted = painter.fontMetrics().horizontalAdvance(message) + 16;
        const int textEnd = left + static_cast<int>(static_cast<qreal>(lengthOf(number) + 2) * m_charWidth);
        // The message follows the line's text and may cover at most half of the width; its tooltip has all of
        // it.
        const int middle = (gutter + viewport()->width()) / 2;
        const int start = std::clamp(textEnd, gutter, std::max(middle, viewport()->width() - wanted));
        const QRect box(start, top, std::min(wanted, viewport()->width() - start), m_lineHeight);
        const QRect room = box.adjusted(8, 0, -8, 0);
        painter.fillRect(box, theme.raised);
        painter.setPen(theme.bad);
        painter.drawText(room, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(message, Qt::ElideRight, room.width()));
    }
}

/// A dot for a marked line, an empty ring where the pointer could set one.
void CodeView::paintDot(QPainter& painter, int number, int top) const {
    const bool isSet = std::binary_search(m_dots.begin(), m_dots.end(), number);
    if (!isSet && (m_marginTip.isEmpty() || number != m_marginHover)) {
        return;
    }
    const Theme& theme = m_theme->theme();
    const qreal size = m_lineHeight * 0.55;
    const qreal edge = (m_lineHeight - size) / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isSet ? theme.bad : theme.dimText, 1.4));
    painter.setBrush(isSet ? QBrush(theme.bad) : QBrush(Qt::NoBrush));
    painter.drawEllipse(QRectF(edge, top + edge, size, size));
    painter.restore();
}

void CodeView::paintSelection(QPainter& painter, int number, int top, int left) const {
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    if (first == last || number < first.line || number > last.line) {
        return;
    }
    const qsizetype length = lengthOf(number);
    const qsizetype from = number == first.line ? first.column : 0;
    const qsizetype to = number == last.line ? last.column : length + 1;
    QColor shade = m_theme->theme().accent;
    shade.setAlpha(80);
    painter.fillRect(QRectF(left + static_cast<qreal>(from) * m_charWidth, top,
                            static_cast<qreal>(to - from) * m_charWidth, m_lineHeight),
                     shade);
}

void CodeView::paintTokens(QPainter& painter, int number, int top, int left) const {
    const Theme& theme = m_theme->theme();
    const auto firstColumn = static_cast<qsizetype>(horizontalScrollBar()->value());
    const auto endColumn = firstColumn + static_cast<qsizetype>(viewport()->width() / m_charWidth) + 2;
    const bool isColoured = lengthOf(number) <= longestColouredLine;
    // Only the visible part of a very long line is drawn.
    const LinePart shown = isColoured ? LinePart{line(number), 0} : partOf(number, firstColumn, endColumn);
    const auto draw = [&](qsizetype from, qsizetype to, TokenKind kind) {
        from = std::max(from, firstColumn - shown.column);
        to = std::min({to, endColumn - shown.column, shown.words.size()});
        if (from < to) {
            painter.setPen(tokenColor(kind, theme));
            painter.drawText(
                QPointF(left + static_cast<qreal>(shown.column + from) * m_charWidth, top + m_ascent),
                shown.words.sliced(from, to - from));
        }
    };
    qsizetype at = 0;
    if (isColoured) {
        for (const CodeToken& token :
             highlightLine(shown.words, m_languageOf ? m_languageOf(number) : m_language)) {
            draw(at, token.start, TokenKind::Plain);
            draw(token.start, token.start + token.length, token.kind);
            at = token.start + token.length;
        }
    }
    draw(at, shown.words.size(), TokenKind::Plain);
}

CodeView::LinePart CodeView::partOf(int line, qsizetype from, qsizetype to) const {
    const auto number = static_cast<std::size_t>(line);
    // If a surrogate pair is cut, start before it.
    const std::size_t begin =
        m_lines->placeOf(m_lines->byteOf({number, static_cast<std::size_t>(std::max<qsizetype>(from, 0))}))
            .column;
    return {wordsOf(m_lines->part(number, begin, static_cast<std::size_t>(to))),
            static_cast<qsizetype>(begin)};
}

void CodeView::chooseLine(int number) {
    number = std::clamp(number, 0, lineCount() - 1);
    if (m_lines->text().empty()) {
        return;
    }
    setCurrentLine(number);
    Q_EMIT lineChosen(number);
}

void CodeView::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copy();
    } else if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
    } else if (event->matches(QKeySequence::Find)) {
        Q_EMIT findRequested();
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        const int step = event->key() == Qt::Key_Down ? 1 : -1;
        if (event->modifiers() & Qt::ShiftModifier) {
            m_cursor.line = std::clamp(m_cursor.line + step, 0, lineCount() - 1);
            m_cursor.column = std::min(m_cursor.column, lengthOf(m_cursor.line));
            viewport()->update();
        } else {
            chooseLine(m_currentLine + step);
        }
    } else if (event->key() == Qt::Key_PageDown) {
        chooseLine(m_currentLine + visibleLines());
    } else if (event->key() == Qt::Key_PageUp) {
        chooseLine(m_currentLine - visibleLines());
    } else if (event->key() == Qt::Key_Home) {
        chooseLine(0);
    } else if (event->key() == Qt::Key_End) {
        chooseLine(lineCount() - 1);
    } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        const int step = event->key() == Qt::Key_Left ? -8 : 8;
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() + step);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    event->accept();
}

void CodeView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_lines->text().empty()) {
        return;
    }
    const Position position = positionAt(event->pos());
    if (event->pos().x() < marginWidth()) {
        Q_EMIT marginClicked(position.line);
        return;
    }
    if (event->modifiers() & Qt::ShiftModifier) {
        m_cursor = position;
        viewport()->update();
        return;
    }
    chooseLine(position.line);
    m_anchor = m_cursor = position;
}

void CodeView::mouseMoveEvent(QMouseEvent* event) {
    if (m_lines->text().empty()) {
        return;
    }
    const Position position = positionAt(event->pos());
    if (event->buttons() & Qt::LeftButton) {
        m_cursor = position;
        if (event->pos().y() < 0 || event->pos().y() > viewport()->height()) {
            verticalScrollBar()->setValue(verticalScrollBar()->value() + (event->pos().y() < 0 ? -1 : 1));
        }
        viewport()->update();
        return;
    }
    const bool offers = event->pos().x() < marginWidth() && (!m_markable || m_markable(position.line));
    const int marginHover = offers ? position.line : -1;
    if (marginHover != m_marginHover) {
        m_marginHover = marginHover;
        viewport()->setCursor(marginHover < 0 ? Qt::IBeamCursor : Qt::PointingHandCursor);
        viewport()->update();
    }
    if (position.line != m_hoveredLine) {
        setHoveredLine(position.line);
        Q_EMIT lineHovered(position.line);
    }
}

void CodeView::mouseDoubleClickEvent(QMouseEvent* event) {
    const Position position = positionAt(event->pos());
    constexpr int longestWord = 1'000;
    const LinePart content =
        partOf(position.line, position.column - longestWord, position.column + longestWord);
    const auto isWord = [](QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); };
    qsizetype first = std::min(position.column - content.column, content.words.size());
    qsizetype last = first;
    while (first > 0 && isWord(content.words[first - 1])) {
        --first;
    }
    while (last < content.words.size() && isWord(content.words[last])) {
        ++last;
    }
    m_anchor = {position.line, static_cast<int>(content.column + first)};
    m_cursor = {position.line, static_cast<int>(content.column + last)};
    viewport()->update();
}

void CodeView::leaveEvent(QEvent* event) {
    QAbstractScrollArea::leaveEvent(event);
    m_marginHover = -1;
    setHoveredLine(-1);
    Q_EMIT lineHovered(-1);
}

void CodeView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void CodeView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void CodeView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy"), QKeySequence(QKeySequence::Copy), this, &CodeView::copy);
    menu.addAction(tr("Select all"), QKeySequence(QKeySequence::SelectAll), this, &CodeView::selectAll);
    menu.addAction(tr("Find…"), QKeySequence(QKeySequence::Find), this, &CodeView::findRequested);
    // A menu opened with the keyboard belongs to the cursor's line.
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const int number = byMouse ? positionAt(event->pos()).line : m_cursor.line;
    const QPoint below(gutterWidth(), (number + 1 - verticalScrollBar()->value()) * m_lineHeight);
    Q_EMIT menuOpening(&menu, number);
    menu.exec(byMouse ? event->globalPos() : viewport()->mapToGlobal(below));
}

bool CodeView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto mark = m_marks.find(positionAt(help->pos()).line);
        if (mark != m_marks.end()) {
            QToolTip::showText(help->globalPos(), plainToolTip(mark->second), this);
        } else if (m_marginHover >= 0) {
            QToolTip::showText(help->globalPos(), m_marginTip, this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace aotscope::views
