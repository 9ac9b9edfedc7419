#include "engine_bridge.h"

#include <QMetaObject>

#include <utility>

namespace aotscope::app {

EngineBridge::EngineBridge(session::BackendFactory backendFactory, session::SessionOptions options,
                           QObject* parent)
    : views::EngineClient(parent) {
    auto sink = [this](session::Event event) {
        // Called on a worker thread, which is joined before this object goes.
        QMetaObject::invokeMethod(
            this, [this, event = std::move(event)] { dispatch(event); }, Qt::QueuedConnection);
    };
    m_worker =
        std::make_unique<session::Worker>(std::move(backendFactory), std::move(sink), std::move(options));
}

EngineBridge::~EngineBridge() {
    m_worker.reset();
}

quint64 EngineBridge::send(session::Command command, const QString& tag) {
    return m_worker->send(std::move(command), tag.toStdString());
}

void EngineBridge::cancel(quint64 job) {
    m_worker->cancel(job);
}

} // namespace aotscope::app
