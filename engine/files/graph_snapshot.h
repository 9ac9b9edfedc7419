#pragma once

#include "contract/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include <stop_token>
#include <string>
#include <vector>

/// From a graph's text to everything the views show of it, by pure functions.
namespace aotscope::session {

/// Verifies and prints the graph and derives module paths and phases. `placeholderSources` is the argument of
/// deriveModulePaths. Null if stopped.
[[nodiscard]] GraphSnapshotPtr describeGraph(ArtifactReference reference, ir::GraphPtr graph,
                                             std::string text,
                                             const std::vector<std::string>& placeholderSources = {},
                                             const std::stop_token& stop = {},
                                             CompileOptionsPtr options = nullptr);

/// The graph of a trace log's artifact, at `reference.subgraph`. Errors as for Session::graph.
[[nodiscard]] base::Result<GraphSnapshotPtr> loadArtifactGraph(const load::TraceLog& log,
                                                               const ArtifactReference& reference,
                                                               base::Progress progress,
                                                               CompileOptionsPtr options = nullptr);

/// Follows `path` through nested subgraphs. Errors: session.no_such_subgraph, which lists the existing ones.
[[nodiscard]] base::Result<ir::GraphPtr> nestedGraph(ir::GraphPtr graph,
                                                     const std::vector<std::string>& path);

/// Dynamo's source of each placeholder of a graph with the same inputs. Placeholders are matched by
/// descriptor (`PlainAOTInput(idx=3)`) or AOTAutograd's name (`primals_4`, `arg3_1`), in a Dynamo graph by
/// position. "" if unknown.
[[nodiscard]] std::vector<std::string>
placeholderSources(const ir::Graph& graph, const std::vector<std::string>& inputSources, bool isDynamoGraph);

} // namespace aotscope::session
