#pragma once

#include <QWidget>

#include <memory>

class QLabel;
class QProgressBar;
class QTimer;
class QToolButton;

namespace aotscope::views {

class EngineClient;
class ThemeSource;

/// In the status bar: whether the engine is busy, and for what takes longer than 0.3 s its progress with a
/// button that cancels it.
class JobStatus : public QWidget {
    Q_OBJECT

public:
    JobStatus(EngineClient* engine, ThemeSource* theme, QWidget* parent = nullptr);
    ~JobStatus() override;

    [[nodiscard]] bool busy() const;
    [[nodiscard]] bool progressShown() const;
    void cancelAll();

Q_SIGNALS:
    void busyChanged(bool busy);

private:
    struct Job;
    struct Jobs;

    void end(quint64 job);
    void refresh();
    void cancelShown();

    EngineClient* m_engine;
    ThemeSource* m_theme;
    std::unique_ptr<Jobs> m_jobs;
    quint64 m_shown = 0;
    QTimer* m_timer;
    QLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_cancel;
    QLabel* m_state;
};

} // namespace aotscope::views
