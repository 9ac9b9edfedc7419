#pragma once

#include "program.h"

#include "contract/reference.h"
#include "contract/retrace_target.h"
#include "memory/memory_profile.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Converts what a person types (ids as PyTorch prints them, kinds, FILE:ID:KIND) to session references.
/// Anything ambiguous or unknown throws a usage failure that lists the candidates.
namespace aotscope::cli {

/// A compile of an open log, or a graph file as a whole.
struct CompileChoice {
    session::LogSnapshotPtr log;
    /// Invalid for a graph file.
    load::CompileIndex compile;
    load::CompileId id;
    /// Set if the records belong to another rank than their log.
    std::optional<std::int32_t> otherRank = {};
};

/// The graph that a person asks for.
struct GraphRequest {
    std::vector<std::filesystem::path> files;
    /// "0/0", "rank3:0/0", "file.log:0/0"; empty: the only one.
    std::string id;
    /// "joint", an artifact's name; empty: the only one.
    std::string kind;
    /// A graph inside an artifact or graph: "forward", "wrap_body_0/true_graph_0".
    std::string section;
};

/// All compiles of a log; a graph file as a whole.
[[nodiscard]] std::vector<CompileChoice> compilesOf(const session::LogSnapshotPtr& log);

/// The compile of an id, or all that have a graph if it is empty.
[[nodiscard]] std::vector<CompileChoice> selectCompiles(const std::vector<session::LogSnapshotPtr>& logs,
                                                        const std::string& id);

/// A function that can be traced again, and the log that it is in.
struct TargetChoice {
    session::LogSnapshotPtr log;
    session::RetraceTarget target;
};
/// The logs that have the functions of an id; all if it is empty.
[[nodiscard]] std::vector<session::LogSnapshotPtr> logsOf(const std::vector<session::LogSnapshotPtr>& logs,
                                                          const std::string& id);
/// The functions of an id, or all of them if it is empty.
[[nodiscard]] std::vector<TargetChoice> selectTargets(const std::vector<session::LogSnapshotPtr>& logs,
                                                      const std::string& id);

[[nodiscard]] CompileChoice selectCompile(const std::vector<session::LogSnapshotPtr>& logs,
                                          std::string_view id);

/// Opens the files and finds the graph.
[[nodiscard]] session::ArtifactReference referenceTo(const CompileChoice& choice, std::string artifact);
[[nodiscard]] session::ArtifactReference selectGraph(Program& program, const GraphRequest& request);

/// The ATen graphs that a request names, all of the files if it names none; any other graph only if it is the
/// single one, or chosen by id and kind or by section. Throws as selectGraph.
[[nodiscard]] std::vector<session::ArtifactReference> selectAtenGraphs(Program& program,
                                                                       const GraphRequest& request);

/// Names of a compile's graphs, or of all its artifacts.
[[nodiscard]] std::vector<std::string> artifactNames(const CompileChoice& choice, bool onlyGraphs);

/// Parses FILE, FILE:KIND, FILE:ID:KIND or FILE:ID:KIND:SECTION. FILE may contain colons; the longest
/// existing path is taken. Throws Failure (ExitUnreadable) if no such file exists.
[[nodiscard]] GraphRequest parseGraphRequest(const std::string& text);

/// "mlp.log:0/0:joint"
[[nodiscard]] std::string titleOf(Program& program, const session::ArtifactReference& reference);

/// "a, b, c", shortened if there are very many.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// Compiles without gradients have an inference graph and no joint graph. Nothing is saved or recomputed
/// there, so `budget` and `why` can only report its memory.
///
/// The inference graphs of a compile in file order. In a graph file with a single graph that is not a joint
/// graph: that graph.
[[nodiscard]] std::vector<session::ArtifactReference> inferenceGraphs(const CompileChoice& choice);

struct InferenceGraph {
    /// From `titleOf`.
    std::string title;
    ir::GraphPtr graph;
    memory::MemoryProfile profile;
};
/// The last inference graph of a compile, which is the one that runs; nothing if there is none. Throws
/// Failure if it cannot be read.
[[nodiscard]] std::optional<InferenceGraph> readInferenceGraph(Program& program, const CompileChoice& choice);

} // namespace aotscope::cli
