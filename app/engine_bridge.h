#pragma once

#include "common/engine_client.h"

#include "session/worker.h"

#include <deque>
#include <memory>
#include <mutex>

namespace aotscope::app {

/// Sends commands to a session::Worker and delivers its events on the window's thread, one per turn of the
/// event loop. The destructor first stops and joins the worker; undelivered events are dropped.
class EngineBridge : public views::EngineClient {
public:
    explicit EngineBridge(session::BackendFactory backendFactory, session::SessionOptions options = {},
                          QObject* parent = nullptr);
    ~EngineBridge() override;

    quint64 send(session::Command command, const QString& tag = {}) override;
    void cancel(quint64 job) override;
    void answerPause(quint64 pause, session::PauseAnswer answer) override;
    void answerStep(quint64 pause, steps::StepAnswer answer) override;

protected:
    void customEvent(QEvent* wake) override;

private:
    /// Undelivered events, guarded by a mutex of our own: the thread sanitizer cannot see the lock of Qt's
    /// queue. Qt's queue only carries one wake-up per event.
    std::mutex m_mutex;
    std::deque<session::Event> m_events;
    std::unique_ptr<session::Worker> m_worker;
};

} // namespace aotscope::app
