#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <vector>

/// Hashes of what nodes compute, names left out, for graph_match.cpp.
namespace aotscope::ir::detail {

/// By node id index.
using NodeHashes = std::vector<std::uint64_t>;

/// Of everything a node is computed from; `placeholderSeeds` (by node id index) says which inputs are the
/// same.
[[nodiscard]] NodeHashes dataflowHashes(const Graph& graph,
                                        const std::vector<std::uint64_t>& placeholderSeeds);

/// Of a node, its constants and shape, and as many levels of its inputs.
[[nodiscard]] NodeHashes localHashes(const Graph& graph, int levels);

enum class Likeness { Shape, Source, Operator };
/// Of a node's operator, with its shape or its source line.
[[nodiscard]] NodeHashes likenessHashes(const Graph& graph, Likeness likeness);

} // namespace aotscope::ir::detail
