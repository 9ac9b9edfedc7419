#pragma once

#include "common/code_highlighter.h"

#include <QAbstractScrollArea>

#include <functional>
#include <map>
#include <vector>

class QMenu;
class QRegularExpression;

namespace aotscope::views {

class ThemeSource;

/// A read-only text of any size: lines are found once, and only what is on the screen is coloured and
/// painted. Line numbers, a current line, selection, copy, search, and marks on lines.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit CodeView(const ThemeSource* theme, QWidget* parent = nullptr);

    void setText(const QString& text, CodeLanguage language);
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] int lineCount() const { return static_cast<int>(m_lineStarts.size()); }
    [[nodiscard]] QStringView line(int number) const;

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

    [[nodiscard]] QString selectedText() const;
    void copy() const;
    void selectAll();
    /// Selects the next match after the selection (before it when `backwards`), around the end; false: none.
    bool find(const QRegularExpression& pattern, bool backwards = false);

Q_SIGNALS:
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
    struct Position {
        int line = 0;
        int column = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): the comparison's own zero.
        friend auto operator<=>(const Position&, const Position&) = default;
    };

    [[nodiscard]] Position positionAt(QPoint point) const;
    [[nodiscard]] int gutterWidth() const;
    [[nodiscard]] int marginWidth() const;
    void paintDot(QPainter& painter, int number, int top) const;
    [[nodiscard]] int visibleLines() const;
    [[nodiscard]] qsizetype offsetOf(Position position) const;
    [[nodiscard]] Position positionOf(qsizetype offset) const;
    void measure();
    void updateScrollBars();
    void chooseLine(int line);
    void paintLine(QPainter& painter, int number, int top) const;
    void paintSelection(QPainter& painter, int number, int top, int left) const;
    void paintTokens(QPainter& painter, int number, int top, int left) const;

    const ThemeSource* m_theme;
    QString m_text;
    CodeLanguage m_language = CodeLanguage::Plain;
    std::vector<qsizetype> m_lineStarts;
    qsizetype m_longestLine = 0;
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
