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

/// A read-only view of a text of any size whose lines are already known. Only visible lines are converted,
/// coloured and painted. Has line numbers, a current line, selection, copy, search, and marked lines.
class CodeView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit CodeView(const ThemeSource* theme, QWidget* parent = nullptr);
    ~CodeView() override;

    void setText(base::TextLinesPtr lines, CodeLanguage language);
    /// For short texts.
    void setText(const QString& text, CodeLanguage language);
    [[nodiscard]] const base::TextLinesPtr& lines() const { return m_lines; }
    /// Where a text mixes languages: that of each line. Holds until the next text.
    void setLanguages(std::function<CodeLanguage(int line)> languageOf);
    /// The whole text; only for short ones.
    [[nodiscard]] QString text() const;
    [[nodiscard]] int lineCount() const;
    [[nodiscard]] QString line(int number) const;

    /// Line and column, counted from 0; the column in UTF-16 units.
    struct Position {
        int line = 0;
        int column = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): the comparison's own zero.
        friend auto operator<=>(const Position&, const Position&) = default;
    };
    /// The two ends of the selection: where it began, and where the cursor is.
    [[nodiscard]] Position anchor() const { return m_anchor; }
    [[nodiscard]] Position cursor() const { return m_cursor; }
    /// Makes the cursor's line current and scrolls to it.
    void select(Position anchor, Position cursor);
    /// Position at a point of the viewport.
    [[nodiscard]] Position positionAt(QPoint point) const;
    [[nodiscard]] QRect characterRect(Position position) const;

    /// Counted from 0; -1: none. Scrolls only if the line is not visible.
    void setCurrentLine(int line);
    [[nodiscard]] int currentLine() const { return m_currentLine; }
    void setHoveredLine(int line);
    /// Lines related to the current one (inputs and users), lightly shaded.
    void setRelatedLines(std::vector<int> lines);
    /// Shows an error message at a line.
    void setMark(int line, const QString& message);
    /// Lets a person mark lines by clicking in the margin; `tip` explains it. Empty: no margin.
    void setMarginTip(const QString& tip);
    /// Restricts which lines can be marked; by default all.
    void setMarkable(std::function<bool(int line)> markable) { m_markable = std::move(markable); }
    /// Lines with a dot in the margin.
    void setDots(std::vector<int> lines);
    [[nodiscard]] const std::vector<int>& dots() const { return m_dots; }
    void scrollToLine(int line);

    /// In bytes; the whole text may be selected.
    [[nodiscard]] std::size_t selectedSize() const;
    [[nodiscard]] QString selectedText() const;
    /// A long selection reaches the clipboard later.
    void copy();
    void selectAll();
    /// Selects the next match (with `backwards` the previous one) after the selection, wrapping around, and
    /// emits `found`, for a short text before it returns. Cancels a search in progress.
    void find(const QRegularExpression& pattern, bool backwards = false);
    void stopFinding();
    /// 0 to 1 while a search runs; nothing otherwise.
    [[nodiscard]] std::optional<double> findingProgress() const;

Q_SIGNALS:
    void found(bool any);
    /// A person moved to another line with mouse or key.
    void lineChosen(int line);
    void lineHovered(int line);
    /// A click in the margin at a line.
    void marginClicked(int line);
    void findRequested();
    /// Emitted before the context menu of a line opens; receivers may add to it.
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
        /// Column of its first character.
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
    std::function<CodeLanguage(int)> m_languageOf;
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
