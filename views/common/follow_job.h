#pragma once

#include <QString>

#include <functional>

class QObject;

namespace aotscope::views {

class EngineClient;

/// What a panel does with the news of the job it sent.
struct JobWords {
    /// While the job goes on.
    QString running;
    std::function<void(const QString&)> say;
    /// With a message where it was canceled or failed.
    std::function<void(quint64 job, const QString& message)> end;
};

/// Says what `job` waits for, that it goes on, and how it ended. `job` is read at each of the news, so that a
/// panel may send another; it must live as long as `owner`. `end` hears of every job's end.
void followJob(EngineClient* engine, QObject* owner, const quint64& job, const JobWords& words);

} // namespace aotscope::views
