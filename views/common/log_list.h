#pragma once

#include "session/log_names.h"
#include "session/snapshots.h"

#include <QObject>

#include <map>
#include <optional>
#include <span>

namespace aotscope::views {

class EngineClient;

/// A log's compiles; a file that holds only graphs counts as one compile without an id.
[[nodiscard]] std::span<const load::Compile> compilesOf(const session::LogSnapshot& log);
/// Valid as long as the log; see load::TraceLog::artifacts.
[[nodiscard]] const load::ArtifactList& artifactsOf(const session::LogSnapshot& log,
                                                    load::CompileIndex index);
[[nodiscard]] QString titleOf(const session::LogSnapshot& log);
/// What is in a log, with which it is: "rank3:0/0", and behind where a narrow column cuts a file's long name,
/// "0/0 · trace.log".
[[nodiscard]] QString inLog(const QString& words, const session::LogName& log);
/// Whether a row of compilesOf is one that was compiled: records that name no compile, and hold no graph, are
/// kept in a row of their own.
[[nodiscard]] bool isCompile(const load::Compile& row);
/// How many of a log's rows are.
[[nodiscard]] std::size_t countCompiles(const session::LogSnapshot& log);

/// The logs that are open, as last told by the engine.
class LogList : public QObject {
    Q_OBJECT

public:
    explicit LogList(EngineClient* engine, QObject* parent = nullptr);

    [[nodiscard]] const std::map<quint32, session::LogSnapshotPtr>& logs() const { return m_logs; }
    [[nodiscard]] session::LogSnapshotPtr tryLog(quint32 log) const;
    /// What tells the logs from each other; see session::logNames.
    [[nodiscard]] const std::map<quint32, session::LogName>& names() const { return m_names; }
    [[nodiscard]] session::LogName nameOf(quint32 log) const;
    /// "0/0", among several logs "rank3:0/0" or "trace.log:0/0": as the command line takes it.
    [[nodiscard]] QString idOf(const session::ArtifactReference& reference) const;
    /// referenceText, among several logs with which it is of.
    [[nodiscard]] QString textOf(const session::ArtifactReference& reference) const;
    [[nodiscard]] const load::Compile* tryCompile(const session::ArtifactReference& reference) const;
    [[nodiscard]] std::optional<load::CompileIndex>
    tryIndex(const session::ArtifactReference& reference) const;
    [[nodiscard]] std::optional<load::Artifact>
    tryArtifact(const session::ArtifactReference& reference) const;
    /// The same artifact by the name that means it and no other (load::ArtifactList::exactName), so that two
    /// references to it are equal. As it is when there is none.
    [[nodiscard]] session::ArtifactReference exact(session::ArtifactReference reference) const;
    /// The graph of a compile a person most likely wants: `preferred` when the compile has it, else the joint
    /// graph, forward, inference, … (of several the first), else its first artifact; empty name: the compile
    /// has none.
    [[nodiscard]] session::ArtifactReference bestArtifact(quint32 log, load::CompileIndex compile,
                                                          const std::string& preferred = {}) const;

Q_SIGNALS:
    void changed(const aotscope::session::LogSnapshotPtr& log);
    void closed(quint32 log);
    /// After either, where logs are called otherwise than before.
    void namesChanged();

private:
    void nameLogs();

    std::map<quint32, session::LogSnapshotPtr> m_logs;
    std::map<quint32, session::LogName> m_names;
};

} // namespace aotscope::views
