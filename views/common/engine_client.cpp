#include "common/engine_client.h"

namespace aotscope::views {

void EngineClient::dispatch(const session::Event& event) {
    const QString tag = QString::fromStdString(event.tag);
    const quint64 job = event.job;
    const auto handle = [&](const auto& body) {
        using Body = std::decay_t<decltype(body)>;
        if constexpr (std::is_same_v<Body, session::Started>) {
            Q_EMIT started(job, tag, QString::fromStdString(body.command));
        } else if constexpr (std::is_same_v<Body, session::Waiting>) {
            Q_EMIT waiting(job, tag, body);
        } else if constexpr (std::is_same_v<Body, session::Progressed>) {
            Q_EMIT progressed(job, tag, body.state);
        } else if constexpr (std::is_same_v<Body, session::LogSnapshotPtr>) {
            Q_EMIT logChanged(body);
        } else if constexpr (std::is_same_v<Body, session::GraphSnapshotPtr>) {
            Q_EMIT graphReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::LayoutSnapshotPtr>) {
            Q_EMIT layoutReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::PayloadSnapshotPtr>) {
            Q_EMIT payloadReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::DiffSnapshotPtr>) {
            Q_EMIT diffReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::RunSnapshotPtr>) {
            Q_EMIT runReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::StepRunSnapshotPtr>) {
            Q_EMIT stepRunReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::RetraceSnapshotPtr>) {
            Q_EMIT retraceReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::StepSnapshotPtr>) {
            Q_EMIT stepReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::BudgetSweepSnapshotPtr>) {
            Q_EMIT budgetsReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::NodeAlternativeSnapshotPtr>) {
            Q_EMIT alternativeReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::SplitMarksSnapshotPtr>) {
            Q_EMIT marksReady(body, tag);
        } else if constexpr (std::is_same_v<Body, session::TracePausePtr>) {
            Q_EMIT tracePaused(body, job);
        } else if constexpr (std::is_same_v<Body, session::LogClosed>) {
            Q_EMIT logClosed(body.log);
        } else if constexpr (std::is_same_v<Body, session::Finished>) {
            Q_EMIT finished(job, tag);
        } else if constexpr (std::is_same_v<Body, session::Canceled>) {
            Q_EMIT canceled(job, tag);
        } else {
            Q_EMIT failed(job, tag, body.error);
        }
    };
    std::visit(handle, event.body);
}

QString waitText(const session::Waiting& wait) {
    if (wait.behindCommand == "retrace") {
        return QObject::tr("Waits for the re-trace to end");
    }
    return wait.behindCommand.starts_with("run") ? QObject::tr("Waits for the run to end")
                                                 : QObject::tr("Waits for what is under way to end");
}

} // namespace aotscope::views
