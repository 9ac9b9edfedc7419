#pragma once

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace aotscope::views {

class RequestBase;

/// How far a request is, with a cancel button. Shows itself when that takes longer than 0.3 s.
class ProgressStrip : public QWidget {
    Q_OBJECT

public:
    /// The request outlives it.
    explicit ProgressStrip(RequestBase* request, QWidget* parent = nullptr);

private:
    void showProgress();

    RequestBase* m_request;
    QLabel* m_text;
    QProgressBar* m_bar;
    QElapsedTimer m_since;
};

} // namespace aotscope::views
