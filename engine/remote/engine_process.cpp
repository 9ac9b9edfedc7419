#include "remote/engine_process.h"

#include "remote/values.h"

#include "base/crash_note.h"
#include "base/write_all.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace aotscope::remote {

namespace {

using Clock = std::chrono::steady_clock;

/// How much of the end of its error output is quoted in the error when it ends.
constexpr std::size_t mostLastWords = 4096;
constexpr std::size_t mostNotes = 12;

constexpr const char* sameSources =
    "Build the program and its engine (aotscope-engine) from the same sources.";

base::Error protocolError(const std::string& why) {
    return {.code = "remote.protocol",
            .message = "The engine's process was ended because it does not speak as it should: " + why,
            .hint = sameSources};
}

base::Error otherVersion(const std::string& theirs) {
    return {.code = "remote.other_version",
            .message = "The engine's process was ended because it is not of this program's version: here the "
                       "version of their messages is " +
                       std::to_string(wireVersion) + ", there it is " + theirs + ".",
            .hint = sameSources};
}

/// The last lines of a text.
std::vector<std::string> lastLines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < mostNotes) {
        const std::size_t begin = text.find_last_of('\n', text.size() - 1);
        const std::string_view line = begin == std::string_view::npos ? text : text.substr(begin + 1);
        if (!line.empty()) {
            lines.insert(lines.begin(), std::string(line));
        }
        text = begin == std::string_view::npos ? std::string_view() : text.substr(0, begin);
    }
    return lines;
}

} // namespace

base::Result<std::shared_ptr<EngineProcess>> EngineProcess::start(const EngineProgram& program) {
    const auto failed = [&program] {
        return base::Error{.code = "remote.no_program",
                           .message = "The engine's program " + program.program +
                                      " cannot be started: " + std::strerror(errno) + ".",
                           .hint = "It is built and installed beside the program (target aotscope-engine)."};
    };
    auto wire = base::SocketPair::make();
    auto words = base::SocketPair::make();
    if (!wire || !words || !wire->makeOursNonBlocking() || !words->makeOursNonBlocking()) {
        return failed();
    }
    auto child = base::ChildProcess::start(program.program, program.arguments,
                                           {wire->theirs.get(), wire->theirs.get(), words->theirs.get()});
    if (!child) {
        return failed();
    }
    return std::shared_ptr<EngineProcess>(new EngineProcess( // NOLINT: the constructor is private
        std::move(child), std::move(wire->ours), std::move(words->ours), program.grace));
}

EngineProcess::EngineProcess(std::unique_ptr<base::ChildProcess> child, base::FileHandle wire,
                             base::FileHandle words, std::chrono::milliseconds grace)
    : m_child(std::move(child)),
      m_wire(std::move(wire)),
      m_words(std::move(words)),
      m_grace(grace),
      m_listener([this] { listen(); }) {}

EngineProcess::~EngineProcess() {
    abandon();
    m_listener.join();
}

/// Kills the process; the listener then ends.
void EngineProcess::abandon() {
    {
        const std::lock_guard lock(m_mutex);
        m_isAbandoned = true;
    }
    m_child->kill();
    // Wakes the listener even where a process that left the group holds the other end.
    ::shutdown(m_wire.get(), SHUT_RDWR);
}

bool EngineProcess::hasEnded() const {
    const std::lock_guard lock(m_mutex);
    return m_isAbandoned || m_ended.has_value();
}

void EngineProcess::listen() {
    MessageReader reader;
    bool areWordsOpen = true;
    while (true) {
        std::array<pollfd, 2> waits{pollfd{m_wire.get(), POLLIN, 0},
                                    pollfd{areWordsOpen ? m_words.get() : -1, POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
            return end(protocolError(std::strerror(errno)));
        }
        areWordsOpen = areWordsOpen && takeWords();
        const auto goesOn = takeFromWire(reader);
        if (!goesOn) {
            return end(goesOn.error());
        }
        if (!*goesOn) {
            return end(std::nullopt);
        }
    }
}

/// False: the process closed its end.
base::Result<bool> EngineProcess::takeFromWire(MessageReader& reader) {
    base::Result<void> taken;
    const bool isOpen = base::readAvailable(m_wire, [&](std::string_view bytes) {
        std::vector<Message> messages;
        auto read = reader.read(bytes, messages);
        for (auto message = messages.begin(); taken && message != messages.end(); ++message) {
            taken = deliver(std::move(*message));
        }
        if (taken && !read) {
            taken = protocolError(read.error().message);
        }
        return taken.ok();
    });
    return taken ? base::Result(isOpen) : std::move(taken).error();
}

base::Result<void> EngineProcess::deliver(Message message) {
    const std::lock_guard lock(m_mutex);
    if (!m_greeted) {
        if (message.kind != MessageKind::Hello) {
            return protocolError("it does not greet.");
        }
        // Another version may write even its number in another way.
        const auto hello = decode<Hello>(message.body);
        m_greeted = hello && hello->version == wireVersion;
        return m_greeted ? base::Result<void>()
                         : otherVersion(hello ? std::to_string(hello->version) : "one that cannot be read");
    }
    if (message.kind == MessageKind::Failure && message.call == 0) {
        const auto why = decode<Failure>(message.body);
        return protocolError("it gave up: " + (why ? why->error.message : why.error().message));
    }
    const auto call = m_calls.find(message.call);
    const bool isSentByEngine = message.kind >= MessageKind::Progress && message.kind <= MessageKind::Failure;
    if (!isSentByEngine || call == m_calls.end()) {
        return protocolError("it sent " + std::string(messageKindName(message.kind)) + " for call " +
                             std::to_string(message.call) + ".");
    }
    if (message.kind == MessageKind::Progress) {
        // Only the newest counts.
        call->second.progress = std::move(message.body);
    } else if (call->second.message) {
        return protocolError("it answered call " + std::to_string(message.call) + " twice.");
    } else {
        call->second.message = std::move(message);
    }
    m_changed.notify_all();
    return {};
}

/// False: there will be no more.
bool EngineProcess::takeWords() {
    return base::readAvailable(m_words, [this](std::string_view words) {
        base::writeAll(STDERR_FILENO, words);
        m_lastWords += words;
        if (m_lastWords.size() > mostLastWords) {
            m_lastWords.erase(0, m_lastWords.size() - mostLastWords);
        }
        return true;
    });
}

/// Reaps the process, keeps the reason of its end, and wakes all callers.
void EngineProcess::end(std::optional<base::Error> why) {
    m_child->kill();
    const int status = m_child->await();
    (void)takeWords();
    const std::lock_guard lock(m_mutex);
    const auto ran = base::ranOnCrash(m_lastWords);
    m_ended =
        why ? *std::move(why)
            : base::Error{.code = ran ? "remote.crashed" : "remote.ended",
                          .message = "The engine's process " + base::exitText(status) +
                                     (ran ? " while it ran " + *ran : "") + ".",
                          .notes = lastLines(m_lastWords),
                          .hint = ran ? "It is a process of its own, and the next command starts a new one."
                                      : "The next command starts a new one. Signal 9 without a reason often "
                                        "means that memory ran out."};
    m_changed.notify_all();
}

/// Waits until the listener knows why it ended.
base::Error EngineProcess::endError() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ended.has_value(); });
    return *m_ended;
}

