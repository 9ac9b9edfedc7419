#pragma once

#include "common/code_highlighter.h"
#include "common/code_text.h"

#include <QAbstractScrollArea>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

class QMenu;

namespace aotscope::views {

class ThemeSource;

/// A read-only text of any size, whose lines are found beforehand: only what is on the screen is turned into
/// words, coloured and painted. Line numbers, a current line, selection, copy, search, and marks on lines.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit CodeView(const ThemeSource* theme, QWidget* parent = nullptr);
    ~CodeView() override;

    void setText(base::TextLinesPtr lines, CodeLanguage language);
    /// Of a text that is known to be short.
    void setText(const QString& text, CodeLanguage language);
    [[nodiscard]] const base::TextLinesPtr& lines() const { return m_lines; }
    /// All of it, at once: for short ones.
    [[nodiscard]] QString text() const;
    [[nodiscard]] int lineCount() const;
    [[nodiscard]] QString line(int number) const;

    /// A place in the text, both from 0; the column in UTF-16 units.
    struct Position {
        int line = 0;
        int column = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): the comparison's own zero.
        friend auto operator<=>(const Position&, const Position&) = default;
    };
    /// Where what is selected begins, and where it ends and the keyboard goes on.
    [[nodiscard]] Position anchor() const { return m_anchor; }
    [[nodiscard]] Position cursor() const { return m_cursor; }
    /// The line the cursor is in becomes the current one, and is in sight.
    void select(Position anchor, Position cursor);
    /// In the viewport.
    [[nodiscard]] Position positionAt(QPoint point) const;
    [[nodiscard]] QRect characterRect(Position position) const;

    /// 0-based; -1: none. Scrolls only when the line is not in sight.
    void setCurrentLine(int line);
    [[nodiscard]] int currentLine() const { return m_currentLine; }
    void setHoveredLine(int line);
    /// Lines of a second rank (inputs and users of the current one), lightly shaded.
    void setRelatedLines(std::vector<int> lines);
    /// Shows `message` at a line in the colour of failures.
    void setMark(int line, const QString& message);
    void clearMarks();
    /// Lets a person mark lines in the margin; `tip` says what a click there does. Empty: no margin.
    void setMarginTip(const QString& tip);
    /// Which lines can be marked; without it all.
    void setMarkable(std::function<bool(int line)> markable) { m_markable = std::move(markable); }
    /// Lines with a dot in the margin.
    void setDots(std::vector<int> lines);
    [[nodiscard]] const std::vector<int>& dots() const { return m_dots; }
    void scrollToLine(int line);

    /// In bytes: all of it may be selected.
    [[nodiscard]] std::size_t selectedSize() const;
    [[nodiscard]] QString selectedText() const;
    /// Of much text the clipboard gets it a moment later.
    void copy();
    void selectAll();
    /// Selects the next match after the selection (before it when `backwards`), around the end, and tells of
    /// it by `found`: at once in a short text. A search that still goes on is given up.
    void find(const QRegularExpression& pattern, bool backwards = false);
    void stopFinding();
    /// From 0 to 1 while a search goes on.
    [[nodiscard]] std::optional<double> findingProgress() const;

Q_SIGNALS:
    void found(bool any);
    /// A person moved to another line by mouse or key.
    void lineChosen(int line);
    void lineHovered(int line);
    /// A click in the margin beside a line.
    void marginClicked(int line);
    void findRequested();
    /// Before the context menu opens over a line: others may add to it.
    void menuOpening(QMenu* menu, int line);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    [[nodiscard]] bool viewportEvent(QEvent* event) override;

private:
    struct LinePart {
        QString words;
        /// Where it begins.
        qsizetype column = 0;
    };

    [[nodiscard]] LinePart partOf(int line, qsizetype from, qsizetype to) const;
    [[nodiscard]] int gutterWidth() const;
    [[nodiscard]] int marginWidth() const;
    void paintDot(QPainter& painter, int number, int top) const;
    [[nodiscard]] int visibleLines() const;
    [[nodiscard]] int lengthOf(int line) const;
    [[nodiscard]] std::size_t byteOf(Position position) const;
    [[nodiscard]] Position positionOf(std::size_t byte) const;
    [[nodiscard]] std::string_view selectedBytes() const;
    void selectMatch(const std::optional<TextMatch>& match);
    void measure();
    void updateScrollBars();
    void chooseLine(int line);
    void paintLine(QPainter& painter, int number, int top) const;
    void paintSelection(QPainter& painter, int number, int top, int left) const;
    void paintTokens(QPainter& painter, int number, int top, int left) const;

    const ThemeSource* m_theme;
    /// Never null.
    base::TextLinesPtr m_lines;
    CodeLanguage m_language = CodeLanguage::Plain;
    std::shared_ptr<TextSearch> m_search;
    int m_currentLine = -1;
    int m_hoveredLine = -1;
    std::vector<int> m_relatedLines;
    std::map<int, QString> m_marks;
    QString m_marginTip;
    std::function<bool(int)> m_markable;
    int m_marginHover = -1;
    std::vector<int> m_dots;
    Position m_anchor;
    Position m_cursor;
    int m_lineHeight = 16;
    qreal m_charWidth = 8;
    int m_ascent = 12;
};

} // namespace aotscope::views
