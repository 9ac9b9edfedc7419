#pragma once

#include "session/commands.h"
#include "session/events.h"

#include <QObject>
#include <QString>

namespace aotscope::views {

/// The window's side of the engine: sends commands, receives snapshots, all on the window's thread, never
/// waiting. The application implements it over a session::Worker, tests over recorded events.
class EngineClient : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Queues a command; a newer command of the same non-empty tag supersedes it. Returns the job's number.
    virtual quint64 send(session::Command command, const QString& tag = {}) = 0;
    virtual void cancel(quint64 job) = 0;
    /// Lets a paused trace go on, by session::TracePause::number.
    virtual void answerPause(quint64 pause, session::PauseAnswer answer) = 0;

Q_SIGNALS:
    /// Every event, before the signal below that says the same. Whoever asked something hears it through its
    /// Request; the others are for those who look on.
    void told(const aotscope::session::Event& event);

    void started(quint64 job, const QString& tag, const QString& command);
    /// A job that has not started: it is done after another, by number and what it does.
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
    /// Turns an event of the engine into the signals above; called on the window's thread.
    void dispatch(const session::Event& event);
};

/// "Waits for the re-trace to end"
[[nodiscard]] QString waitText(const session::Waiting& wait);

} // namespace aotscope::views
