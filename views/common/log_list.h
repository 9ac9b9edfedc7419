#pragma once

#include "contract/snapshots.h"
#include "files/log_names.h"

#include <QObject>

#include <map>
#include <optional>
#include <span>

namespace aotscope::views {

class EngineClient;

[[nodiscard]] QString titleOf(const session::LogSnapshot& log);
/// `words` with the log's name: "rank3:0/0" with a rank, "0/0 · trace.log" with a file name. A long file name
/// comes last, so that a narrow column cuts it.
[[nodiscard]] QString inLog(const QString& words, const session::LogName& log);
/// Whether a row of LogSnapshot::compiles is a real compile, and not the row of records without a compile id.
[[nodiscard]] bool isCompile(const load::Compile& row);
/// The number of real compiles in a log.
[[nodiscard]] std::size_t countCompiles(const session::LogSnapshot& log);

/// The open logs, as last reported by the engine.
class LogList : public QObject {
    Q_OBJECT

public:
    explicit LogList(EngineClient* engine, QObject* parent = nullptr);

    [[nodiscard]] const std::map<quint32, session::LogSnapshotPtr>& logs() const { return m_logs; }
    [[nodiscard]] session::LogSnapshotPtr tryLog(quint32 log) const;
    /// Names that distinguish the logs; see session::logNames.
    [[nodiscard]] const std::map<quint32, session::LogName>& names() const { return m_names; }
    [[nodiscard]] session::LogName nameOf(quint32 log) const;
    /// "0/0", with several logs "rank3:0/0" or "trace.log:0/0": the form that the command line accepts.
    [[nodiscard]] QString idOf(const session::ArtifactReference& reference) const;
    /// referenceText, with several logs including the log's name.
    [[nodiscard]] QString textOf(const session::ArtifactReference& reference) const;
    [[nodiscard]] const load::Compile* tryCompile(const session::ArtifactReference& reference) const;
    [[nodiscard]] std::optional<load::CompileIndex>
    tryIndex(const session::ArtifactReference& reference) const;
    [[nodiscard]] std::optional<load::Artifact>
    tryArtifact(const session::ArtifactReference& reference) const;
    /// The same artifact under its unambiguous name (load::ArtifactList::exactName), so that references can
    /// be compared. Unchanged if the artifact does not exist.
    [[nodiscard]] session::ArtifactReference exact(session::ArtifactReference reference) const;
    /// The graph of a compile that a person most likely wants: `preferred` if there is one, else the first
    /// joint, forward, inference, … graph, else the first artifact. The name is empty if the compile has
    /// none.
    [[nodiscard]] session::ArtifactReference bestArtifact(quint32 log, load::CompileIndex compile,
                                                          const std::string& preferred = {}) const;

Q_SIGNALS:
    void changed(const aotscope::session::LogSnapshotPtr& log);
    void closed(quint32 log);
    /// Emitted after either of these, if logs have other names than before.
    void namesChanged();

private:
    void nameLogs();

    std::map<quint32, session::LogSnapshotPtr> m_logs;
    std::map<quint32, session::LogName> m_names;
};

} // namespace aotscope::views
