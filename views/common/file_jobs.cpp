#include "common/file_jobs.h"

#include "base/progress.h"
#include "common/background.h"

#include <QFileInfo>
#include <QPointer>

#include <mutex>

namespace aotscope::views {

namespace {

FileResult made(const QString& path, const FileJobs::Make& make, const base::Progress& progress) {
    const auto* folder = std::get_if<MakeFolder>(&make);
    return folder != nullptr ? writeFolder(path, *folder, progress)
                             : writeFile(path, std::get<MakeFile>(make), progress);
}

} // namespace

/// Written by the writing thread, read by the window's thread.
class FileJobs::SharedState {
public:
    void set(const base::ProgressState& state) {
        const std::lock_guard lock(m_mutex);
        m_state = state;
    }
    [[nodiscard]] base::ProgressState get() const {
        const std::lock_guard lock(m_mutex);
        return m_state;
    }

private:
    mutable std::mutex m_mutex;
    base::ProgressState m_state;
};

FileJobs::~FileJobs() {
    for (auto& [number, job] : m_jobs) {
        job.stop.request_stop();
    }
}

quint64 FileJobs::write(const QString& path, Make make, QObject* receiver, Done done) {
    const quint64 number = ++m_last;
    Job& job = m_jobs[number];
    job.state = std::make_shared<SharedState>();
    const QString what = tr("Writing %1").arg(QFileInfo(path).fileName());
    base::Progress progress(
        [state = job.state, stage = what.toStdString()](const base::ProgressState& reported) {
            state->set({stage, reported.done, reported.total, reported.stage});
        },
        job.stop.get_token());
    // Bound to this object and not to the receiver: the job must end here even if the receiver is gone.
    runInBackground<FileResult>(
        this, [path, make = std::move(make), progress] { return made(path, make, progress); },
        [this, number, receiver = QPointer<QObject>(receiver),
         done = std::move(done)](const FileResult& result) {
            m_jobs.erase(number);
            Q_EMIT ended(number);
            if (result.error && !base::isCanceled(*result.error)) {
                Q_EMIT failed(*result.error);
            }
            if (receiver && done) {
                done(result);
            }
        },
        Lane::Files);
    Q_EMIT started(number, what);
    return number;
}

void FileJobs::cancel(quint64 number) {
    if (const auto found = m_jobs.find(number); found != m_jobs.end()) {
        found->second.stop.request_stop();
    }
}

base::ProgressState FileJobs::state(quint64 number) const {
    const auto found = m_jobs.find(number);
    return found == m_jobs.end() ? base::ProgressState() : found->second.state->get();
}

} // namespace aotscope::views
