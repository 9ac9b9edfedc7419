#pragma once

#include "session/commands.h"
#include "session/events.h"

#include <QObject>
#include <QString>

namespace aotscope::views {

/// The window's access to the engine: sends commands and receives snapshots on the window's thread, without
/// blocking. The application implements it with a session::Worker, tests with recorded events.
class EngineClient : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Queues a command and returns its job number. It supersedes earlier commands with the same non-empty
    /// tag.
    virtual quint64 send(session::Command command, const QString& tag = {}) = 0;
    virtual void cancel(quint64 job) = 0;
    /// Resumes the paused trace with that session::TracePause::number.
    virtual void answerPause(quint64 pause, session::PauseAnswer answer) = 0;
    /// Resumes the compiled call that stands still at the steps::StepPause of that number.
    virtual void answerStep(quint64 pause, steps::StepAnswer answer) = 0;

Q_SIGNALS:
    /// Every event, before its specific signal below. A sender gets its answers through its Request; the
    /// other signals are for observers.
    void told(const aotscope::session::Event& event);

    void started(quint64 job, const QString& tag, const QString& command);
    /// The job has not started: it waits for the job named in `wait`.
    void waiting(quint64 job, const QString& tag, const aotscope::session::Waiting& wait);
    void progressed(quint64 job, const QString& tag, const aotscope::base::ProgressState& state);
    void finished(quint64 job, const QString& tag);
    void canceled(quint64 job, const QString& tag);
    void failed(quint64 job, const QString& tag, const aotscope::base::Error& error);

    void logChanged(const aotscope::session::LogSnapshotPtr& log);
    void logClosed(quint32 log);
    void graphReady(const aotscope::session::GraphSnapshotPtr& graph);
    void layoutReady(const aotscope::session::LayoutSnapshotPtr& layout);
    void runReady(const aotscope::session::RunSnapshotPtr& run);
    void partitionReady(const aotscope::session::PartitionSnapshotPtr& split);

protected:
    /// Emits the signals for an engine event. Call on the window's thread.
    void dispatch(const session::Event& event);
};

/// "Waits for the re-trace to end"
[[nodiscard]] QString waitText(const session::Waiting& wait);

} // namespace aotscope::views
