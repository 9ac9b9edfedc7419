#include "files/payload_snapshot.h"

#include "load/wrapper_sources.h"

#include "base/file_place.h"

#include <algorithm>
#include <utility>

namespace aotscope::session {

namespace {

/// Finds lines and JSON outline here, because it takes too long for the window's thread.
base::Result<PayloadSnapshotPtr> outlined(std::shared_ptr<PayloadSnapshot> payload,
                                          base::Progress& progress) {
    AOTSCOPE_TRY(lines, base::TextLines::of(payload->payload, progress));
    AOTSCOPE_TRY(json, load::JsonOutline::of(payload->payload, progress));
    AOTSCOPE_TRY(envelope, load::JsonOutline::of(payload->envelope, progress));
    payload->lines = std::move(lines);
    payload->json = std::move(json);
    payload->envelopeJson = std::move(envelope);
    return PayloadSnapshotPtr(std::move(payload));
}

} // namespace

base::Result<PayloadSnapshotPtr> loadPayload(const LogSnapshot& log, load::RecordId record,
                                             base::Progress& progress) {
    const load::TraceLog& traceLog = *log.traceLog();
    if (!record.valid() || record.index() >= traceLog.recordCount()) {
        return base::Error{.code = "session.no_such_record",
                           .message = "The log has no such record.",
                           .place = base::filePlace(log.path)};
    }
    AOTSCOPE_TRY(checked, traceLog.checkedPayload(record, progress));
    auto payload = std::make_shared<PayloadSnapshot>();
    payload->reference.log = log.log;
    payload->record = record;
    payload->kind = traceLog.kindName(record);
    payload->envelope = traceLog.envelope(record);
    payload->payload = std::move(checked.text);
    payload->state = checked.state;
    payload->stack = traceLog.stack(record);
    if (const load::CompileIndex compile = traceLog.compileOf(record); compile.valid()) {
        payload->reference.compile = traceLog.compile(compile).id;
        payload->reference.rank = traceLog.compile(compile).rank;
        const load::ArtifactList& artifacts = traceLog.artifacts(compile);
        const auto found = std::ranges::find(artifacts, record, &load::Artifact::record);
        if (found != artifacts.end()) {
            payload->reference.artifact =
                artifacts.exactName(static_cast<std::size_t>(found - artifacts.begin()));
        }
    }
    if (traceLog.artifactName(record) == load::wrapperSourcesArtifact) {
        for (load::WrapperSource& source : load::wrapperSources(payload->payload)) {
            payload->sections.push_back({std::move(source.section), source.line});
        }
    }
    return outlined(std::move(payload), progress);
}

base::Result<PayloadSnapshotPtr> payloadOfGraph(const GraphSnapshot& graph, base::Progress& progress) {
    auto payload = std::make_shared<PayloadSnapshot>();
    payload->reference = graph.reference;
    payload->kind = "graph";
    payload->payload = graph.text;
    payload->state = load::PayloadState::None;
    return outlined(std::move(payload), progress);
}

} // namespace aotscope::session
