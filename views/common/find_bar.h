#pragma once

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProgressBar;
class QTimer;
class QToolButton;

namespace aotscope::views {

class CodeView;

/// The search bar of a CodeView: plain text or regular expression. Enter and Shift+Enter go to the next and
/// previous match; Escape closes the bar and cancels the search.
class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(CodeView* view, QWidget* parent = nullptr);
    void open();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void step(bool backwards);
    void showProgress();

    CodeView* m_view;
    QLineEdit* m_input;
    QToolButton* m_regular;
    QLabel* m_result;
    /// Visible only while a search takes long.
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QTimer* m_timer;
    QElapsedTimer m_since;
};

} // namespace aotscope::views
