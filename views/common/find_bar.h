#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;

namespace aotscope::views {

class CodeView;

/// Search in a CodeView: plain or regular expression, Enter and Shift+Enter step, Escape closes.
class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(CodeView* view, QWidget* parent = nullptr);
    void open();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void step(bool backwards);

    CodeView* m_view;
    QLineEdit* m_input;
    QToolButton* m_regular;
    QLabel* m_result;
};

} // namespace aotscope::views
