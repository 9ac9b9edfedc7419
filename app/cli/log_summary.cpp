#include "log_summary.h"

#include "selection.h"

#include "base/mapped.h"
#include "timeline/timeline.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

constexpr std::uint64_t quickBytes = 32'000'000;

GraphCount countNodes(Program& program, const session::LogSnapshot& log, const load::Compile& compile,
                      const std::string& artifact) {
    GraphCount count{artifact, {}, {}};
    auto graph = program.session.graph(session::referenceTo(log, compile, artifact), program.progress());
    if (!graph && base::isCanceled(graph.error())) {
        throw interrupted();
    }
    if (!graph) {
        count.error = graph.error();
    } else if ((*graph)->graph) {
        count.nodes = (*graph)->graph->size();
    } else {
        count.error = (*graph)->error;
    }
    return count;
}

bool isMainGraph(load::RecordKind kind) {
    return isAtenGraph(kind) || kind == load::RecordKind::DynamoOutputGraph ||
           kind == load::RecordKind::CompiledAutogradGraph;
}

void addCompiles(Program& program, const session::LogSnapshot& log, NodeCounting counting,
                 LogAnswer& answer) {
    std::uint64_t bytesLeft = quickBytes;
    for (std::uint32_t index = 0; index < log.traceLog()->compiles().size(); ++index) {
        const load::CompileIndex compile(index);
        const load::ArtifactList& artifacts = log.traceLog()->artifacts(compile);
        CompileAnswer& row = answer.compiles.emplace_back(CompileAnswer{log.traceLog()->compile(compile)});
        row.artifacts = artifactAnswers(artifacts);
        for (const std::uint32_t place : artifacts.graphs()) {
            const load::Artifact& artifact = artifacts[place];
            if (!isMainGraph(artifact.kind)) {
                continue;
            }
            const bool isQuick = artifact.bytes <= bytesLeft;
            if (counting == NodeCounting::Always || (counting == NodeCounting::WhenQuick && isQuick)) {
                bytesLeft -= std::min(bytesLeft, artifact.bytes);
                row.graphs.push_back(countNodes(program, log, row, artifacts.exactName(place)));
                row.graphs.back().name = artifact.name;
            } else {
                answer.nodesLeftOut = answer.nodesLeftOut || counting == NodeCounting::WhenQuick;
                row.graphs.push_back({artifact.name, {}, {}});
            }
        }
        row.isCompile = !row.id.empty() || !row.graphs.empty();
        answer.compileCount += row.isCompile ? 1 : 0;
    }
    program.console.clearProgress();
}

} // namespace

bool isAtenGraph(load::RecordKind kind) {
    return kind == load::RecordKind::AotJointGraph || kind == load::RecordKind::AotForwardGraph ||
           kind == load::RecordKind::AotBackwardGraph || kind == load::RecordKind::AotInferenceGraph;
}

std::string firstLine(std::string_view text) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) {
        return {};
    }
    text.remove_prefix(start);
    const std::size_t end = text.find_first_of("\r\n");
    const bool hasMore =
        end != std::string_view::npos && text.find_first_not_of(" \t\r\n", end) != std::string_view::npos;
    std::string line(text.substr(0, end));
    line.erase(line.find_last_not_of(" \t") + 1);
    return hasMore ? line + " …" : line;
}

std::vector<ArtifactAnswer> artifactAnswers(const load::ArtifactList& artifacts) {
    return base::mapped(artifacts, [](const load::Artifact& artifact) {
        return ArtifactAnswer{artifact.name, artifact.isGraph, artifact.line, artifact.bytes};
    });
}

LogAnswer logAnswer(Program& program, const session::LogSnapshot& log, NodeCounting counting) {
    if (log.timeline()) {
        return {.path = log.path, .kind = "timeline", .events = log.timeline()->eventCount()};
    }
    LogAnswer answer{.path = log.path, .kind = "graphs"};
    for (const session::GraphSnapshotPtr& graph : log.graphs()) {
        answer.graphs.push_back({graph->reference.artifact,
                                 graph->graph ? std::optional(graph->graph->size()) : std::nullopt,
                                 graph->error});
    }
    if (!log.traceLog()) {
        return answer;
    }
    answer.kind = "trace_log";
    answer.rank = log.traceLog()->rank();
    answer.totals = log.traceLog()->totals();
    addCompiles(program, log, counting, answer);
    const auto problems = log.traceLog()->problems();
    answer.problems.assign(problems.begin(), problems.end());
    return answer;
}

} // namespace aotscope::cli
