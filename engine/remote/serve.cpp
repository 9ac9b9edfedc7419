#include "remote/serve.h"

#include "remote/message.h"
#include "remote/values.h"

#include "base/worker_threads.h"
#include "contract/errors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stop_token>
#include <unistd.h>
#include <utility>

namespace aotscope::remote {

namespace {

/// A paused trace and the call that looks on are two; more than this is no program's work.
constexpr std::size_t mostCalls = 16;

/// A call at work.
struct OpenCall {
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any answered;
    /// The body of a PauseAnswer.
    std::optional<std::string> answer;
    /// What was wrong with an answer. Only the thread that works on the call uses it.
    std::optional<base::Error> unreadable;
    std::atomic<bool> done = false;
};

class Engine {
public:
    Engine(int out, session::BackendFactory factory) : m_out(out), m_factory(std::move(factory)) {}
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() {
        m_ends = true;
        for (auto& [number, call] : m_calls) {
            call->stop.request_stop();
        }
    }

    void send(MessageKind kind, std::uint64_t call, std::string body) {
        const std::lock_guard lock(m_sending);
        // Where nobody reads any more, the reading side notices that as well, and ends everything.
        (void)writeMessage(m_out, {kind, call, std::move(body)}, [this] { return !m_ends; });
    }

    base::Result<void> take(Message message) {
        forgetEnded();
        const auto open = m_calls.find(message.call);
        switch (message.kind) {
        case MessageKind::Describe:
        case MessageKind::Run:
        case MessageKind::Reference:
        case MessageKind::Hooks:
        case MessageKind::Rerun:
        case MessageKind::Retrace:
        case MessageKind::Call:
        case MessageKind::Schemas:
        case MessageKind::Coverage:
        case MessageKind::Kernels:
        case MessageKind::Devices:
            return begin(std::move(message));
        case MessageKind::Stop:
            // The call may have ended meanwhile.
            if (open != m_calls.end()) {
                open->second->stop.request_stop();
            }
            return {};
        case MessageKind::PauseAnswer:
            if (open != m_calls.end()) {
                answer(*open->second, std::move(message.body));
            }
            return {};
        default:
            return base::Error{.code = "remote.not_a_message",
                               .message = "An engine is not sent " +
                                          std::string(messageKindName(message.kind)) + "."};
        }
    }

private:
    void forgetEnded() {
        std::erase_if(m_calls, [](auto& entry) { return entry.second->done.load(); });
    }

    base::Result<void> begin(Message message) {
        if (message.call == 0 || m_calls.contains(message.call) || m_calls.size() >= mostCalls) {
            return base::Error{.code = "remote.not_a_message",
                               .message = "Call " + std::to_string(message.call) +
                                          " cannot begin: its number is taken, or too many are at work."};
        }
        OpenCall& call = *m_calls.emplace(message.call, std::make_unique<OpenCall>()).first->second;
        m_threads.start([this, &call, taken = std::move(message)] {
            const base::Result<std::string> result = workOn(call, taken);
            send(result ? MessageKind::Result : MessageKind::Failure, taken.call,
                 result ? *result : encode(Failure{result.error()}));
            call.done = true;
        });
        return {};
    }

    static void answer(OpenCall& call, std::string body) {
        const std::lock_guard lock(call.mutex);
        call.answer = std::move(body);
        call.answered.notify_all();
    }

    base::Result<std::string> workOn(OpenCall& call, const Message& message) {
        try {
            auto backend = open();
            return backend ? answerOf(**backend, call, message)
                           : base::Result<std::string>(std::move(backend).error());
        } catch (const std::bad_alloc&) {
            return session::outOfMemory();
        } catch (const std::exception& exception) {
            return base::Error{.code = "session.exception",
                               .message = "The engine's work ended with an exception.",
                               .notes = {exception.what()}};
        }
    }

