#pragma once

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace aotscope::views {

class RequestBase;

/// Progress of a request with a cancel button. Appears after 0.3 s.
class ProgressStrip : public QWidget {
    Q_OBJECT

public:
    /// `request` must outlive it.
    explicit ProgressStrip(RequestBase* request, QWidget* parent = nullptr);

private:
    void showProgress();

    RequestBase* m_request;
    QLabel* m_text;
    QProgressBar* m_bar;
    QElapsedTimer m_since;
};

} // namespace aotscope::views
