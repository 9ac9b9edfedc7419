#pragma once

#include <QWidget>

#include <memory>
#include <utility>

class QLabel;
class QProgressBar;
class QTimer;
class QToolButton;

namespace aotscope::views {

class EngineClient;
class FileJobs;
class ThemeSource;

/// In the status bar: whether the engine works or a file is being written. For jobs longer than 0.3 s also
/// the progress, with a button to cancel.
class JobStatus : public QWidget {
    Q_OBJECT

public:
    JobStatus(EngineClient* engine, FileJobs* files, ThemeSource* theme, QWidget* parent = nullptr);
    ~JobStatus() override;

    [[nodiscard]] bool busy() const;
    [[nodiscard]] bool progressShown() const;
    [[nodiscard]] QToolButton* cancelButton() const { return m_cancel; }
    [[nodiscard]] QLabel* label() const { return m_text; }
    void cancelAll();

Q_SIGNALS:
    void busyChanged(bool busy);

private:
    struct Job;
    struct Jobs;
    /// Who numbered the job: files and engine count separately. Earlier values are shown first.
    enum class Owner { None, Files, Engine };
    using JobId = std::pair<Owner, quint64>;

    void connectJobs();
    void begin(JobId job, const QString& what, bool background);
    void end(JobId job);
    void cancel(JobId job);
    void refresh();
    [[nodiscard]] JobId mostTelling() const;
    [[nodiscard]] QString stateText() const;
    [[nodiscard]] bool isPaused(const Job& job) const;
    [[nodiscard]] QString waitingText(const Job& job) const;
    void showJob(const Job& job);

    EngineClient* m_engine;
    FileJobs* m_files;
    ThemeSource* m_theme;
    std::unique_ptr<Jobs> m_jobs;
    JobId m_shown = {Owner::None, 0};
    QTimer* m_timer;
    QLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_cancel;
    QLabel* m_state;
};

} // namespace aotscope::views
