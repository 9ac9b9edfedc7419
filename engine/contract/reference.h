#pragma once

#include "load/compile_id.h"

#include "base/describe.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::session {

/// The name of a graph or artifact, as a value: log (number in the session), compile, artifact. Selections
/// hold such names, never pointers.
struct ArtifactReference {
    std::uint32_t log = 0;
    load::CompileId compile;
    /// "joint", "forward", … or an artifact's name, as in load::Artifact::name.
    std::string artifact;
    /// Path of nested subgraphs ("true_graph_0"); empty: the graph itself. In an artifact with several graphs
    /// the first element is a section's name.
    std::vector<std::string> subgraph = {};
    /// As in load::Compile::rank; set only if the log mixes ranks and another rank than the log's is meant.
    std::optional<std::int32_t> rank = {};
    friend auto operator<=>(const ArtifactReference&, const ArtifactReference&) = default;
};
AOTSCOPE_MEMBERS(ArtifactReference, log, compile, artifact, subgraph, rank)

/// A compile id as a person writes it: "0/0", or "rank3:0/0" for another rank than the log's.
[[nodiscard]] inline std::string idText(const load::CompileId& id, std::optional<std::int32_t> rank) {
    return (rank ? "rank" + std::to_string(*rank) + ":" : std::string()) + id.text();
}
[[nodiscard]] inline std::string idText(const ArtifactReference& reference) {
    return idText(reference.compile, reference.rank);
}

/// An artifact and, in a graph, a node; `node` is empty for the whole graph.
struct Selection {
    ArtifactReference artifact;
    std::string node;
    friend auto operator<=>(const Selection&, const Selection&) = default;
};

} // namespace aotscope::session
