#include "log_summary.h"

#include "selection.h"

#include "timeline/timeline.h"

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

Json compileJson(const CompileSummary& summary, std::optional<std::int32_t> rank) {
    const load::Compile& compile = *summary.compile;
    Json json{{"id", compile.id.text()},
              {"compiled_autograd_id", orNull(compile.id.compiledAutograd)},
              {"frame_id", orNull(compile.id.frame)},
              {"frame_compile_id", orNull(compile.id.frameCompile)},
              {"attempt", orNull(compile.id.attempt)},
              {"occurrence", compile.id.repetition + 1},
              {"rank", orNull(compile.rank ? compile.rank : rank)},
              {"status", isOutsideCompiles(summary) ? Json(nullptr) : Json(base::wordOf(compile.status))},
              {"reason", compile.reason},
              {"function", compile.function},
              {"file", compile.file},
              {"line", compile.line},
              {"failed_at", compile.status == load::CompileStatus::Failed ? load::failurePlace(compile) : ""},
              {"seconds", orNull(compile.seconds)},
              {"guards", orNull(compile.guardCount)},
              {"graph_ops", orNull(compile.graphNodeCount)}};
    const std::string_view cache = base::wordOf(compile.cache);
    json["cache"] = cache.empty() ? Json(nullptr) : Json(cache);
    json["recompile_reasons"] = compile.recompileReasons;
    json["graph_breaks"] = compile.graphBreaks;
    json["records"] = compile.records.size();
    json["graphs"] = Json::array();
    for (const GraphCount& graph : summary.graphs) {
        Json entry{{"name", graph.name}, {"nodes", orNull(graph.nodes)}};
        entry["error"] = graph.error ? errorJson(*graph.error) : Json(nullptr);
        json["graphs"].push_back(std::move(entry));
    }
    json["artifacts"] = Json::array();
    for (const load::Artifact& artifact : *summary.artifacts) {
        json["artifacts"].push_back({{"name", artifact.name},
                                     {"is_graph", artifact.isGraph},
                                     {"line", artifact.line},
                                     {"bytes", artifact.bytes}});
    }
    return json;
}

Json documentJson(const session::LogSnapshot& log) {
    if (log.timeline) {
        return {{"path", log.path.string()}, {"kind", "timeline"}, {"events", log.timeline->eventCount()}};
    }
    Json json{{"path", log.path.string()}, {"kind", "graphs"}, {"graphs", Json::array()}};
    for (const session::GraphSnapshotPtr& graph : log.graphs) {
        Json entry{{"id", "-"}, {"name", graph->reference.artifact}};
        entry["nodes"] = graph->graph ? Json(graph->graph->size()) : Json(nullptr);
        entry["error"] = graph->error ? errorJson(*graph->error) : Json(nullptr);
        json["graphs"].push_back(std::move(entry));
    }
    return json;
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
    if (!log->traceLog) {
        return summary;
    }
    const load::TraceLog& trace = *log->traceLog;
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

Json problemsJson(const load::TraceLog& log) {
    Json problems = Json::array();
    for (const load::LogProblem& problem : log.problems()) {
        problems.push_back({{"line", problem.line}, {"code", problem.code}, {"message", problem.message}});
    }
    return problems;
}

Json summaryJson(const LogSummary& summary) {
    if (!summary.log->traceLog) {
        return documentJson(*summary.log);
    }
    const load::TraceLog& trace = *summary.log->traceLog;
    const load::LogTotals& totals = trace.totals();
    Json kinds = Json::object();
    for (const auto& [kind, count] : totals.kinds) {
        kinds[kind] = count;
    }
    Json json{{"path", summary.log->path.string()},
              {"kind", "trace_log"},
              {"rank", orNull(trace.rank())},
              {"torch_version", totals.torchVersion.empty() ? Json(nullptr) : Json(totals.torchVersion)}};
    json["totals"] = {{"bytes", totals.bytes},       {"lines", totals.lines},
                      {"records", totals.records},   {"payloads", totals.payloads},
                      {"problems", totals.problems}, {"compiles", summary.compileCount},
                      {"kinds", std::move(kinds)}};
    json["compiles"] = Json::array();
    for (const CompileSummary& compile : summary.compiles) {
        json["compiles"].push_back(compileJson(compile, trace.rank()));
    }
    json["problems"] = problemsJson(trace);
    return json;
}

} // namespace aotscope::cli
