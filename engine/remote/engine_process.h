#pragma once

#include "remote/message.h"

#include "base/child_process.h"
#include "base/progress.h"
#include "base/result.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace aotscope::remote {

/// The program that serves as engine, and how patient one is with it.
struct EngineProgram {
    /// Found on PATH unless it has a slash. It speaks on its standard input and output.
    std::string program;
    std::vector<std::string> arguments;
    /// How long a call may take to stop on request; then the process is killed.
    std::chrono::milliseconds grace{5000};
};

/// A running engine in a child process. Several threads may call at once. The process is killed, and waited
/// for, at the end of the object.
class EngineProcess {
public:
    /// Takes the body of a Pause and returns the body of its PauseAnswer.
    using OnPause = std::function<base::Result<std::string>(std::string_view pause)>;

    /// Error: remote.no_program.
    [[nodiscard]] static base::Result<std::shared_ptr<EngineProcess>> start(const EngineProgram& program);
    EngineProcess(const EngineProcess&) = delete;
    EngineProcess& operator=(const EngineProcess&) = delete;
    ~EngineProcess();

    /// Makes a call and waits for the body of its result; progress and pauses are handed out on the calling
    /// thread. Errors: those that the engine answers with; remote.crashed (a signal ended the process while
    /// it ran a node, which is named), remote.ended (how else the process ended, and its last words),
    /// remote.protocol (it does not keep to the wire's rules and was killed), remote.other_version (likewise:
    /// its wire is of another version), remote.too_large; session.canceled.
    [[nodiscard]] base::Result<std::string> call(MessageKind kind, std::string body, const OnPause& onPause,
                                                 base::Progress progress);
    /// Whether it has ended, so that no call can succeed any more.
    [[nodiscard]] bool hasEnded() const;
    [[nodiscard]] pid_t id() const { return m_child->id(); }

private:
    /// What has arrived for a call.
    struct Inbox {
        std::optional<std::string> progress;
        /// A Pause, Result or Failure.
        std::optional<Message> message;
    };
    struct Calling;

    EngineProcess(std::unique_ptr<base::ChildProcess> child, base::FileHandle wire, base::FileHandle words,
                  std::chrono::milliseconds grace);

    void listen();
    [[nodiscard]] base::Result<bool> takeFromWire(MessageReader& reader);
    [[nodiscard]] base::Result<void> deliver(Message message);
    bool takeWords();
    void end(std::optional<base::Error> why);
    [[nodiscard]] base::Result<void> send(const Message& message, const base::Progress& progress);
    [[nodiscard]] base::Error endError();
    void abandon();

    std::unique_ptr<base::ChildProcess> m_child;
    /// Messages in both directions.
    base::FileHandle m_wire;
    /// What it writes to its error output; is passed on to ours.
    base::FileHandle m_words;
    std::chrono::milliseconds m_grace;
    std::mutex m_sending;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<std::uint64_t, Inbox> m_calls;
    std::uint64_t m_lastCall = 0;
    bool m_greeted = false;
    bool m_isAbandoned = false;
    /// Why the process is of no use any more.
    std::optional<base::Error> m_ended;
    /// The end of what it wrote to its error output. Only the listening thread uses it until `m_ended`.
    std::string m_lastWords;
    std::jthread m_listener;
};

} // namespace aotscope::remote
