#pragma once

#include "session/snapshots.h"

#include "ir/graph.h"

#include "base/progress.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Files that hold graphs and nothing else: the text PyTorch prints, or graph JSON as ir/json.h writes it.
/// A JSON file may hold graphs anywhere inside ("units/0/joint"). Either may be packed (gz, xz).
namespace aotscope::session {

enum class FileKind { TraceLog, GraphText, GraphJson };

/// By a look at the first lines; a file that cannot be opened counts as a trace log, whose reader says why.
[[nodiscard]] FileKind fileKind(const std::filesystem::path& path);

struct DocumentGraph {
    /// "graph" for the only one.
    std::string name;
    /// Null where `error` says why.
    ir::GraphPtr graph;
    std::string text;
    std::optional<base::Error> error;
};

/// Every graph of a text or JSON file. A graph that cannot be parsed is an entry with an error. Errors:
/// those of load::readWhole, session.no_graph, ir.json_syntax.
[[nodiscard]] base::Result<std::vector<DocumentGraph>>
readGraphDocument(const std::filesystem::path& path, FileKind kind, base::Progress progress = {});

/// The graph of that name in an open file of graphs; null: it has none.
[[nodiscard]] const GraphSnapshot* tryGraphOfFile(const LogSnapshot& log, std::string_view name);

} // namespace aotscope::session