    base::Result<session::Backend*> open() {
        const std::lock_guard lock(m_opening);
        if (!m_backend) {
            auto opened = m_factory();
            if (!opened) {
                return std::move(opened).error();
            }
            m_backend = std::move(opened).value();
        }
        return m_backend.get();
    }

    base::Result<std::string> answerOf(session::Backend& backend, OpenCall& call, const Message& message) {
        switch (message.kind) {
        case MessageKind::Run:
            return run(backend, call, message);
        case MessageKind::Retrace:
            return retrace(backend, call, message);
        case MessageKind::Reference:
            return compareWithReference(backend, call, message);
        case MessageKind::Hooks:
            return measureHooks(backend, call, message);
        case MessageKind::Kernels:
            return checkKernels(backend, call, message);
        case MessageKind::Rerun:
            return rerun(backend, call, message);
        case MessageKind::Call:
            return callFunction(backend, call, message);
        case MessageKind::Schemas:
            return encoded(backend.operatorSchemas());
        case MessageKind::Coverage:
            return encoded(backend.coverage());
        case MessageKind::Devices:
            return encode(backend.devices());
        default:
            return encode(backend.description());
        }
    }

    template<typename T>
    static base::Result<std::string> encoded(base::Result<T> made, const KnownGraphs& known = {}) {
        return made ? base::Result<std::string>(encode(*made, known)) : std::move(made).error();
    }

    base::Progress progressOf(OpenCall& call, std::uint64_t number) {
        return {[this, number](const base::ProgressState& state) {
                    send(MessageKind::Progress, number, encode(state));
                },
                call.stop.get_token()};
    }

    base::Result<std::string> run(session::Backend& backend, OpenCall& call, const Message& message) {
        auto asked = decode<RunCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->graph) {
            return noGraph();
        }
        return encoded(backend.run(*asked->graph, asked->options, progressOf(call, message.call)),
                       {asked->graph});
    }

    base::Result<std::string> retrace(session::Backend& backend, OpenCall& call, const Message& message) {
        auto asked = decode<RetraceCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->request.program) {
            return noGraph();
        }
        const KnownGraphs known{asked->request.program};
        session::TracePauses pauses{asked->breakpoints, asked->pausesAtStart, {}};
        if (asked->pauses) {
            pauses.onPause = [&](const session::TracePause& pause) {
                send(MessageKind::Pause, message.call, encode(pause, known));
                return awaitAnswer<session::PauseAnswer>(call);
            };
        }
        auto result = encoded(backend.retrace(asked->request, pauses, progressOf(call, message.call)), known);
        return call.unreadable ? *std::move(call.unreadable) : std::move(result);
    }

