#include "remote/serve.h"

#include "remote/message.h"
#include "remote/values.h"

#include "base/worker_threads.h"
#include "contract/errors.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <variant>

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
        if (placeOfCall(message.kind)) {
            return begin(std::move(message));
        }
        const auto open = m_calls.find(message.call);
        switch (message.kind) {
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
        return session::orExceptionError("The engine's work", [&]() -> base::Result<std::string> {
            AOTSCOPE_TRY(backend, open());
            return answerOf(*backend, call, message);
        });
    }

    base::Result<session::Backend*> open() {
        const std::lock_guard lock(m_opening);
        if (!m_backend) {
            AOTSCOPE_TRY(opened, m_factory());
            m_backend = std::move(opened);
        }
        return m_backend.get();
    }

    base::Result<std::string> answerOf(session::Backend& backend, OpenCall& call, const Message& message) {
        return answerAt(backend, call, message, *placeOfCall(message.kind),
                        std::make_index_sequence<std::variant_size_v<session::AnyCall>>());
    }

    template<std::size_t... Place>
    base::Result<std::string> answerAt(session::Backend& backend, OpenCall& call, const Message& message,
                                       std::size_t place, std::index_sequence<Place...> /*places*/) {
        base::Result<std::string> result{std::string()};
        const auto answerIfAt = [&]<std::size_t Here>() {
            using Asked = std::variant_alternative_t<Here, session::AnyCall>;
            if (Here == place) {
                result = answerTo<typename Asked::Call>(backend, call, message);
            }
        };
        (answerIfAt.template operator()<Place>(), ...);
        return result;
    }

    template<typename Call>
    base::Result<std::string> answerTo(session::Backend& backend, OpenCall& call, const Message& message) {
        KnownGraphs known;
        AOTSCOPE_TRY(asked, decode<Call>(message.body, {}, &known));
        if constexpr (requires { asked.hasGraphs(); }) {
            if (!asked.hasGraphs()) {
                return base::Error{.code = "remote.malformed", .message = "A call has no graph to work on."};
            }
        }
        if constexpr (requires { Call::handler(asked); }) {
            askOtherSide(Call::handler(asked), call, message.call, known);
        }
        const base::Progress progress(
            [this, &message](const base::ProgressState& state) {
                send(MessageKind::Progress, message.call, encode(state));
            },
            call.stop.get_token());
        const auto answer = backend.answer(asked, progress);
        if (call.unreadable) {
            return *std::move(call.unreadable);
        }
        return answer ? base::Result<std::string>(encode(*answer, known)) : answer.error();
    }

    /// Where the caller has a handler, one that sends it what the call asks.
    template<typename Answer, typename Question>
    void askOtherSide(std::function<Answer(Question)>& handler, OpenCall& call, std::uint64_t number,
                      const KnownGraphs& known) {
        if (!handler) {
            return;
        }
        handler = [this, &call, number, &known](const Question& question) {
            send(MessageKind::Pause, number, encode(question, known));
            const std::optional<std::string> body = awaitAnswer(call);
            if constexpr (!std::is_void_v<Answer>) {
                return body ? readAnswer<Answer>(*body, call) : Answer{Answer::Kind::Abort};
            }
        };
    }

    /// The body of the answer to a pause; nothing if the call is stopped first.
    static std::optional<std::string> awaitAnswer(OpenCall& call) {
        std::unique_lock lock(call.mutex);
        call.answered.wait(lock, call.stop.get_token(), [&] { return call.answer.has_value(); });
        return std::exchange(call.answer, std::nullopt);
    }

    /// One that cannot be read ends the call, with what is wrong with it as its error.
    template<typename T>
    static T readAnswer(std::string_view body, OpenCall& call) {
        auto answer = decode<T>(body);
        if (!answer) {
            call.unreadable = std::move(answer).error();
            call.unreadable->notes.emplace_back("It was the answer to a pause.");
            return T{T::Kind::Abort};
        }
        return std::move(answer).value();
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
            AOTSCOPE_CHECK(engine.take(std::move(message)));
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
