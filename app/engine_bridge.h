#pragma once

#include "common/engine_client.h"

#include "session/worker.h"

#include <memory>

namespace aotscope::app {

/// The engine's edge: commands go to a session::Worker, its events come back to the window's thread by one
/// queued call each. Destruction stops and joins the worker before anything else; events still under way to
/// this object are then dropped.
class EngineBridge : public views::EngineClient {
public:
    explicit EngineBridge(session::BackendFactory backendFactory, session::SessionOptions options = {},
                          QObject* parent = nullptr);
    ~EngineBridge() override;

    quint64 send(session::Command command, const QString& tag = {}) override;
    void cancel(quint64 job) override;

private:
    std::unique_ptr<session::Worker> m_worker;
};

} // namespace aotscope::app
