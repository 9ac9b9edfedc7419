#pragma once

#include "session/commands.h"
#include "session/events.h"

#include <QObject>
#include <QString>

#include <optional>
#include <utility>
#include <variant>

namespace aotscope::views {

class EngineClient;

/// One command sent to the engine and its state. Drops what comes too late: events of other jobs, answers to
/// other questions, and everything about a closed log. Request<T> names the expected answer. Make it a member
/// of the sender.
class RequestBase : public QObject {
    Q_OBJECT

public:
    enum class State {
        /// Nothing was requested, or the answer is not wanted.
        Idle,
        /// Sent but not started; `waitsFor` has the engine's reason, if there is one.
        Waiting,
        Running,
        /// The answer has arrived.
        Ready,
        /// Canceled by a person; retry() asks again.
        Canceled,
        /// Failed with `error`; retry() asks again.
        Failed
    };

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isUnderWay() const { return m_state == State::Waiting || m_state == State::Running; }
    /// Whether it ended without an answer, so that it can be retried.
    [[nodiscard]] bool gaveUp() const { return m_state == State::Canceled || m_state == State::Failed; }
    /// The last command; nothing while idle.
    [[nodiscard]] const std::optional<session::Command>& asked() const { return m_asked; }
    /// The last command if it is of this kind, else null.
    template<typename Kind>
    [[nodiscard]] const Kind* askedFor() const {
        return m_asked ? std::get_if<Kind>(&*m_asked) : nullptr;
    }
    [[nodiscard]] const std::optional<session::Waiting>& waitsFor() const { return m_waitsFor; }
    [[nodiscard]] const base::ProgressState& progress() const { return m_progress; }
    /// Nothing if it did not fail.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_error; }

    /// Sends a command, which supersedes the previous one.
    void ask(session::Command command);
    /// Sends the last command again, unless it is in progress or there is none.
    void retry();
    /// Asks the engine to stop. The state becomes Canceled when it has stopped.
    void cancel();
    /// Drops the request: stops the engine and emits nothing about it.
    void forget();

Q_SIGNALS:
    /// The state changed.
    void changed();
    void progressed();
    /// An answer arrived. The state becomes Ready when the engine reports the end of the job.
    void answered();
    /// Other events of the job, such as the pauses of a trace.
    void told(const aotscope::session::Event& event);

protected:
    enum class Answers { One, Several };
    RequestBase(EngineClient* engine, QString tag, Answers answers, QObject* parent);

    /// Stores the answer if `body` is one; with null drops the stored answer.
    virtual bool keep(const session::EventBody* body) = 0;

private:
    void hear(const session::Event& event);
    void end(State state, std::optional<base::Error> error = std::nullopt);

    EngineClient* m_engine;
    QString m_tag;
    Answers m_answers;
    State m_state = State::Idle;
    std::optional<session::Command> m_asked;
    std::optional<session::Waiting> m_waitsFor;
    base::ProgressState m_progress;
    std::optional<base::Error> m_error;
    /// 0: not waiting for any job.
    quint64 m_job = 0;
    bool m_hasAnswer = false;
};

/// A request whose answer is the snapshot T of session::Event.
template<typename T>
class Request : public RequestBase {
public:
    /// A newer command with the same tag supersedes this one, even if another object sent it.
    Request(EngineClient* engine, QString tag, QObject* parent = nullptr)
        : RequestBase(engine, std::move(tag), Answers::One, parent) {}

    /// The last answer to the last command; null before it arrives.
    [[nodiscard]] const T& answer() const { return m_answer; }
    /// Moves the answer out, for callers that decide when it is destroyed.
    [[nodiscard]] T takeAnswer() { return std::exchange(m_answer, nullptr); }

protected:
    Request(EngineClient* engine, QString tag, RequestBase::Answers answers, QObject* parent)
        : RequestBase(engine, std::move(tag), answers, parent) {}

    bool keep(const session::EventBody* body) override {
        const T* answer = body != nullptr ? std::get_if<T>(body) : nullptr;
        if (body == nullptr || answer != nullptr) {
            m_answer = answer != nullptr ? *answer : nullptr;
        }
        return answer != nullptr;
    }

private:
    T m_answer;
};

/// A request that is answered with any number of Ts.
template<typename T>
class SeriesRequest : public Request<T> {
public:
    SeriesRequest(EngineClient* engine, QString tag, QObject* parent = nullptr)
        : Request<T>(engine, std::move(tag), RequestBase::Answers::Several, parent) {}
};

/// What a page says while a request has no answer.
struct RequestWords {
    /// "Reading 0/0 Joint …"
    QString running;
    /// "Reading 0/0 Joint was canceled"
    QString canceled;
    /// "0/0 Joint cannot be read"; the error is appended.
    QString failed;
    /// What else a person can do after a cancel or failure.
    QString howTo = {};
};

} // namespace aotscope::views
