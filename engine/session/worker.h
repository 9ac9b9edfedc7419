#pragma once

#include "session/commands.h"
#include "session/events.h"
#include "session/session.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// Runs a Session on threads of its own, so that the caller never waits. Five lanes: reading and drawing,
/// runs, traces, splits of joint graphs, and sweeps over budgets, so that a long run or sweep keeps the
/// window neither from showing another graph nor from following a choice. Runs and traces wait for one
/// another, since both need the backend, but that runs go on while a trace is paused.
///
/// A command sent with a tag drops queued commands of that tag and stops the running one (a slider being
/// dragged); an empty tag supersedes nothing. Events come on a worker thread, in order per job, but that a
/// job waits for another, and that one which waits is canceled, is told on the thread that sent or canceled,
/// at once. Events of a superseded job end with Canceled. The sink may send and cancel. Destruction stops
/// everything, ends each pending job with Canceled and joins; no event is sent after it.
class Worker {
public:
    using Sink = std::function<void(Event)>;

    Worker(BackendFactory backendFactory, Sink sink, SessionOptions options = {});
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Queues a command and returns its job number (from 1) at once; 0 when destruction has begun, and then
    /// nothing runs.
    std::uint64_t send(Command command, std::string tag = {});
    void cancel(std::uint64_t job);
    void cancelAll();
    /// As Session::answerPause.
    bool answerPause(std::uint64_t pause, PauseAnswer answer);

    /// What runs now and since when; nothing when idle. A job whose end was sent is no longer among them.
    struct Running {
        std::uint64_t job = 0;
        std::string command;
        std::chrono::steady_clock::time_point since;
    };
    [[nodiscard]] std::vector<Running> running() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace aotscope::session