base::Result<void> EngineProcess::send(const Message& message, const base::Progress& progress) {
    const std::lock_guard lock(m_sending);
    std::optional<Clock::time_point> asked;
    return writeMessage(m_wire.get(), message, [&] {
        if (progress.stopRequested() && !asked) {
            asked = Clock::now();
        }
        return !asked || Clock::now() - *asked < m_grace;
    });
}

/// One call and its inbox.
struct EngineProcess::Calling {
    EngineProcess& engine;
    std::uint64_t number;
    base::Progress progress;
    /// When the process is killed; set once the call has been requested to stop.
    std::optional<Clock::time_point> deadline = {};

    explicit Calling(EngineProcess& process, base::Progress reporting)
        : engine(process), progress(std::move(reporting)) {
        const std::lock_guard lock(engine.m_mutex);
        number = ++engine.m_lastCall;
        engine.m_calls[number];
    }
    Calling(const Calling&) = delete;
    Calling& operator=(const Calling&) = delete;
    ~Calling() {
        const std::lock_guard lock(engine.m_mutex);
        engine.m_calls.erase(number);
    }

    /// Waits for something to arrive; empty: the process ended, or a stop was requested or came to its
    /// deadline.
    Inbox await() {
        std::unique_lock lock(engine.m_mutex);
        Inbox& inbox = engine.m_calls.at(number);
        const auto arrived = [&] { return inbox.progress || inbox.message || engine.m_ended; };
        if (deadline) {
            engine.m_changed.wait_until(lock, *deadline, arrived);
        } else {
            engine.m_changed.wait(lock, progress.stopToken(), arrived);
        }
        return std::exchange(inbox, {});
    }

    /// An error ends the call.
    base::Result<void> stopIfAsked() {
        if (progress.stopRequested() && !deadline) {
            deadline = Clock::now() + engine.m_grace;
            return engine.send({MessageKind::Stop, number, {}}, progress);
        }
        if (deadline && Clock::now() >= *deadline) {
            // It may be within a kernel that takes minutes; nobody waits for that.
            return base::canceledError();
        }
        return {};
    }

    base::Result<void> answerPause(const std::string& pause, const OnPause& onPause) {
        if (!onPause) {
            return protocolError("it paused a call that does not pause.");
        }
        auto answer = onPause(pause);
        // Before the answer, with which the work would go on to its next pause.
        AOTSCOPE_CHECK(stopIfAsked());
        return answer ? engine.send({MessageKind::PauseAnswer, number, *std::move(answer)}, progress)
                      : base::Result<void>(std::move(answer).error());
    }
};

base::Result<std::string> EngineProcess::call(MessageKind kind, std::string body, const OnPause& onPause,
                                              base::Progress progress) {
    AOTSCOPE_CHECK(progress.checkStop());
    Calling calling(*this, std::move(progress));
    base::Result<void> going = send({kind, calling.number, std::move(body)}, calling.progress);
    while (going) {
        Inbox arrived = calling.await();
        if (arrived.progress) {
            if (const auto state = decode<base::ProgressState>(*arrived.progress)) {
                calling.progress.report(state->stage, state->done, state->total, state->detail);
            }
        }
        if (arrived.message && arrived.message->kind == MessageKind::Pause) {
            going = calling.answerPause(arrived.message->body, onPause);
        } else if (arrived.message && arrived.message->kind == MessageKind::Result) {
            return std::move(arrived.message->body);
        } else if (arrived.message) {
            auto failure = decode<Failure>(arrived.message->body);
            return failure ? std::move(failure->error) : std::move(failure).error();
        } else if (hasEnded()) {
            return calling.progress.stopRequested() ? base::canceledError() : endError();
        } else {
            going = calling.stopIfAsked();
        }
    }
    base::Error why = std::move(going).error();
    if (why.code == "remote.too_large") {
        // Nothing of it was sent.
        return why;
    }
    abandon();
    AOTSCOPE_CHECK(calling.progress.checkStop());
    return why.code == "remote.not_sent" ? endError() : why;
}

} // namespace aotscope::remote
