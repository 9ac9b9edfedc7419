#pragma once

#include "common/engine_client.h"

#include "session/session.h"

#include <QMetaObject>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace aotscope::test {

/// An engine for panel tests: a real session on the window's thread, which answers in the next turn of the
/// event loop, or when the test says so.
class FakeEngineClient : public views::EngineClient {
public:
    struct Job {
        quint64 number = 0;
        QString tag;
        session::Command command;
    };

    explicit FakeEngineClient(session::BackendFactory factory = {}) : m_session(std::move(factory)) {}

    quint64 send(session::Command command, const QString& tag = {}) override {
        m_sent.push_back(command);
        const quint64 number = ++m_last;
        if (!tag.isEmpty()) {
            while (const auto old = takeIf([&](const Job& job) { return job.tag == tag; })) {
                tell(*old, session::Canceled{});
            }
        }
        m_queue.push_back({number, tag, std::move(command)});
        if (!isHeld(m_queue.back())) {
            QMetaObject::invokeMethod(
                this, [this] { answerAll(); }, Qt::QueuedConnection);
        }
        return number;
    }

    void cancel(quint64 number) override {
        if (const auto job = takeIf([&](const Job& each) { return each.number == number; })) {
            tell(*job, session::Canceled{});
        }
    }

    void answerPause(quint64 pause, session::PauseAnswer answer) override {
        m_session.answerPause(pause, std::move(answer));
    }

    void answerStep(quint64 pause, steps::StepAnswer answer) override {
        m_session.answerStep(pause, std::move(answer));
    }

    /// Holds back commands whose tag begins with `tag`, or all commands, until `release`.
    void hold(const QString& tag = {}) { m_held = tag.isNull() ? QStringLiteral("") : tag; }
    void release() {
        m_held.reset();
        answerAll();
    }
    /// The last command held back; nothing if there is none.
    [[nodiscard]] std::optional<Job> held() const {
        const auto last =
            std::find_if(m_queue.rbegin(), m_queue.rend(), [this](const Job& job) { return isHeld(job); });
        return last == m_queue.rend() ? std::nullopt : std::optional(*last);
    }
    /// Reports that a held job has started and is half done. It continues when it is released.
    void begin(const Job& job) {
        tell(job, session::Started{std::string(session::commandName(job.command))});
        tell(job, session::Progressed{{.stage = "Halfway", .done = 1, .total = 2, .detail = {}}});
    }
    /// Reports that a held job failed.
    void fail(const Job& job, const base::Error& error) {
        (void)takeIf([&](const Job& each) { return each.number == job.number; });
        tell(job, session::Failed{error});
    }
    /// Sends the answer and end of a job late, as if they were on their way when it was superseded or
    /// canceled.
    void answerLate(const Job& job) { execute(job); }

    [[nodiscard]] const std::vector<session::Command>& sent() const { return m_sent; }
    [[nodiscard]] quint64 lastJob() const { return m_last; }
    [[nodiscard]] const QString& tagOfLast() const { return m_queue.back().tag; }
    /// Sends an event that the engine itself would not send.
    void pretend(const session::Event& event) { dispatch(event); }

private:
    [[nodiscard]] bool isHeld(const Job& job) const { return m_held && job.tag.startsWith(*m_held); }
    template<typename Wanted>
    std::optional<Job> takeIf(Wanted&& wanted) {
        const auto found = std::ranges::find_if(m_queue, wanted);
        if (found == m_queue.end()) {
            return std::nullopt;
        }
        Job job = std::move(*found);
        m_queue.erase(found);
        return job;
    }
    void tell(const Job& job, session::EventBody body) {
        dispatch({job.number, job.tag.toStdString(), std::move(body)});
    }
    void execute(const Job& job) {
        m_session.execute(job.command, [&](session::EventBody body) { tell(job, std::move(body)); });
    }
    void answerAll() {
        while (const auto job = takeIf([this](const Job& each) { return !isHeld(each); })) {
            execute(*job);
        }
    }

    session::Session m_session;
    std::deque<Job> m_queue;
    std::vector<session::Command> m_sent;
    quint64 m_last = 0;
    /// Commands with tags that begin with this are held.
    std::optional<QString> m_held;
};

} // namespace aotscope::test
