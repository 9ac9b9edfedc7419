#pragma once

#include <QElapsedTimer>
#include <QString>
#include <QWidget>

class QLabel;
class QProgressBar;

namespace aotscope::views {

class EngineClient;

/// What the engine does for one tag, with a cancel button. Shows itself when that takes longer than 0.3 s.
class ProgressStrip : public QWidget {
    Q_OBJECT

public:
    ProgressStrip(EngineClient* engine, const QString& tag, QWidget* parent = nullptr);

private:
    EngineClient* m_engine;
    QLabel* m_text;
    QProgressBar* m_bar;
    quint64 m_job = 0;
    QElapsedTimer m_since;
};

} // namespace aotscope::views
