#include "common/log_list.h"

#include "base/mapped.h"
#include "common/background.h"

#include "common/engine_client.h"
#include "common/format.h"
#include "files/logged_partitions.h"
#include "load/graph_kind.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

bool isCompile(const load::Compile& row) {
    return !row.id.empty() || row.records.empty() || row.status == load::CompileStatus::Succeeded;
}

std::size_t countCompiles(const session::LogSnapshot& log) {
    return static_cast<std::size_t>(std::ranges::count_if(log.compiles(), isCompile));
}

QString titleOf(const session::LogSnapshot& log) {
    QString name = fileNameOf(log.path.string());
    if (log.rank()) {
        return QStringLiteral("rank %1 · %2").arg(*log.rank()).arg(name);
    }
    return name;
}

QString inLog(const QString& words, const session::LogName& log) {
    if (log.text.empty()) {
        return words;
    }
    return log.isRank ? text(log.text) + QLatin1Char(':') + words
                      : words + QStringLiteral(" · ") + text(log.text);
}

LogList::LogList(EngineClient* engine, QObject* parent) : QObject(parent) {
    connect(engine, &EngineClient::logChanged, this, [this](const session::LogSnapshotPtr& log) {
        session::LogSnapshotPtr before = std::exchange(m_logs[log->log], log);
        const bool isCalledSo = before && before->path == log->path && before->rank() == log->rank();
        Q_EMIT changed(log);
        if (!isCalledSo) {
            nameLogs();
        }
        // No panel holds it any longer. Destroying the tables of a large log takes too long for the window's
        // thread.
        startInBackground([before = std::move(before)]() mutable { before.reset(); });
    });
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        m_logs.erase(log);
        Q_EMIT closed(log);
        nameLogs();
    });
}

void LogList::nameLogs() {
    const auto logs = base::mapped(m_logs, [](const auto& each) { return each.second; });
    const std::vector<session::LogName> found = session::logNames(logs);
    std::map<quint32, session::LogName> names;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        names.emplace(logs[i]->log, found[i]);
    }
    if (names != m_names) {
        m_names = std::move(names);
        Q_EMIT namesChanged();
    }
}

session::LogName LogList::nameOf(quint32 log) const {
    const auto found = m_names.find(log);
    return found == m_names.end() ? session::LogName() : found->second;
}

QString LogList::idOf(const session::ArtifactReference& reference) const {
    // In a log that mixes ranks only compiles of another rank than the log's show their rank.
    const std::string name = reference.rank ? std::string() : nameOf(reference.log).text;
    return text((name.empty() ? name : name + ":") + idText(reference));
}

QString LogList::textOf(const session::ArtifactReference& reference) const {
    return inLog(referenceText(reference), reference.rank ? session::LogName() : nameOf(reference.log));
}

session::LogSnapshotPtr LogList::tryLog(quint32 log) const {
    const auto found = m_logs.find(log);
    return found == m_logs.end() ? nullptr : found->second;
}

std::optional<load::CompileIndex> LogList::tryIndex(const session::ArtifactReference& reference) const {
    const session::LogSnapshotPtr log = tryLog(reference.log);
    return log ? log->tryFindCompile(reference) : std::nullopt;
}

const load::Compile* LogList::tryCompile(const session::ArtifactReference& reference) const {
    const std::optional<load::CompileIndex> index = tryIndex(reference);
    return index ? &tryLog(reference.log)->compiles()[index->index()] : nullptr;
}

std::optional<load::Artifact> LogList::tryArtifact(const session::ArtifactReference& reference) const {
    const std::optional<load::CompileIndex> index = tryIndex(reference);
    if (!index) {
        return std::nullopt;
    }
    const session::LogSnapshotPtr log = tryLog(reference.log);
    if (const load::Artifact* const found = log->artifacts(*index).tryFind(reference.artifact)) {
        return *found;
    }
    if (session::isMadeHere(reference)) {
        load::Artifact made;
        made.compile = *index;
        made.name = reference.artifact;
        made.isGraph = true;
        return made;
    }
    return std::nullopt;
}

session::ArtifactReference LogList::exact(session::ArtifactReference reference) const {
    if (const std::optional<load::CompileIndex> index = tryIndex(reference)) {
        const load::ArtifactList& artifacts = tryLog(reference.log)->artifacts(*index);
        if (const auto place = artifacts.tryPlace(reference.artifact)) {
            reference.artifact = artifacts.exactName(*place);
        }
    }
    return reference;
}

session::ArtifactReference LogList::bestArtifact(quint32 log, load::CompileIndex compile,
                                                 const std::string& preferred) const {
    const session::LogSnapshotPtr snapshot = tryLog(log);
    if (!snapshot || compile.index() >= snapshot->compiles().size()) {
        return {.log = log, .compile = {}, .artifact = {}};
    }
    session::ArtifactReference reference =
        session::referenceTo(*snapshot, snapshot->compiles()[compile.index()]);
    const load::ArtifactList& artifacts = snapshot->artifacts(compile);
    if (const auto place = artifacts.tryPlace(preferred)) {
        reference.artifact = artifacts.exactName(*place);
        return reference;
    }
    if (const auto place = load::tryFirstGraph(artifacts, load::tellingGraphKinds)) {
        reference.artifact = artifacts.exactName(*place);
    } else if (!artifacts.empty()) {
        reference.artifact = artifacts.exactName(artifacts.graphs().empty() ? 0 : artifacts.graphs().front());
    }
    return reference;
}

} // namespace aotscope::views
