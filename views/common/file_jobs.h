#pragma once

#include "common/write_file.h"

#include <QObject>

#include <map>
#include <memory>
#include <stop_token>
#include <variant>

namespace aotscope::views {

/// The files that are being written beside the window's thread: how far each is, and a way to cancel it.
/// Whoever exports something hands it over here.
class FileJobs : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    /// Stops what is under way; it leaves nothing behind and tells nobody.
    ~FileJobs() override;

    /// Once a file is written, or is not, `done` is told on the window's thread, unless `receiver` is gone.
    using Make = std::variant<MakeFile, MakeFolder>;
    using Done = std::function<void(const FileResult&)>;
    quint64 write(const QString& path, Make make, QObject* receiver, Done done);
    void cancel(quint64 job);
    [[nodiscard]] base::ProgressState state(quint64 job) const;

Q_SIGNALS:
    /// "Writing layer.svg"
    void started(quint64 job, const QString& what);
    /// Comes before `done` is told.
    void ended(quint64 job);
    /// One that could not be written, for a canceled one there is no error to tell.
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
