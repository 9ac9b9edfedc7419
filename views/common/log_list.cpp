#include "common/log_list.h"

#include "common/background.h"

#include "common/engine_client.h"
#include "common/format.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

std::span<const load::Compile> compilesOf(const session::LogSnapshot& log) {
    static const std::vector<load::Compile> graphFile(1);
    return log.traceLog ? log.traceLog->compiles() : std::span<const load::Compile>(graphFile);
}

std::vector<load::Artifact> artifactsOf(const session::LogSnapshot& log, load::CompileIndex index) {
    if (log.traceLog) {
        return log.traceLog->artifacts(index);
    }
    std::vector<load::Artifact> artifacts;
    for (const session::GraphSnapshotPtr& graph : log.graphs) {
        load::Artifact artifact;
        artifact.compile = index;
        artifact.name = graph->reference.artifact;
        artifact.isGraph = true;
        artifact.bytes = graph->text.size();
        artifacts.push_back(std::move(artifact));
    }
    return artifacts;
}

QString titleOf(const session::LogSnapshot& log) {
    const std::filesystem::path path = log.traceLog ? log.traceLog->path() : log.path;
    const QString name = fileNameOf(path.string());
    if (log.traceLog && log.traceLog->rank()) {
        return QStringLiteral("rank %1 · %2").arg(*log.traceLog->rank()).arg(name);
    }
    return name;
}

LogList::LogList(EngineClient* engine, QObject* parent) : QObject(parent) {
    connect(engine, &EngineClient::logChanged, this, [this](const session::LogSnapshotPtr& log) {
        session::LogSnapshotPtr before = std::exchange(m_logs[log->log], log);
        Q_EMIT changed(log);
        // By now no panel holds it; taking a large log's tables apart is no work for the window's thread.
        startInBackground([before = std::move(before)]() mutable { before.reset(); });
    });
    connect(engine, &EngineClient::logClosed, this, [this](quint32 log) {
        m_logs.erase(log);
        Q_EMIT closed(log);
    });
}

session::LogSnapshotPtr LogList::tryLog(quint32 log) const {
    const auto found = m_logs.find(log);
    return found == m_logs.end() ? nullptr : found->second;
}

std::optional<load::CompileIndex> LogList::tryIndex(const session::ArtifactReference& reference) const {
    const session::LogSnapshotPtr log = tryLog(reference.log);
    if (!log) {
        return std::nullopt;
    }
    return log->traceLog ? log->traceLog->tryFindCompile(reference.compile) : load::CompileIndex(0);
}

const load::Compile* LogList::tryCompile(const session::ArtifactReference& reference) const {
    const std::optional<load::CompileIndex> index = tryIndex(reference);
    return index ? &compilesOf(*tryLog(reference.log))[index->index()] : nullptr;
}

std::optional<load::Artifact> LogList::tryArtifact(const session::ArtifactReference& reference) const {
    const std::optional<load::CompileIndex> index = tryIndex(reference);
    if (!index) {
        return std::nullopt;
    }
    const session::LogSnapshotPtr log = tryLog(reference.log);
    if (log->traceLog) {
        return log->traceLog->tryFindArtifact(*index, reference.artifact);
    }
    const std::vector<load::Artifact> artifacts = artifactsOf(*log, *index);
    const auto found = std::find_if(artifacts.begin(), artifacts.end(), [&](const load::Artifact& artifact) {
        return artifact.name == reference.artifact;
    });
    return found == artifacts.end() ? std::nullopt : std::optional(*found);
}

session::ArtifactReference LogList::bestArtifact(quint32 log, load::CompileIndex compile,
                                                 const std::string& preferred) const {
    session::ArtifactReference reference;
    reference.log = log;
    const session::LogSnapshotPtr snapshot = tryLog(log);
    if (!snapshot || compile.index() >= compilesOf(*snapshot).size()) {
        return reference;
    }
    reference.compile = compilesOf(*snapshot)[compile.index()].id;
    const std::vector<load::Artifact> artifacts = artifactsOf(*snapshot, compile);
    const auto rank = [&](const load::Artifact& artifact) {
        if (!preferred.empty() && artifact.name == preferred) {
            return 0;
        }
        static constexpr const char* order[] = {"joint",  "forward",           "inference", "backward",
                                                "dynamo", "compiled_autograd", "graph"};
        for (int place = 0; const char* name : order) {
            ++place;
            if (artifact.name == name) {
                return place;
            }
        }
        return artifact.isGraph ? 10 : 11;
    };
    const auto best = std::min_element(
        artifacts.begin(), artifacts.end(),
        [&](const load::Artifact& left, const load::Artifact& right) { return rank(left) < rank(right); });
    if (best != artifacts.end()) {
        reference.artifact = best->name;
    }
    return reference;
}

} // namespace aotscope::views
