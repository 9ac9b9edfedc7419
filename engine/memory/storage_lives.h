#pragma once

#include "memory/memory_profile.h"

#include "ir/graph.h"

#include <cstdint>
#include <vector>

namespace aotscope::memory {

/// One storage of a graph: the nodes whose values are in it, and its live range within the graph.
struct StorageLife {
    /// In program order; the first one makes the storage.
    std::vector<ir::NodeId> nodes;
    std::int64_t bytes = 0;
    /// First and last position in program order.
    std::uint32_t from = 0;
    std::uint32_t last = 0;
    bool isInput = false;
    /// Positions of the graph's returned values that are in it.
    std::vector<std::size_t> returned;
    bool sizeKnown = true;
};

/// Every storage of a graph, in the order of allocation. A call with several results allocates all its
/// elements; elements without a getitem live as long as the call's result. `sibling` is the other half of a
/// training step: a call that both compute may have its getitems there.
[[nodiscard]] std::vector<StorageLife> storageLives(const ir::Graph& graph, const ProfileOptions& options,
                                                    const ir::Graph* sibling = nullptr);

} // namespace aotscope::memory
