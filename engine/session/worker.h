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

/// Runs a Session on separate threads, so that the caller never waits. There are six lanes: logs (opening,
/// following and closing, in the order sent), reading and drawing graphs, runs, traces, partitions, and
/// budget sweeps. A call of a compiled function is a trace here; measuring and suggesting hooks is a run. A
/// long run or sweep therefore does not delay showing another graph, and a large graph does not delay
/// following a log. Runs and traces wait for each other because both need the backend, but runs may continue
/// while a trace is paused. Reading a graph waits until the logs that were to be opened before it are read to
/// their ends: the last record of a partial log may be cut.
///
/// A command with a tag removes queued commands with that tag and stops the running one (a slider being
/// dragged); an empty tag removes nothing. Removed and stopped jobs end with Canceled. Events arrive on
/// worker threads, in order per job. Exceptions: Waiting, and Canceled for a job still in its queue, arrive
/// at once on the thread that sent or canceled. The sink may call send and cancel. The destructor stops
/// everything, ends each pending job with Canceled and joins; no event is sent after it.
class Worker {
public:
    using Sink = std::function<void(Event)>;

    Worker(BackendFactory backendFactory, Sink sink, SessionOptions options = {});
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Queues a command and returns its job number, counted from 1. Returns 0 and runs nothing once
    /// destruction has begun.
    std::uint64_t send(Command command, std::string tag = {});
    void cancel(std::uint64_t job);
    void cancelAll();
    /// See Session::answerPause.
    bool answerPause(std::uint64_t pause, PauseAnswer answer);

    /// See Session::answerStep.
    bool answerStep(std::uint64_t pause, steps::StepAnswer answer);

    /// A running job and when it started. A job whose end event was sent is not listed.
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
