#pragma once

#include "common/write_file.h"

#include <QObject>

#include <map>
#include <memory>
#include <stop_token>
#include <variant>

namespace aotscope::views {

/// Files that are written in the background, with progress and cancel. All exports go through it.
class FileJobs : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    /// Cancels running jobs. They leave no files and `done` is not called.
    ~FileJobs() override;

    /// `done` is called on the window's thread when the file is written or failed, unless `receiver` was
    /// destroyed.
    using Make = std::variant<MakeFile, MakeFolder>;
    using Done = std::function<void(const FileResult&)>;
    quint64 write(const QString& path, Make make, QObject* receiver, Done done);
    void cancel(quint64 job);
    [[nodiscard]] base::ProgressState state(quint64 job) const;

Q_SIGNALS:
    /// "Writing layer.svg"
    void started(quint64 job, const QString& what);
    /// Emitted before `done` is called.
    void ended(quint64 job);
    /// The file could not be written. Not emitted for canceled jobs.
    void failed(const aotscope::base::Error& error);

private:
    class SharedState;
    struct Job {
        std::shared_ptr<SharedState> state;
        std::stop_source stop;
    };

    std::map<quint64, Job> m_jobs;
    quint64 m_last = 0;
};

} // namespace aotscope::views
