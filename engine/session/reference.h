#pragma once

#include "load/compile_id.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// Names a graph or artifact by value: which log (by its position in the session), which compile, which
/// artifact. Anything a person sees can be named so; a selection is such a name, never a pointer.
struct ArtifactReference {
    std::uint32_t log = 0;
    load::CompileId compile;
    /// "joint", "forward", …, or an artifact's name, as load::Artifact::name.
    std::string artifact;
    /// Path of nested subgraphs ("true_graph_0"); empty: the graph itself. In an artifact that holds several
    /// graphs the first element is the section's name.
    std::vector<std::string> subgraph = {};
    /// As load::Compile::rank: only where the log mixes ranks, and another one than the log's is meant.
    std::optional<std::int32_t> rank = {};
    friend auto operator<=>(const ArtifactReference&, const ArtifactReference&) = default;
};

/// A compile's id as a person writes it, "0/0", or of another rank than its log's "rank3:0/0".
[[nodiscard]] inline std::string idText(const load::CompileId& id, std::optional<std::int32_t> rank) {
    return (rank ? "rank" + std::to_string(*rank) + ":" : std::string()) + id.text();
}
[[nodiscard]] inline std::string idText(const ArtifactReference& reference) {
    return idText(reference.compile, reference.rank);
}

/// An artifact and, where it is a graph, a node in it (empty: the whole).
struct Selection {
    ArtifactReference artifact;
    std::string node;
    friend auto operator<=>(const Selection&, const Selection&) = default;
};

} // namespace aotscope::session
