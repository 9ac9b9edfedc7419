#include "log_summary.h"

#include "selection.h"

#include "timeline/timeline.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

constexpr std::uint64_t quickBytes = 32'000'000;

GraphCount countNodes(Program& program, const session::LogSnapshotPtr& log, const load::Compile& compile,
                      const load::ArtifactList& artifacts, std::size_t place) {
    GraphCount count{artifacts[place].name, {}, {}};
    const session::ArtifactReference reference =
        session::referenceTo(*log, compile, artifacts.exactName(place));
    auto graph = program.session.graph(reference, program.progress());
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

CompileAnswer compileAnswer(const CompileSummary& summary, std::optional<std::int32_t> rank) {
    const load::Compile& compile = *summary.compile;
    return {.id = compile.id,
            .compiledAutogradId = compile.id.compiledAutograd,
            .frameId = compile.id.frame,
            .frameCompileId = compile.id.frameCompile,
            .attempt = compile.id.attempt,
            .occurrence = compile.id.repetition + 1,
            .rank = compile.rank ? compile.rank : rank,
            .status = isOutsideCompiles(summary) ? std::nullopt : std::optional(compile.status),
            .reason = compile.reason,
            .function = compile.function,
            .file = compile.file,
            .line = compile.line,
            .failedAt = compile.status == load::CompileStatus::Failed ? load::failurePlace(compile) : "",
            .seconds = compile.seconds,
            .guards = compile.guardCount,
            .graphOps = compile.graphNodeCount,
            .cache = compile.cache,
            .recompileReasons = compile.recompileReasons,
            .graphBreaks = compile.graphBreaks,
            .records = compile.records.size(),
            .graphs = summary.graphs,
            .artifacts = artifactAnswers(*summary.artifacts)};
}

} // namespace

bool isOutsideCompiles(const CompileSummary& compile) {
    return compile.compile->id.empty() && compile.graphs.empty();
}

bool isAtenGraph(load::RecordKind kind) {
    return kind == load::RecordKind::AotJointGraph || kind == load::RecordKind::AotForwardGraph ||
           kind == load::RecordKind::AotBackwardGraph || kind == load::RecordKind::AotInferenceGraph;
}

bool isMainGraph(load::RecordKind kind) {
    return isAtenGraph(kind) || kind == load::RecordKind::DynamoOutputGraph ||
           kind == load::RecordKind::CompiledAutogradGraph;
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

LogSummary summarize(Program& program, const session::LogSnapshotPtr& log, NodeCounting counting) {
    LogSummary summary;
    summary.log = log;
    if (!log->traceLog()) {
        return summary;
    }
    const load::TraceLog& trace = *log->traceLog();
    std::uint64_t bytesLeft = quickBytes;
    for (std::uint32_t index = 0; index < trace.compiles().size(); ++index) {
        CompileSummary row;
        row.compile = &trace.compiles()[index];
        const load::ArtifactList& artifacts = trace.artifacts(load::CompileIndex(index));
        row.artifacts = &artifacts;
        for (const std::uint32_t place : artifacts.graphs()) {
            const load::Artifact& artifact = artifacts[place];
            if (!isMainGraph(artifact.kind)) {
                continue;
            }
            const bool isQuick = artifact.bytes <= bytesLeft;
            if (counting == NodeCounting::Always || (counting == NodeCounting::WhenQuick && isQuick)) {
                bytesLeft -= std::min(bytesLeft, artifact.bytes);
                row.graphs.push_back(countNodes(program, log, *row.compile, artifacts, place));
            } else {
                summary.nodesLeftOut = summary.nodesLeftOut || counting == NodeCounting::WhenQuick;
                row.graphs.push_back({artifact.name, {}, {}});
            }
        }
        if (!isOutsideCompiles(row)) {
            ++summary.compileCount;
            ++summary.statuses[std::string(base::wordOf(row.compile->status))];
        }
        summary.compiles.push_back(std::move(row));
    }
    program.console.clearProgress();
    return summary;
}

std::vector<ArtifactAnswer> artifactAnswers(const load::ArtifactList& artifacts) {
    std::vector<ArtifactAnswer> answers;
    for (const load::Artifact& artifact : artifacts) {
        answers.push_back({artifact.name, artifact.isGraph, artifact.line, artifact.bytes});
    }
    return answers;
}

LogAnswer logAnswer(const LogSummary& summary) {
    const session::LogSnapshot& log = *summary.log;
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
    answer.rank = log.rank();
    answer.totals = log.traceLog()->totals();
    answer.compileCount = summary.compileCount;
    for (const CompileSummary& compile : summary.compiles) {
        answer.compiles.push_back(compileAnswer(compile, answer.rank));
    }
    for (const load::LogProblem& problem : log.traceLog()->problems()) {
        answer.problems.push_back({problem.line, problem.code, problem.message});
    }
    return answer;
}

} // namespace aotscope::cli
