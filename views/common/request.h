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

/// A conversation with the engine: a command that was sent, and how it stands with it. What came too late is
/// dropped in here: the news of another job, an answer to another question, and everything about a log that
/// was closed meanwhile. Request<T> says which answer is wanted. A member of whoever asks.
class RequestBase : public QObject {
    Q_OBJECT

public:
    enum class State {
        /// Nothing was asked, or it is wanted no more.
        Idle,
        /// Asked, and not begun: `waitsFor` says for what, where the engine told.
        Waiting,
        Running,
        /// The answer is here.
        Ready,
        /// By a person; retry() asks again.
        Canceled,
        /// `error` says why; retry() asks again.
        Failed
    };

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isUnderWay() const { return m_state == State::Waiting || m_state == State::Running; }
    /// Whether it ended without an answer, so that it can be asked again.
    [[nodiscard]] bool gaveUp() const { return m_state == State::Canceled || m_state == State::Failed; }
    /// What was asked last; nothing while idle.
    [[nodiscard]] const std::optional<session::Command>& asked() const { return m_asked; }
    /// The same, where it was a command of this kind.
    template<typename Kind>
    [[nodiscard]] const Kind* askedFor() const {
        return m_asked ? std::get_if<Kind>(&*m_asked) : nullptr;
    }
    [[nodiscard]] const std::optional<session::Waiting>& waitsFor() const { return m_waitsFor; }
    [[nodiscard]] const base::ProgressState& progress() const { return m_progress; }
    /// Why it failed; nothing: it did not.
    [[nodiscard]] const std::optional<base::Error>& error() const { return m_error; }

    /// Sends a command; what was asked before is superseded.
    void ask(session::Command command);
    /// Asks once more what was asked last; nothing while that is under way, or nothing was asked.
    void retry();
    /// Has the engine stop; the state is Canceled once it did.
    void cancel();
    /// The answer is wanted no more: stops the engine, and nothing of it is told.
    void forget();

Q_SIGNALS:
    /// Another state.
    void changed();
    void progressed();
    /// An answer came; the state is Ready when the engine has said that it was the last one.
    void answered();
    /// What else the engine tells of the job, such as the pauses of a trace.
    void told(const aotscope::session::Event& event);

protected:
    enum class Answers { One, Several };
    RequestBase(EngineClient* engine, QString tag, Answers answers, QObject* parent);

    /// Keeps the answer, if it is one; null: lets go of the last.
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
    /// 0: no job's news is awaited.
    quint64 m_job = 0;
    bool m_hasAnswer = false;
};

/// A request that is answered with a T of session::Event: a snapshot.
template<typename T>
class Request : public RequestBase {
public:
    /// A newer command of the same tag supersedes one that is under way, whoever sent it.
    Request(EngineClient* engine, QString tag, QObject* parent = nullptr)
        : RequestBase(engine, std::move(tag), Answers::One, parent) {}

    /// The last answer to what was asked last; null: none yet.
    [[nodiscard]] const T& answer() const { return m_answer; }
    /// Hands it over, for whoever must choose when it goes.
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

/// A request that is answered with any number of Ts, one after the other.
template<typename T>
class SeriesRequest : public Request<T> {
public:
    SeriesRequest(EngineClient* engine, QString tag, QObject* parent = nullptr)
        : Request<T>(engine, std::move(tag), RequestBase::Answers::Several, parent) {}
};

/// What a page says of a request that has no answer.
struct RequestWords {
    /// "Reading 0/0 Joint …"
    QString running;
    /// "Reading 0/0 Joint was canceled"
    QString canceled;
    /// "0/0 Joint cannot be read"; the error follows.
    QString failed;
    /// What else there is to do when it was canceled or failed.
    QString howTo = {};
};

} // namespace aotscope::views
