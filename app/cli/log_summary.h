#pragma once

#include "json_text.h"
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
[[nodiscard]] Json summaryJson(const LogSummary& summary);
[[nodiscard]] Json problemsJson(const load::TraceLog& log);

[[nodiscard]] bool isMainGraph(load::RecordKind kind);
/// Joint, forward, backward or inference: graphs that can be run.
[[nodiscard]] bool isAtenGraph(load::RecordKind kind);
/// Ends in "…" if there are more lines.
[[nodiscard]] std::string firstLine(std::string_view text);

} // namespace aotscope::cli
