#pragma once

#include "common/engine_client.h"

#include "session/worker.h"

#include <deque>
#include <memory>
#include <mutex>

namespace aotscope::app {

/// The engine's edge: commands go to a session::Worker, its events come back to the window's thread, one per
/// turn of its event loop. Destruction stops and joins the worker before anything else; events still under
/// way to this object are then dropped.
class EngineBridge : public views::EngineClient {
public:
    explicit EngineBridge(session::BackendFactory backendFactory, session::SessionOptions options = {},
                          QObject* parent = nullptr);
    ~EngineBridge() override;

    quint64 send(session::Command command, const QString& tag = {}) override;
    void cancel(quint64 job) override;
    void answerPause(quint64 pause, session::PauseAnswer answer) override;

protected:
    void customEvent(QEvent* wake) override;

private:
    /// Events on their way. Handed over under a lock of ours, since the lock of Qt's queue is hidden from the
    /// thread sanitizer; Qt's queue carries only the wakes, one for each.
    std::mutex m_mutex;
    std::deque<session::Event> m_events;
    std::unique_ptr<session::Worker> m_worker;
};

} // namespace aotscope::app
