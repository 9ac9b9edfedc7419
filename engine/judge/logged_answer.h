#pragma once

#include "contract/snapshots.h"
#include "judge/half_graphs.h"
#include "judge/partition_metadata.h"

#include "passes/partition.h"

#include <cstddef>
#include <optional>
#include <string>

namespace aotscope::judge {

/// PyTorch's halves of a joint graph.
struct LoggedAnswer {
    /// Before saved-tensors hooks were inlined.
    session::GraphSnapshotPtr forward = nullptr;
    session::GraphSnapshotPtr backward = nullptr;
    /// With them; null if there were none.
    session::GraphSnapshotPtr hookedForward = nullptr;
    session::GraphSnapshotPtr hookedBackward = nullptr;
    /// The same, with each hook as it was traced.
    HalfGraphs graphs = {};
    std::size_t forwardOutputs = 0;
    /// As LoggedPartition::partitioner.
    std::string partitioner = {};
    /// Describes the halves that ran; nothing: none is logged, or it cannot be read.
    std::optional<PartitionMetadata> metadata = {};
    /// How AOTAutograd named the sizes of generators' states.
    passes::StateSymbols stateSymbols = {};
    /// Read from PyTorch's texts, which leave something out.
    bool isText = false;
};

} // namespace aotscope::judge
