#include "common/engine_client.h"

namespace aotscope::views {

void EngineClient::dispatch(const session::Event& event) {
    Q_EMIT told(event);
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
            Q_EMIT graphReady(body);
        } else if constexpr (std::is_same_v<Body, session::LayoutSnapshotPtr>) {
            Q_EMIT layoutReady(body);
        } else if constexpr (std::is_same_v<Body, session::RunSnapshotPtr>) {
            Q_EMIT runReady(body);
        } else if constexpr (std::is_same_v<Body, session::PartitionSnapshotPtr>) {
            Q_EMIT partitionReady(body);
        } else if constexpr (std::is_same_v<Body, session::LogClosed>) {
            Q_EMIT logClosed(body.log);
        } else if constexpr (std::is_same_v<Body, session::Finished>) {
            Q_EMIT finished(job, tag);
        } else if constexpr (std::is_same_v<Body, session::Canceled>) {
            Q_EMIT canceled(job, tag);
        } else if constexpr (std::is_same_v<Body, session::Failed>) {
            Q_EMIT failed(job, tag, body.error);
        }
    };
    std::visit(handle, event.body);
}

QString waitText(const session::Waiting& wait) {
    if (wait.behindCommand == "retrace") {
        return QObject::tr("Waits for the re-trace to end");
    }
    if (wait.behindCommand == "call") {
        return QObject::tr("Waits for the call to end");
    }
    return wait.behindCommand.starts_with("run") ? QObject::tr("Waits for the run to end")
                                                 : QObject::tr("Waits for the running command to end");
}

} // namespace aotscope::views
