#pragma once

#include "common/code_highlighter.h"

#include <QPlainTextEdit>

#include <map>

namespace aotscope::views {

class ThemeSource;

/// An editor for a short text: coloured, with line numbers and errors at their lines.
class CodeEdit : public QPlainTextEdit {
    Q_OBJECT

public:
    CodeEdit(const ThemeSource* theme, CodeLanguage language, QWidget* parent = nullptr);

    /// By line, counted from 1. Line 0 stands for the whole text.
    void setErrors(std::map<int, QString> errors);
    [[nodiscard]] const std::map<int, QString>& errors() const { return m_errors; }
    /// Lines that belong to what is selected elsewhere, counted from 1, lightly shaded.
    void setRelatedLines(std::vector<int> lines);
    [[nodiscard]] const std::vector<int>& relatedLines() const { return m_relatedLines; }
    /// Makes that line the cursor's and scrolls to it.
    void goToLine(int line);
    [[nodiscard]] QSize sizeHint() const override { return {300, 200}; }

Q_SIGNALS:
    /// The keyboard went elsewhere.
    void left();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    friend class CodeEditGutter;
    [[nodiscard]] int gutterWidth() const;
    void paintGutter(const QRect& part);
    void refreshGutter();
    void markLines();

    const ThemeSource* m_theme;
    QWidget* m_gutter;
    std::map<int, QString> m_errors;
    std::vector<int> m_relatedLines;
};

} // namespace aotscope::views
