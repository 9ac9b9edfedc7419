#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <vector>

/// Hashes of what nodes compute, independent of names, for graph_match.cpp.
namespace aotscope::ir::detail {

/// By node id index.
using NodeHashes = std::vector<std::uint64_t>;

/// Hashes over a node and everything it is computed from. `placeholderSeeds`, by node id index: inputs that
/// correspond in the two graphs have the same seed.
[[nodiscard]] NodeHashes dataflowHashes(const Graph& graph,
                                        const std::vector<std::uint64_t>& placeholderSeeds);

/// Hashes over a node, its constants and shape, and `levels` levels of its inputs.
[[nodiscard]] NodeHashes localHashes(const Graph& graph, int levels);

enum class Likeness { Shape, Source, Operator };
/// Hashes over a node's operator, alone or with its shape or its source line.
[[nodiscard]] NodeHashes likenessHashes(const Graph& graph, Likeness likeness);

} // namespace aotscope::ir::detail
