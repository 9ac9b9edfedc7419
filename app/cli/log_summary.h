#pragma once

#include "answer.h"
#include "program.h"

#include "load/trace_log.h"

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

/// A compile as `open` shows it.
struct CompileAnswer : load::Compile {
    /// False if it holds only records without a compile id ("-") and no graph.
    bool isCompile = true;
    /// The main graphs: dynamo, joint, forward, backward, inference, compiled_autograd.
    std::vector<GraphCount> graphs = {};
    std::vector<ArtifactAnswer> artifacts = {};
};
AOTSCOPE_MORE_MEMBERS(CompileAnswer, load::Compile, isCompile, graphs, artifacts)

/// A log as `open` shows it. A graph file has only `graphs`, and a profiler's trace only `events`.
struct LogAnswer {
    std::filesystem::path path;
    /// "trace_log", "graphs", "timeline"
    std::string kind;
    std::optional<std::int32_t> rank = {};
    std::optional<load::LogTotals> totals = {};
    /// The number of rows that are compiles.
    std::size_t compileCount = 0;
    std::vector<CompileAnswer> compiles = {};
    std::vector<load::LogProblem> problems = {};
    std::vector<GraphCount> graphs = {};
    std::optional<std::size_t> events = {};
    /// Because the graphs are large.
    bool nodesLeftOut = false;
};
AOTSCOPE_MEMBERS(LogAnswer, path, kind, rank, totals, compileCount, compiles, problems, graphs, events,
                 nodesLeftOut)

struct OpenAnswer {
    std::vector<LogAnswer> logs = {};
    std::optional<base::Error> error = {};
};
AOTSCOPE_MEMBERS(OpenAnswer, logs, error)
AOTSCOPE_ANSWER(OpenAnswer, "aotscope.open/2")

enum class NodeCounting { Never, WhenQuick, Always };

/// Node counts come from parsed graphs; `WhenQuick` parses at most 32 MB of graph text.
[[nodiscard]] LogAnswer logAnswer(Program& program, const session::LogSnapshot& log, NodeCounting counting);

/// Joint, forward, backward or inference: graphs that can be run.
[[nodiscard]] bool isAtenGraph(load::RecordKind kind);
/// Ends in "…" if there are more lines.
[[nodiscard]] std::string firstLine(std::string_view text);

} // namespace aotscope::cli
