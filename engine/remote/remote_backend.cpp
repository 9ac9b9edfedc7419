#include "remote/remote_backend.h"

#include "remote/values.h"

#include "base/log.h"

#include <string_view>
#include <type_traits>
#include <variant>

namespace aotscope::remote {

namespace {

/// Asks the caller's handler what the engine asks.
template<typename Answer, typename Question>
base::Result<std::string> answerPause(const std::function<Answer(Question)>& handler, std::string_view body,
                                      const KnownGraphs& known) {
    AOTSCOPE_TRY(question, decode<Question>(body, known));
    if constexpr (std::is_void_v<Answer>) {
        handler(std::move(question));
        return std::string();
    } else {
        return encode(handler(std::move(question)));
    }
}

template<typename Call>
base::Result<typename Call::Answer> answerOf(EngineProcess& engine, MessageKind kind, const Call& call,
                                             base::Progress progress) {
    KnownGraphs known;
    std::string sent = encode(call, {}, &known);
    EngineProcess::OnPause onPause;
    if constexpr (requires { Call::handler(call); }) {
        if (Call::handler(call)) {
            onPause = [&](std::string_view body) { return answerPause(Call::handler(call), body, known); };
        }
    }
    const auto body = engine.call(kind, std::move(sent), onPause, std::move(progress));
    return body ? decode<typename Call::Answer>(*body, known) : body.error();
}

} // namespace

base::Result<std::shared_ptr<EngineProcess>> RemoteBackend::process() {
    const std::lock_guard lock(m_mutex);
    if (!m_process || m_process->hasEnded()) {
        AOTSCOPE_TRY(started, EngineProcess::start(m_program));
        m_process = std::move(started);
        base::logInfo("aotscope.remote", "engine started as process " + std::to_string(m_process->id()));
    }
    return m_process;
}

void RemoteBackend::endProcess() {
    // Calls that are still at work keep it until they end.
    std::shared_ptr<EngineProcess> ended;
    const std::lock_guard lock(m_mutex);
    ended.swap(m_process);
}

void RemoteBackend::answerAny(const session::AnyCall& any, base::Progress progress) {
    const auto engine = process();
    const MessageKind kind = callKind(any.index());
    std::visit(
        [&](const auto& asked) {
            if (!engine) {
                asked.answer = engine.error();
                return;
            }
            asked.answer = answerOf(**engine, kind, asked.call, std::move(progress));
            if constexpr (std::is_same_v<decltype(asked), const session::Asked<session::DescriptionCall>&>) {
                if (asked.answer) {
                    *asked.answer += ", in a process of its own";
                }
            }
        },
        any);
}

} // namespace aotscope::remote
