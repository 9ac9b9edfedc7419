#pragma once

#include "contract/snapshots.h"

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Files that contain only graphs: text as torch.fx prints it, or graph JSON as ir/json.h writes it. A JSON
/// file may have graphs at any depth ("units/0/joint"). Both may be packed (gz, xz).
namespace aotscope::session {

enum class FileKind { TraceLog, GraphText, GraphJson, Timeline };

/// Judged by the first lines; Timeline is a trace of a profiler (timeline/chrome_trace_read.h). A file that
/// cannot be opened counts as a trace log, whose reader reports the error.
[[nodiscard]] FileKind fileKind(const std::filesystem::path& path);

struct DocumentGraph {
    /// "graph" if it is the only one.
    std::string name;
    /// Null if it could not be parsed; then `error` is set.
    ir::GraphPtr graph;
    std::string text;
    std::optional<base::Error> error;
};

/// All graphs of a text or JSON file. A graph that cannot be parsed becomes an entry with an error. Errors:
/// those of load::readWhole, session.no_graph, ir.json_syntax.
[[nodiscard]] base::Result<std::vector<DocumentGraph>>
readGraphDocument(const std::filesystem::path& path, FileKind kind, base::Progress progress = {});

/// "units/0" of "units/0/partitions/min_cut/fw"; empty if the name is not in a unit of a golden file.
[[nodiscard]] std::string_view unitOf(std::string_view name);

/// The graph with that name in an open graph file; null: none.
[[nodiscard]] const GraphSnapshot* tryGraphOfFile(const LogSnapshot& log, std::string_view name);

} // namespace aotscope::session