    base::Result<std::string> compareWithReference(session::Backend& backend, OpenCall& call,
                                                   const Message& message) {
        auto asked = decode<ReferenceCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->graph || !asked->against) {
            return noGraph();
        }
        return encoded(backend.compareWithReference(*asked->graph, *asked->against, asked->options,
                                                    progressOf(call, message.call)),
                       {asked->graph});
    }

    base::Result<std::string> checkKernels(session::Backend& backend, OpenCall& call,
                                           const Message& message) {
        auto asked = decode<KernelsCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->graph) {
            return noGraph();
        }
        return encoded(backend.checkKernels(*asked->graph, asked->options, progressOf(call, message.call)));
    }

    base::Result<std::string> measureHooks(session::Backend& backend, OpenCall& call,
                                           const Message& message) {
        auto asked = decode<HooksCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        session::HookErrorsRequest& request = asked->request;
        const bool hasHooks = std::ranges::all_of(
            request.hooks, [](const passes::InlinedHook& hook) { return hook.pack && hook.unpack; });
        if (!request.forward || !request.backward || !hasHooks) {
            return noGraph();
        }
        if (asked->inParts) {
            request.onPart = [&](const session::HookErrors& part) {
                send(MessageKind::Pause, message.call, encode(part));
                (void)awaitAnswerBody(call);
            };
        }
        return encoded(backend.measureHooks(request, progressOf(call, message.call)));
    }

    base::Result<std::string> rerun(session::Backend& backend, OpenCall& call, const Message& message) {
        auto asked = decode<RerunCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->request.graph) {
            return noGraph();
        }
        return encoded(backend.rerun(asked->request, progressOf(call, message.call)));
    }

    base::Result<std::string> callFunction(session::Backend& backend, OpenCall& call,
                                           const Message& message) {
        auto asked = decode<FunctionCall>(message.body);
        if (!asked) {
            return std::move(asked).error();
        }
        if (!asked->request.request.program || !asked->request.function.graph) {
            return noGraph();
        }
        steps::StepPauses pauses{asked->breakpoints,
                                 asked->pausesAtStart,
                                 asked->pausesAtEnd,
                                 asked->checkpointLimit,
                                 asked->contents,
                                 asked->byFusedKernel,
                                 {}};
        if (asked->pauses) {
            pauses.onPause = [&](const steps::StepPause& pause) {
                send(MessageKind::Pause, message.call, encode(pause));
                return awaitAnswer<steps::StepAnswer>(call);
            };
        }
        auto record = encoded(backend.call(asked->request, pauses, progressOf(call, message.call)));
        return call.unreadable ? *std::move(call.unreadable) : std::move(record);
    }

    /// Nothing if the call is stopped first.
    static std::optional<std::string> awaitAnswerBody(OpenCall& call) {
        std::unique_lock lock(call.mutex);
        call.answered.wait(lock, call.stop.get_token(), [&] { return call.answer.has_value(); });
        return std::exchange(call.answer, std::nullopt);
    }

    /// Abort if there is none. One that cannot be read ends the call too, with what is wrong with it as its
    /// error.
    template<typename T>
    static T awaitAnswer(OpenCall& call) {
        const std::optional<std::string> body = awaitAnswerBody(call);
        if (!body) {
            return T{T::Kind::Abort};
        }
        auto answer = decode<T>(*body);
        if (!answer) {
            call.unreadable = std::move(answer).error();
            call.unreadable->notes.emplace_back("It was the answer to a pause.");
            return T{T::Kind::Abort};
        }
        return std::move(answer).value();
    }

    static base::Error noGraph() {
        return {.code = "remote.malformed", .message = "A call has no graph to work on."};
    }

    int m_out;
    std::atomic<bool> m_ends = false;
    std::mutex m_sending;
    session::BackendFactory m_factory;
    std::mutex m_opening;
    std::unique_ptr<session::Backend> m_backend;
    /// Only the reading thread uses it.
    std::map<std::uint64_t, std::unique_ptr<OpenCall>> m_calls;
    /// Last, because its end waits for the calls at work.
    base::WorkerThreads m_threads;
};

/// Reads until the other side hangs up.
base::Result<void> listen(int in, Engine& engine) {
    MessageReader reader;
    std::vector<Message> messages;
    std::array<char, 65536> buffer;
    while (true) {
        const ssize_t got = ::read(in, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 ? reader.end() : base::Result<void>();
        }
        if (auto read = reader.read({buffer.data(), static_cast<std::size_t>(got)}, messages); !read) {
            return read;
        }
        for (Message& message : std::exchange(messages, {})) {
            if (auto taken = engine.take(std::move(message)); !taken) {
                return taken;
            }
        }
    }
}

} // namespace

base::Result<void> serve(int in, int out, session::BackendFactory factory,
                         const std::function<void()>& onHangup) {
    Engine engine(out, std::move(factory));
    engine.send(MessageKind::Hello, 0, encode(Hello{wireVersion}));
    base::Result<void> ended = listen(in, engine);
    if (!ended) {
        engine.send(MessageKind::Failure, 0, encode(Failure{ended.error()}));
    }
    if (onHangup) {
        onHangup();
    }
    return ended;
}

} // namespace aotscope::remote
