#include "common/code_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace aotscope::views {

CodeView::CodeView(const ThemeSource* theme, QWidget* parent) : QAbstractScrollArea(parent), m_theme(theme) {
    setFont(codeFont());
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    connect(theme, &ThemeSource::changed, viewport(), qOverload<>(&QWidget::update));
    measure();
    setText({}, CodeLanguage::Plain);
}

void CodeView::setText(const QString& text, CodeLanguage language) {
    m_text = text;
    m_language = language;
    m_lineStarts.assign(1, 0);
    m_longestLine = 0;
    for (qsizetype at = 0; (at = m_text.indexOf(QLatin1Char('\n'), at)) >= 0;) {
        m_longestLine = std::max(m_longestLine, at - m_lineStarts.back());
        m_lineStarts.push_back(++at);
    }
    m_longestLine = std::max(m_longestLine, m_text.size() - m_lineStarts.back());
    if (m_lineStarts.size() > 1 && m_lineStarts.back() == m_text.size()) {
        m_lineStarts.pop_back(); // A line feed at the end begins no line.
    }
    m_currentLine = -1;
    m_hoveredLine = -1;
    m_relatedLines.clear();
    m_marks.clear();
    m_dots.clear();
    m_anchor = m_cursor = {};
    updateScrollBars();
    verticalScrollBar()->setValue(0);
    horizontalScrollBar()->setValue(0);
    viewport()->update();
}

QStringView CodeView::line(int number) const {
    if (number < 0 || number >= lineCount()) {
        return {};
    }
    const qsizetype start = m_lineStarts[static_cast<std::size_t>(number)];
    const qsizetype next = m_text.indexOf(QLatin1Char('\n'), start);
    return QStringView(m_text).sliced(start, (next < 0 ? m_text.size() : next) - start);
}

void CodeView::setCurrentLine(int line) {
    m_currentLine = line;
    if (line >= 0) {
        m_anchor = m_cursor = {line, 0};
        const int first = verticalScrollBar()->value();
        if (line < first || line >= first + visibleLines() - 1) {
            scrollToLine(line);
        }
    }
    viewport()->update();
}

void CodeView::scrollToLine(int line) {
    verticalScrollBar()->setValue(line - visibleLines() / 3);
}

void CodeView::setHoveredLine(int line) {
    if (line != m_hoveredLine) {
        m_hoveredLine = line;
        viewport()->update();
    }
}

void CodeView::setRelatedLines(std::vector<int> lines) {
    m_relatedLines = std::move(lines);
    std::sort(m_relatedLines.begin(), m_relatedLines.end());
    viewport()->update();
}

void CodeView::setMark(int line, const QString& message) {
    m_marks[line] = message;
    viewport()->update();
}

void CodeView::setMarginTip(const QString& tip) {
    m_marginTip = tip;
    updateScrollBars();
    viewport()->update();
}

void CodeView::setDots(std::vector<int> lines) {
    m_dots = std::move(lines);
    std::sort(m_dots.begin(), m_dots.end());
    viewport()->update();
}

void CodeView::clearMarks() {
    m_marks.clear();
    viewport()->update();
}

qsizetype CodeView::offsetOf(Position position) const {
    return m_lineStarts[static_cast<std::size_t>(position.line)] + position.column;
}

CodeView::Position CodeView::positionOf(qsizetype offset) const {
    const auto next = std::upper_bound(m_lineStarts.begin(), m_lineStarts.end(), offset);
    const int found = static_cast<int>(next - m_lineStarts.begin()) - 1;
    return {found, static_cast<int>(offset - m_lineStarts[static_cast<std::size_t>(found)])};
}

QString CodeView::selectedText() const {
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    return m_text.mid(offsetOf(first), offsetOf(last) - offsetOf(first));
}

void CodeView::copy() const {
    const QString selected = selectedText();
    if (!selected.isEmpty()) {
        QApplication::clipboard()->setText(selected);
    } else if (m_currentLine >= 0) {
        QApplication::clipboard()->setText(line(m_currentLine).toString());
    }
}

void CodeView::selectAll() {
    m_anchor = {};
    m_cursor = {lineCount() - 1, static_cast<int>(line(lineCount() - 1).size())};
    viewport()->update();
}

bool CodeView::find(const QRegularExpression& pattern, bool backwards) {
    if (!pattern.isValid() || pattern.pattern().isEmpty()) {
        return false;
    }
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    QRegularExpressionMatch match;
    qsizetype at = -1;
    if (backwards) {
        at = m_text.lastIndexOf(pattern, offsetOf(first) - 1, &match);
        if (at < 0 || offsetOf(first) == 0) {
            at = m_text.lastIndexOf(pattern, -1, &match);
        }
    } else {
        at = m_text.indexOf(pattern, offsetOf(last), &match);
        if (at < 0) {
            at = m_text.indexOf(pattern, 0, &match);
        }
    }
    if (at < 0) {
        return false;
    }
    m_anchor = positionOf(at);
    m_cursor = positionOf(at + match.capturedLength());
    const int firstShown = verticalScrollBar()->value();
    if (m_anchor.line < firstShown || m_anchor.line >= firstShown + visibleLines() - 1) {
        scrollToLine(m_anchor.line);
    }
    viewport()->update();
    return true;
}

void CodeView::measure() {
    const QFontMetricsF metrics(font());
    m_charWidth = metrics.horizontalAdvance(QLatin1Char('0'));
    m_lineHeight = static_cast<int>(std::ceil(metrics.height() * 1.2));
    m_ascent = static_cast<int>(std::ceil(metrics.ascent() + metrics.height() * 0.1));
}

int CodeView::gutterWidth() const {
    const auto digits = QString::number(lineCount()).size();
    return static_cast<int>(m_charWidth * static_cast<qreal>(std::max<qsizetype>(digits, 3))) + 24 +
           marginWidth();
}

int CodeView::marginWidth() const {
    return m_marginTip.isEmpty() ? 0 : m_lineHeight;
}

int CodeView::visibleLines() const {
    return std::max(1, viewport()->height() / m_lineHeight);
}

void CodeView::updateScrollBars() {
    verticalScrollBar()->setRange(0, std::max(0, lineCount() - visibleLines()));
    verticalScrollBar()->setPageStep(visibleLines());
    const qreal columns = (viewport()->width() - gutterWidth()) / m_charWidth;
    constexpr qsizetype widest = 1'000'000;
    const auto longest = static_cast<int>(std::min(m_longestLine, widest));
    horizontalScrollBar()->setRange(0, std::max(0, longest - static_cast<int>(columns) + 2));
    horizontalScrollBar()->setPageStep(std::max(1, static_cast<int>(columns)));
}

void CodeView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScrollBars();
}

void CodeView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        measure();
        updateScrollBars();
    }
}

CodeView::Position CodeView::positionAt(QPoint point) const {
    const int number =
        std::clamp(verticalScrollBar()->value() + point.y() / m_lineHeight, 0, lineCount() - 1);
    const qreal column = (point.x() - gutterWidth()) / m_charWidth + horizontalScrollBar()->value();
    return {number,
            std::clamp(static_cast<int>(std::lround(column)), 0, static_cast<int>(line(number).size()))};
}

} // namespace aotscope::views
