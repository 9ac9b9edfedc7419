#include "files/unreadable_graphs.h"

#include "files/graph_snapshot.h"

#include "load/record_kind.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {
namespace {

std::vector<UnreadableGraph> ofGraphFile(const LogSnapshot& log) {
    std::vector<UnreadableGraph> found;
    for (const GraphSnapshotPtr& graph : log.graphs()) {
        if (graph->error) {
            found.push_back({graph->reference, graph->error->place.line, *graph->error});
        }
    }
    return found;
}

} // namespace

base::Result<std::vector<UnreadableGraph>> findUnreadableGraphs(const LogSnapshot& log,
                                                                base::Progress progress) {
    if (!log.traceLog()) {
        return ofGraphFile(log);
    }
    std::vector<UnreadableGraph> found;
    const load::TraceLog& trace = *log.traceLog();
    const auto compiles = trace.compiles();
    for (std::uint32_t index = 0; index < compiles.size(); ++index) {
        progress.report("Reading graphs", index, compiles.size());
        const load::ArtifactList& artifacts = trace.artifacts(load::CompileIndex(index));
        for (std::size_t place = 0; place < artifacts.size(); ++place) {
            const load::Artifact& artifact = artifacts[place];
            if (!artifact.isGraph || load::mainGraphName(artifact.kind).empty()) {
                continue;
            }
            AOTSCOPE_CHECK(progress.checkStop());
            ArtifactReference reference = referenceTo(log, compiles[index], artifacts.exactName(place));
            const auto read = loadArtifactGraph(trace, reference, base::Progress({}, progress.stopToken()));
            if (!read && base::isCanceled(read.error())) {
                return read.error();
            }
            if (read && (*read)->graph) {
                continue;
            }
            base::Error error = read ? (*read)->error.value_or(base::Error()) : read.error();
            const std::size_t within = std::max<std::size_t>(error.place.line, 1) - 1;
            found.push_back({std::move(reference), artifact.line + within, std::move(error)});
        }
    }
    return found;
}

} // namespace aotscope::session
