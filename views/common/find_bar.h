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

/// Search in a CodeView: plain or regular expression, Enter and Shift+Enter step, Escape closes and
/// ends a search that goes on.
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
    /// Shown while a search takes longer than a moment.
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QTimer* m_timer;
    QElapsedTimer m_since;
};

} // namespace aotscope::views
