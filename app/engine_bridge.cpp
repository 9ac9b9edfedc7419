#include "engine_bridge.h"

#include <QCoreApplication>
#include <QEvent>

#include <utility>

namespace aotscope::app {

EngineBridge::EngineBridge(session::BackendFactory backendFactory, session::SessionOptions options,
                           QObject* parent)
    : views::EngineClient(parent) {
    auto sink = [this](session::Event event) {
        // Called on a worker thread, which is joined before this object is destroyed.
        {
            const std::lock_guard lock(m_mutex);
            m_events.push_back(std::move(event));
        }
        QCoreApplication::postEvent(this, new QEvent(QEvent::User));
    };
    m_worker =
        std::make_unique<session::Worker>(std::move(backendFactory), std::move(sink), std::move(options));
}

EngineBridge::~EngineBridge() {
    m_worker.reset();
}

void EngineBridge::customEvent(QEvent* /*wake*/) {
    session::Event event;
    {
        const std::lock_guard lock(m_mutex);
        if (m_events.empty()) {
            return;
        }
        event = std::move(m_events.front());
        m_events.pop_front();
    }
    dispatch(event);
}

quint64 EngineBridge::send(session::Command command, const QString& tag) {
    return m_worker->send(std::move(command), tag.toStdString());
}

void EngineBridge::cancel(quint64 job) {
    m_worker->cancel(job);
}

void EngineBridge::answerPause(quint64 pause, session::PauseAnswer answer) {
    m_worker->answerPause(pause, std::move(answer));
}

void EngineBridge::answerStep(quint64 pause, steps::StepAnswer answer) {
    m_worker->answerStep(pause, std::move(answer));
}

} // namespace aotscope::app
