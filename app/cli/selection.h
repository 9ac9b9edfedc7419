#pragma once

#include "program.h"

#include "session/reference.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// From what a person writes (ids as PyTorch prints them, kinds, FILE:ID:KIND) to references of the session.
/// What is ambiguous or absent throws a usage failure that lists what there is.
namespace aotscope::cli {

/// A compile of an open log, or a graph file as a whole.
struct CompileChoice {
    session::LogSnapshotPtr log;
    /// Invalid for a graph file.
    load::CompileIndex compile;
    load::CompileId id;
    /// Of a compile whose records are of another rank than the log they lie in.
    std::optional<std::int32_t> otherRank = {};
};

/// What a command is asked for.
struct GraphRequest {
    std::vector<std::filesystem::path> files;
    /// "0/0", "rank3:0/0", "file.log:0/0"; empty: the only one.
    std::string id;
    /// "joint", an artifact's name; empty: the only one.
    std::string kind;
    /// A graph inside an artifact or graph: "forward", "wrap_body_0/true_graph_0".
    std::string section;
};

/// Every compile that has a graph, of every log.
[[nodiscard]] std::vector<CompileChoice> compilesWithGraphs(const std::vector<session::LogSnapshotPtr>& logs);

[[nodiscard]] CompileChoice selectCompile(const std::vector<session::LogSnapshotPtr>& logs,
                                          std::string_view id);

/// Opens the files and finds the graph.
[[nodiscard]] session::ArtifactReference referenceTo(const CompileChoice& choice, std::string artifact);
[[nodiscard]] session::ArtifactReference selectGraph(Program& program, const GraphRequest& request);

/// Names of a compile's graphs, or all its artifacts.
[[nodiscard]] std::vector<std::string> artifactNames(const CompileChoice& choice, bool onlyGraphs);

/// Reads FILE, FILE:KIND, FILE:ID:KIND or FILE:ID:KIND:SECTION; FILE may hold colons, the longest that
/// exists is taken. Throws a failure (ExitUnreadable) when no such file exists.
[[nodiscard]] GraphRequest parseGraphRequest(const std::string& text);

/// "mlp.log:0/0:joint"
[[nodiscard]] std::string titleOf(Program& program, const session::ArtifactReference& reference);

/// "a, b, c", shortened when there are very many.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

} // namespace aotscope::cli
