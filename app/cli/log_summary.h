#pragma once

#include "json_text.h"
#include "program.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// A graph of a compile and its size.
struct GraphCount {
    std::string name;
    /// Nothing: not counted, or not parsed.
    std::optional<std::size_t> nodes;
    std::optional<base::Error> error;
};

struct CompileSummary {
    const load::Compile* compile = nullptr;
    const load::ArtifactList* artifacts = nullptr;
    /// The main graphs: dynamo, joint, forward, backward, inference, compiled_autograd.
    std::vector<GraphCount> graphs;
};

/// A log as `open` shows it. `log` keeps what the rest points into.
struct LogSummary {
    session::LogSnapshotPtr log;
    std::vector<CompileSummary> compiles;
    /// Without the records that belong to no compile.
    std::size_t compileCount = 0;
    std::map<std::string, std::size_t> statuses;
    bool nodesLeftOut = false;
};

/// The records without an id ("-"), where no graph is among them: a row, but no compile.
[[nodiscard]] bool isOutsideCompiles(const CompileSummary& compile);

enum class NodeCounting { Never, WhenQuick, Always };

/// Node counts are those of the parsed graphs; `WhenQuick` parses up to 32 MB of graph text.
[[nodiscard]] LogSummary summarize(Program& program, const session::LogSnapshotPtr& log,
                                   NodeCounting counting);
[[nodiscard]] Json summaryJson(const LogSummary& summary);
[[nodiscard]] Json problemsJson(const load::TraceLog& log);

/// "ok", "failed", "restarted", "empty", "unfinished"
[[nodiscard]] std::string_view statusName(load::CompileStatus status);
/// "hit", "miss", "bypass", ""
[[nodiscard]] std::string_view cacheName(load::CacheState state);
[[nodiscard]] bool isMainGraph(load::RecordKind kind);
/// Joint, forward, backward and inference: what a run takes.
[[nodiscard]] bool isAtenGraph(load::RecordKind kind);
/// "…" behind it where more lines follow.
[[nodiscard]] std::string firstLine(std::string_view text);

} // namespace aotscope::cli
