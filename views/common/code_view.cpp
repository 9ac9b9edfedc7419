#include "common/code_view.h"

#include "common/background.h"
#include "common/clipboard.h"
#include "common/code_accessible.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QRegularExpression>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace aotscope::views {

CodeView::CodeView(const ThemeSource* theme, QWidget* parent)
    : QAbstractScrollArea(parent), m_theme(theme), m_lines(linesOf({})) {
    setFont(codeFont());
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setMouseTracking(true);
    setFrameShape(QFrame::StyledPanel);
    describeCode();
    connect(theme, &ThemeSource::changed, viewport(), qOverload<>(&QWidget::update));
    measure();
    updateScrollBars();
}

CodeView::~CodeView() {
    stopFinding();
}

void CodeView::setText(const QString& text, CodeLanguage language) {
    setText(linesOf(text.toStdString()), language);
}

void CodeView::setText(base::TextLinesPtr lines, CodeLanguage language) {
    stopFinding();
    m_lines = std::move(lines);
    m_language = language;
    m_languageOf = nullptr;
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

QString CodeView::text() const {
    return wordsOf(m_lines->text());
}

int CodeView::lineCount() const {
    return static_cast<int>(std::min<std::size_t>(m_lines->count(), std::numeric_limits<int>::max()));
}

void CodeView::setLanguages(std::function<CodeLanguage(int line)> languageOf) {
    m_languageOf = std::move(languageOf);
    viewport()->update();
}

QString CodeView::line(int number) const {
    return number < 0 ? QString() : wordsOf(m_lines->line(static_cast<std::size_t>(number)));
}

int CodeView::lengthOf(int line) const {
    const std::size_t units = m_lines->unitsIn(static_cast<std::size_t>(line));
    return static_cast<int>(std::min<std::size_t>(units, std::numeric_limits<int>::max()));
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
    codeCursorMoved(this);
    viewport()->update();
}

void CodeView::select(Position anchor, Position cursor) {
    setCurrentLine(std::clamp(cursor.line, 0, lineCount() - 1));
    m_anchor = anchor;
    m_cursor = cursor;
    codeCursorMoved(this);
    viewport()->update();
}

QRect CodeView::characterRect(Position position) const {
    const auto left =
        gutterWidth() + static_cast<qreal>(position.column - horizontalScrollBar()->value()) * m_charWidth;
    const int top = (position.line - verticalScrollBar()->value()) * m_lineHeight;
    return {static_cast<int>(left), top, static_cast<int>(std::ceil(m_charWidth)), m_lineHeight};
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

std::size_t CodeView::byteOf(Position position) const {
    return m_lines->byteOf(
        {static_cast<std::size_t>(position.line), static_cast<std::size_t>(position.column)});
}

CodeView::Position CodeView::positionOf(std::size_t byte) const {
    const base::TextLines::Place place = m_lines->placeOf(byte);
    return {static_cast<int>(place.line), static_cast<int>(place.column)};
}

std::string_view CodeView::selectedBytes() const {
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    const std::size_t begin = byteOf(first);
    return m_lines->text().substr(begin, byteOf(last) - begin);
}

std::size_t CodeView::selectedSize() const {
    return selectedBytes().size();
}

QString CodeView::selectedText() const {
    return wordsOf(selectedBytes());
}

void CodeView::copy() {
    std::string_view wanted = selectedBytes();
    if (wanted.empty() && m_currentLine >= 0) {
        wanted = m_lines->line(static_cast<std::size_t>(m_currentLine));
    }
    if (!wanted.empty()) {
        copyToClipboard(this, {m_lines, m_lines->text().data()}, wanted);
    }
}

void CodeView::selectAll() {
    m_anchor = {};
    m_cursor = {lineCount() - 1, lengthOf(lineCount() - 1)};
    viewport()->update();
}

void CodeView::find(const QRegularExpression& pattern, bool backwards) {
    stopFinding();
    if (!pattern.isValid() || pattern.pattern().isEmpty()) {
        selectMatch(std::nullopt);
        return;
    }
    const auto [first, last] = std::minmax(m_anchor, m_cursor);
    const TextQuery query{pattern, byteOf(backwards ? first : last), backwards};
    const auto search = std::make_shared<TextSearch>();
    constexpr std::size_t shortText = 256U << 10U;
    if (m_lines->text().size() <= shortText) {
        selectMatch(findInText(m_lines->text(), query, *search));
        return;
    }
    m_search = search;
    runInBackground<std::optional<TextMatch>>(
        this, [lines = m_lines, query, search] { return findInText(lines->text(), query, *search); },
        [this, search](const std::optional<TextMatch>& match) {
            if (m_search == search) {
                m_search = nullptr;
                selectMatch(match);
            }
        });
}

void CodeView::stopFinding() {
    if (const auto search = std::exchange(m_search, nullptr)) {
        search->stop.request_stop();
    }
}

std::optional<double> CodeView::findingProgress() const {
    if (!m_search) {
        return std::nullopt;
    }
    return static_cast<double>(m_search->looked) / static_cast<double>(m_lines->text().size());
}

void CodeView::selectMatch(const std::optional<TextMatch>& match) {
    if (match) {
        m_anchor = positionOf(match->begin);
        m_cursor = positionOf(match->end);
        const int firstShown = verticalScrollBar()->value();
        if (m_anchor.line < firstShown || m_anchor.line >= firstShown + visibleLines() - 1) {
            scrollToLine(m_anchor.line);
        }
        viewport()->update();
    }
    Q_EMIT found(match.has_value());
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
    constexpr std::size_t widest = 1'000'000;
    const auto longest = static_cast<int>(std::min(m_lines->longest(), widest));
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
    return {number, std::clamp(static_cast<int>(std::lround(column)), 0, lengthOf(number))};
}

} // namespace aotscope::views
