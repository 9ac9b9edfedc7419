#pragma once

#include "memory/memory_profile.h"

#include "ir/graph.h"

#include <cstdint>
#include <vector>

namespace aotscope::memory {

/// One storage of a graph: which nodes' values lie in it, and from when to when it is needed by the graph
/// itself.
struct StorageLife {
    /// In program order; the first made it.
    std::vector<ir::NodeId> nodes;
    std::int64_t bytes = 0;
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    bool isInput = false;
    /// Positions among the returned values that lie in it.
    std::vector<std::size_t> returned;
    bool sizeKnown = true;
};

/// Every storage of a frozen graph, in the order they are made. Elements of a call with several results are
/// made by the call; results that nothing takes live as long as the call's result itself.
[[nodiscard]] std::vector<StorageLife> storageLives(const ir::Graph& graph, const ProfileOptions& options);

} // namespace aotscope::memory
