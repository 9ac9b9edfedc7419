#pragma once

#include "answer.h"
#include "program.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// A graph of a compile and its number of nodes.
struct GraphCount {
    std::string name;
    /// Nothing if it was not counted or not parsed.
    std::optional<std::size_t> nodes;
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(GraphCount, name, nodes, error)

struct ArtifactAnswer {
    std::string name;
    bool isGraph = false;
    std::size_t line = 0;
    std::uint64_t bytes = 0;
};
AOTSCOPE_MEMBERS(ArtifactAnswer, name, isGraph, line, bytes)
[[nodiscard]] std::vector<ArtifactAnswer> artifactAnswers(const load::ArtifactList& artifacts);

/// A compile as `open` answers; the numbers are those of its id.
struct CompileAnswer {
    load::CompileId id;
    std::optional<std::int32_t> compiledAutogradId;
    std::optional<std::int32_t> frameId;
    std::optional<std::int32_t> frameCompileId;
    std::optional<std::int32_t> attempt;
    /// 1: the first compile of its id.
    std::uint32_t occurrence = 1;
    std::optional<std::int32_t> rank;
    /// Nothing for records that belong to no compile.
    std::optional<load::CompileStatus> status;
    std::string reason;
    std::string function;
    std::string file;
    int line = 0;
    /// Where the program failed.
    std::string failedAt;
    std::optional<double> seconds;
    std::optional<std::int64_t> guards;
    std::optional<std::int64_t> graphOps;
    load::CacheState cache = load::CacheState::Unknown;
    std::vector<std::string> recompileReasons;
    std::vector<std::string> graphBreaks;
    std::size_t records = 0;
    std::vector<GraphCount> graphs;
    std::vector<ArtifactAnswer> artifacts;
};
AOTSCOPE_MEMBERS(CompileAnswer, id, compiledAutogradId, frameId, frameCompileId, attempt, occurrence, rank,
                 status, reason, function, file, line, failedAt, seconds, guards, graphOps, cache,
                 recompileReasons, graphBreaks, records, graphs, artifacts)

struct LineProblem {
    std::size_t line = 0;
    std::string code;
    std::string message;
};
AOTSCOPE_MEMBERS(LineProblem, line, code, message)

/// A log, of which a graph file has only `graphs` and a profiler's trace only `events`.
struct LogAnswer {
    std::filesystem::path path;
    /// "trace_log", "graphs", "timeline"
    std::string kind;
    std::optional<std::int32_t> rank = {};
    std::optional<load::LogTotals> totals = {};
    /// The number of rows that are compiles.
    std::size_t compileCount = 0;
    std::vector<CompileAnswer> compiles = {};
    std::vector<LineProblem> problems = {};
    std::vector<GraphCount> graphs = {};
    std::optional<std::size_t> events = {};
};
AOTSCOPE_MEMBERS(LogAnswer, path, kind, rank, totals, compileCount, compiles, problems, graphs, events)

struct OpenAnswer {
    std::vector<LogAnswer> logs = {};
    std::optional<base::Error> error = {};
};
AOTSCOPE_MEMBERS(OpenAnswer, logs, error)
AOTSCOPE_ANSWER(OpenAnswer, "aotscope.open/2")

struct CompileSummary {
    const load::Compile* compile = nullptr;
    const load::ArtifactList* artifacts = nullptr;
    /// The main graphs: dynamo, joint, forward, backward, inference, compiled_autograd.
    std::vector<GraphCount> graphs;
};

/// A log as `open` shows it. `log` owns what other members point into.
struct LogSummary {
    session::LogSnapshotPtr log;
    std::vector<CompileSummary> compiles;
    /// Does not count records that belong to no compile.
    std::size_t compileCount = 0;
    std::map<std::string, std::size_t> statuses;
    bool nodesLeftOut = false;
};

/// Whether this row holds only records without a compile id ("-") and no graph, so that it is not a compile.
[[nodiscard]] bool isOutsideCompiles(const CompileSummary& compile);

enum class NodeCounting { Never, WhenQuick, Always };

/// Node counts come from parsed graphs; `WhenQuick` parses at most 32 MB of graph text.
[[nodiscard]] LogSummary summarize(Program& program, const session::LogSnapshotPtr& log,
                                   NodeCounting counting);
[[nodiscard]] LogAnswer logAnswer(const LogSummary& summary);

[[nodiscard]] bool isMainGraph(load::RecordKind kind);
/// Joint, forward, backward or inference: graphs that can be run.
[[nodiscard]] bool isAtenGraph(load::RecordKind kind);
/// Ends in "…" if there are more lines.
[[nodiscard]] std::string firstLine(std::string_view text);

} // namespace aotscope::cli
