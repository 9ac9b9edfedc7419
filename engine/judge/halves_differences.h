#pragma once

#include "judge/half_graphs.h"
#include "judge/partition_metadata.h"

#include "ir/graph.h"
#include "passes/partition.h"

#include <optional>
#include <string>
#include <vector>

/// The engine's partition beside the logged one; one line per difference.
namespace aotscope::judge {

/// The first node where a half differs from the logged one, by ir::firstDifference; nothing if equal.
[[nodiscard]] std::optional<std::string> differingNode(const ir::Graph& made, const ir::Graph& logged);

/// The halves before hooks are inlined; if hooks are on both sides also each pack and unpack graph and the
/// halves with them. `isText`: the logged ones were read from PyTorch's texts.
[[nodiscard]] std::vector<std::string> halvesDifferences(const HalfGraphs& made, const HalfGraphs& logged,
                                                         bool isText);

/// What a partition, of a joint graph that was traced here or read, adds to the metadata.
[[nodiscard]] std::vector<std::string> metadataDifferences(const passes::Partition& partition, bool isTraced,
                                                           const PartitionMetadata& logged);

} // namespace aotscope::judge
