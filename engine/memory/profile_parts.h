#pragma once

#include "memory/memory_profile.h"

#include <cstdint>
#include <span>
#include <vector>

/// The common parts of the profiles of single graphs, steps and eager. Private to engine/memory.
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

/// Makes it the range of an input of the forward, which is alive until `end`: a parameter, buffer or other
/// input. One at one of the positions `staticInputs` among the placeholders `inputs` is a buffer according to
/// its Dynamo source or descriptor, else a parameter.
void makeInput(LiveRange& range, const ir::Graph& graph, ir::NodeId id, std::span<const ir::NodeId> inputs,
               std::span<const std::size_t> staticInputs, std::uint32_t end);

/// The range of a storage, a temporary; its positions are those in the graph. `profile` learns of a size that
/// is unknown.
[[nodiscard]] LiveRange rangeOf(const ir::Graph& graph, const StorageLife& life, MemoryProfile& profile);

/// Bytes along a time line, from the ranges in which they are alive.
class AliveBytes {
public:
    explicit AliveBytes(std::size_t length) : m_change(length + 1) {}
    /// Alive at the positions from `from` on and before `past`.
    void add(std::uint32_t from, std::uint32_t past, std::int64_t bytes);
    /// The bytes at each position, in the memory of the changes.
    [[nodiscard]] std::vector<std::int64_t> curve() &&;

private:
    /// By position: by how much the bytes change there.
    std::vector<std::int64_t> m_change;
};

/// The first position with the most bytes, counted from `from` on.
[[nodiscard]] Peak peakOf(std::span<const std::int64_t> bytes, std::uint32_t from = 0);

/// Sums up the ranges over `length` positions and finds the peaks. With the caching allocator's rounding,
/// each range first gets the size of the block that the allocator hands out for it.
void fillCurves(MemoryProfile& profile, std::uint32_t length, Rounding rounding);

} // namespace aotscope::memory
