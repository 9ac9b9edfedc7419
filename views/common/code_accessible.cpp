#include "common/code_accessible.h"

#include "common/code_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <algorithm>
#include <utility>
#include <vector>

namespace aotscope::views {

namespace {

/// Texts up to this many lines are exposed whole; of longer ones this many before and after the current line.
constexpr int mostLines = 5'000;
constexpr int linesAround = 200;
/// In bytes.
constexpr std::size_t mostOfALine = 65'536;

class CodeInterface : public QAccessibleWidget, public QAccessibleTextInterface {
public:
    explicit CodeInterface(CodeView* view)
        : QAccessibleWidget(view, QAccessible::EditableText), m_view(view) {}

    void* interface_cast(QAccessible::InterfaceType kind) override {
        return kind == QAccessible::TextInterface ? static_cast<QAccessibleTextInterface*>(this)
                                                  : QAccessibleWidget::interface_cast(kind);
    }
    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = true;
        state.multiLine = true;
        state.selectableText = true;
        state.focusable = true;
        state.focused = m_view->hasFocus();
        return state;
    }
    [[nodiscard]] QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Value ? words() : QAccessibleWidget::text(kind);
    }

    void selection(int index, int* start, int* end) const override {
        const CodeView::Position anchor = m_view->anchor();
        const CodeView::Position cursor = m_view->cursor();
        const auto [from, to] = std::minmax(anchor, cursor);
        *start = index == 0 ? offsetOf(from) : 0;
        *end = index == 0 ? offsetOf(to) : 0;
    }
    [[nodiscard]] int selectionCount() const override { return m_view->anchor() == m_view->cursor() ? 0 : 1; }
    void addSelection(int start, int end) override { setSelection(0, start, end); }
    void removeSelection(int) override { m_view->select(m_view->cursor(), m_view->cursor()); }
    void setSelection(int, int start, int end) override {
        m_view->select(positionOf(start), positionOf(end));
    }

    [[nodiscard]] int cursorPosition() const override { return offsetOf(m_view->cursor()); }
    void setCursorPosition(int offset) override { m_view->select(positionOf(offset), positionOf(offset)); }
    [[nodiscard]] int characterCount() const override { return static_cast<int>(words().size()); }
    [[nodiscard]] QString text(int start, int end) const override {
        return words().mid(start, std::max(0, end - start));
    }
    [[nodiscard]] QRect characterRect(int offset) const override {
        const QRect inView = m_view->characterRect(positionOf(offset));
        return {m_view->viewport()->mapToGlobal(inView.topLeft()), inView.size()};
    }
    [[nodiscard]] int offsetAtPoint(const QPoint& point) const override {
        return offsetOf(m_view->positionAt(m_view->viewport()->mapFromGlobal(point)));
    }
    void scrollToSubstring(int start, int) override { m_view->scrollToLine(positionOf(start).line); }
    [[nodiscard]] QString attributes(int, int* start, int* end) const override {
        *start = 0;
        *end = characterCount();
        return {};
    }

private:
    /// Collects the exposed lines and their offsets.
    void refresh() const {
        const int lines = m_view->lineCount();
        const int current = std::max(0, m_view->cursor().line);
        const bool isWhole = lines <= mostLines;
        const bool isInside =
            isWhole || (current >= m_first && current < m_first + static_cast<int>(m_starts.size()));
        if (m_lines == m_view->lines() && isInside) {
            return;
        }
        m_lines = m_view->lines();
        m_first = isWhole ? 0 : std::max(0, current - linesAround);
        const int last = isWhole ? lines : std::min(lines, current + linesAround + 1);
        m_words.clear();
        m_starts.clear();
        for (int line = m_first; line < last; ++line) {
            m_starts.push_back(static_cast<int>(m_words.size()));
            const std::string_view bytes = m_lines->line(static_cast<std::size_t>(line));
            m_words += wordsOf(bytes.substr(0, mostOfALine));
            m_words += QLatin1Char('\n');
        }
    }
    [[nodiscard]] const QString& words() const {
        refresh();
        return m_words;
    }
    [[nodiscard]] int offsetOf(CodeView::Position position) const {
        refresh();
        if (m_starts.empty() || position.line < m_first) {
            return 0;
        }
        const auto line = static_cast<std::size_t>(position.line - m_first);
        return line < m_starts.size() ? m_starts[line] + position.column : static_cast<int>(m_words.size());
    }
    [[nodiscard]] CodeView::Position positionOf(int offset) const {
        refresh();
        const auto past = std::ranges::upper_bound(m_starts, std::max(0, offset));
        if (past == m_starts.begin()) {
            return {};
        }
        const auto line = static_cast<int>(past - m_starts.begin()) - 1;
        return {m_first + line, offset - m_starts[static_cast<std::size_t>(line)]};
    }

    CodeView* m_view;
    mutable base::TextLinesPtr m_lines;
    mutable int m_first = 0;
    mutable QString m_words;
    mutable std::vector<int> m_starts;
};

QAccessibleInterface* makeCodeInterface(const QString&, QObject* object) {
    auto* const view = qobject_cast<CodeView*>(object);
    return view != nullptr ? new CodeInterface(view) : nullptr;
}

} // namespace

void describeCode() {
    // Qt registers a factory only once, however often it is installed.
    QAccessible::installFactory(makeCodeInterface);
}

void codeCursorMoved(CodeView* view) {
    if (!QAccessible::isActive()) {
        return;
    }
    QAccessibleInterface* const found = QAccessible::queryAccessibleInterface(view);
    if (const QAccessibleTextInterface* text = found ? found->textInterface() : nullptr) {
        QAccessibleTextCursorEvent moved(view, text->cursorPosition());
        QAccessible::updateAccessibility(&moved);
    }
}

} // namespace aotscope::views
