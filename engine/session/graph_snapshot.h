#pragma once

#include "session/snapshots.h"

#include "base/progress.h"
#include "base/result.h"

#include <stop_token>
#include <string>
#include <vector>

/// From a graph's text to everything the views show of it: one function from immutable input to immutable
/// output.
namespace aotscope::session {

/// Verifies, prints and derives. `placeholderSources` as deriveModulePaths takes them. Null: it was stopped.
[[nodiscard]] GraphSnapshotPtr describeGraph(ArtifactReference reference, ir::GraphPtr graph,
                                             std::string text,
                                             const std::vector<std::string>& placeholderSources = {},
                                             const std::stop_token& stop = {});

/// The graph an artifact of a trace log holds, at `reference.subgraph`. Errors as Session::graph.
[[nodiscard]] base::Result<GraphSnapshotPtr>
loadArtifactGraph(const load::TraceLog& log, const ArtifactReference& reference, base::Progress progress);

/// Walks `path` of nested subgraphs. Errors: session.no_such_subgraph, naming those there are.
[[nodiscard]] base::Result<ir::GraphPtr> nestedGraph(ir::GraphPtr graph,
                                                     const std::vector<std::string>& path);

/// Dynamo's source of each placeholder of a graph made from the same inputs, by its descriptor
/// (`PlainAOTInput(idx=3)`) or the name AOTAutograd gives it (`primals_4`, `arg3_1`); by position in a Dynamo
/// graph. "" where unknown.
[[nodiscard]] std::vector<std::string>
placeholderSources(const ir::Graph& graph, const std::vector<std::string>& inputSources, bool isDynamoGraph);

} // namespace aotscope::session
