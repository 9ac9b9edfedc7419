#pragma once

#include "common/engine_client.h"

#include "session/session.h"

#include <QMetaObject>

#include <deque>
#include <utility>
#include <vector>

namespace aotscope::test {

/// An engine for the tests of panels: a real session on the window's thread that answers in the next turn of
/// the event loop, or when it is told to.
class FakeEngineClient : public views::EngineClient {
public:
    struct Job {
        quint64 number = 0;
        QString tag;
        session::Command command;
    };

    quint64 send(session::Command command, const QString& tag = {}) override {
        m_sent.push_back(command);
        const quint64 number = ++m_last;
        if (!tag.isEmpty()) {
            for (auto job = m_queue.begin(); job != m_queue.end();) {
                if (job->tag == tag) {
                    const Job old = *job;
                    job = m_queue.erase(job);
                    dispatch({old.number, old.tag.toStdString(), session::Canceled{}});
                } else {
                    ++job;
                }
            }
        }
        m_queue.push_back({number, tag, std::move(command)});
        if (!m_held) {
            QMetaObject::invokeMethod(
                this, [this] { answerAll(); }, Qt::QueuedConnection);
        }
        return number;
    }

    void cancel(quint64 number) override {
        for (auto job = m_queue.begin(); job != m_queue.end(); ++job) {
            if (job->number == number) {
                const Job old = *job;
                m_queue.erase(job);
                dispatch({old.number, old.tag.toStdString(), session::Canceled{}});
                return;
            }
        }
    }

    void answerPause(quint64 pause, session::PauseAnswer answer) override {
        m_session.answerPause(pause, std::move(answer));
    }

    /// Commands wait until `release`.
    void hold() { m_held = true; }
    void release() {
        m_held = false;
        answerAll();
    }
    [[nodiscard]] const std::vector<session::Command>& sent() const { return m_sent; }
    [[nodiscard]] quint64 lastJob() const { return m_last; }
    [[nodiscard]] const QString& tagOfLast() const { return m_queue.back().tag; }
    /// An event that the engine itself would not send now.
    void pretend(const session::Event& event) { dispatch(event); }

private:
    void answerAll() {
        while (!m_held && !m_queue.empty()) {
            const Job job = std::move(m_queue.front());
            m_queue.pop_front();
            const std::string tag = job.tag.toStdString();
            dispatch({job.number, tag, session::Started{std::string(session::commandName(job.command))}});
            m_session.execute(job.command, [&](session::EventBody body) {
                dispatch({job.number, tag, std::move(body)});
            });
        }
    }

    session::Session m_session;
    std::deque<Job> m_queue;
    std::vector<session::Command> m_sent;
    quint64 m_last = 0;
    bool m_held = false;
};

} // namespace aotscope::test
