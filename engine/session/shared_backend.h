#pragma once

#include "contract/backend.h"

#include "base/progress.h"
#include "base/result.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace aotscope::session {

/// A session's only backend. It is opened on first use and used by one caller at a time; a paused trace or
/// call lends it to others until the pause is answered. A waiting caller gives up when its progress requests
/// a stop. Thread-safe. Errors of all functions: those of the factory; session.no_backend; session.canceled.
class SharedBackend {
public:
    explicit SharedBackend(BackendFactory factory) : m_factory(std::move(factory)) {}

    /// Calls `work` with the backend, in its turn.
    template<typename Work>
    auto use(base::Progress progress, const Work& work) -> std::invoke_result_t<Work, Backend&> {
        Turn turn(*this, progress.stopToken());
        const auto opened = open(turn, progress);
        return opened ? work(**opened) : opened.error();
    }
    /// Backend::answer in its turn. `stage` and `name` are shown in progress. A call that pauses is passed as
    /// a temporary: its handler of pauses is exchanged.
    template<typename Call>
    [[nodiscard]] auto answer(Call&& call, base::Progress progress = {}, const std::string& stage = {},
                              std::string_view name = {})
        -> base::Result<typename std::remove_cvref_t<Call>::Answer> {
        Turn turn(*this, progress.stopToken());
        if constexpr (requires { call.pauses; }) {
            if (call.pauses.wanted()) {
                call.pauses.onPause = lending(turn, std::move(call.pauses.onPause), progress, stage);
            }
        }
        const auto opened = open(turn, progress);
        if (!opened) {
            return opened.error();
        }
        if (!stage.empty()) {
            progress.report(stage, 0, 0, name);
        }
        return (*opened)->answer(call, progress);
    }

private:
    /// Exclusive use of the backend, as an RAII lock.
    class Turn {
    public:
        /// Waits for the turn. If `stop` is requested first, `isHeld` is false.
        explicit Turn(SharedBackend& backend, const std::stop_token& stop) : m_backend(backend) {
            (void)take(stop);
        }
        ~Turn() { give(); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

        [[nodiscard]] bool isHeld() const { return m_isHeld; }
        /// Takes the turn if it is free; does not wait.
        bool tryTake();
        bool take(const std::stop_token& stop);
        void give();

    private:
        SharedBackend& m_backend;
        bool m_isHeld = false;
    };

    /// A handler of pauses that lends the backend to others until the answer is there. It runs on the thread
    /// that holds the turn.
    template<typename Pause, typename Answer>
    static std::function<Answer(Pause)> lending(Turn& turn, std::function<Answer(Pause)> onPause,
                                                base::Progress progress, const std::string& stage) {
        return [&turn, progress = std::move(progress), stage,
                onPause = std::move(onPause)](Pause pause) mutable {
            turn.give();
            Answer answer = onPause(std::move(pause));
            if (!turn.tryTake()) {
                progress.report("Waiting for the run to end", 0, 0);
                if (!turn.take(progress.stopToken())) {
                    return Answer{Answer::Kind::Abort};
                }
                progress.report(stage, 0, 0);
            }
            return answer;
        };
    }
    [[nodiscard]] base::Result<Backend*> open(const Turn& turn, base::Progress& progress);

    std::mutex m_mutex;
    std::condition_variable_any m_free;
    bool m_taken = false;
    /// Only accessed while holding the turn.
    BackendFactory m_factory;
    std::unique_ptr<Backend> m_backend;
};

} // namespace aotscope::session
