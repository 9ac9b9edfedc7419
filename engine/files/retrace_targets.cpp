#include "files/retrace_targets.h"

#include "files/graph_document.h"

#include "load/record_kind.h"
#include "load/wrapper_sources.h"

#include <algorithm>

namespace aotscope::session {
namespace {

std::optional<ArtifactReference> firstOf(const LogSnapshot& log, const std::string& unit,
                                         std::initializer_list<const char*> parts) {
    for (const char* part : parts) {
        if (const GraphSnapshot* graph = tryGraphOfFile(log, unit + part)) {
            return graph->reference;
        }
    }
    return std::nullopt;
}

std::vector<RetraceTarget> targetsOfFile(const LogSnapshot& log) {
    std::vector<RetraceTarget> targets;
    for (const GraphSnapshotPtr& graph : log.graphs()) {
        const std::string unit(unitOf(graph->reference.artifact));
        if (unit.empty()) {
            if (!graph->joint) {
                targets.push_back({graph->reference, {}, {}, {}, graph->reference.artifact});
            }
        } else if (std::ranges::none_of(targets, [&](const auto& known) { return known.name == unit; })) {
            targets.push_back({firstOf(log, unit, {"/dynamo", "/predispatch"}),
                               firstOf(log, unit, {"/joint", "/inference"}),
                               {},
                               {},
                               unit});
        }
    }
    return targets;
}

} // namespace

std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log, load::CompileIndex compile) {
    const load::CompileId& id = log.compiles()[compile.index()].id;
    const auto rank = log.compiles()[compile.index()].rank;
    const load::ArtifactList& artifacts = log.artifacts(compile);
    std::vector<RetraceTarget> targets;
    for (std::size_t place = 0; place < artifacts.size(); ++place) {
        const load::Artifact& artifact = artifacts[place];
        const load::RecordKind kind = artifact.kind;
        const ArtifactReference reference{log.log, id, artifacts.exactName(place), {}, rank};
        if (kind == load::RecordKind::DynamoOutputGraph) {
            targets.push_back({reference, {}, {}, compile, id.text()});
        } else if (kind == load::RecordKind::AotJointGraph || kind == load::RecordKind::AotInferenceGraph) {
            if (targets.empty() || targets.back().logged) {
                targets.push_back({{}, {}, {}, compile, id.text()});
            }
            targets.back().logged = reference;
        } else if (artifact.name.starts_with(load::metadataArtifact)) {
            // AOTAutograd logs the metadata before an inference graph and after a joint graph.
            if (targets.empty() || targets.back().metadata) {
                targets.push_back({{}, {}, {}, compile, id.text()});
            }
            targets.back().metadata = artifact.record;
        } else if (artifact.name.starts_with(load::wrapperSourcesArtifact) && !targets.empty() &&
                   !targets.back().wrapperSources) {
            // It ends a compile, and with a lazily compiled backward is logged with it.
            targets.back().wrapperSources = artifact.record;
        }
    }
    return targets;
}

std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log, const ArtifactReference& graph) {
    if (!log.traceLog()) {
        return targetsOfFile(log);
    }
    const auto compile = log.tryFindCompile(graph);
    return compile ? retraceTargets(log, *compile) : std::vector<RetraceTarget>();
}

std::vector<RetraceTarget> retraceTargets(const LogSnapshot& log) {
    if (!log.traceLog()) {
        return targetsOfFile(log);
    }
    std::vector<RetraceTarget> targets;
    for (std::uint32_t index = 0; index < log.compiles().size(); ++index) {
        std::ranges::move(retraceTargets(log, load::CompileIndex(index)), std::back_inserter(targets));
    }
    return targets;
}

ArtifactReference besideTarget(std::uint32_t log, const RetraceTarget& target, const std::string& prefix) {
    ArtifactReference reference = target.logged ? *target.logged : *target.program;
    reference.log = log;
    reference.artifact = prefix + reference.artifact;
    reference.subgraph.clear();
    return reference;
}

} // namespace aotscope::session
