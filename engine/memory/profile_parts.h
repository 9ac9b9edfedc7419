#pragma once

#include "memory/memory_profile.h"
#include "memory/storage_lives.h"

#include <cstdint>
#include <span>
#include <vector>

/// The common parts of the profiles of single graphs, steps and eager. Private to engine/memory.
namespace aotscope::memory {

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
    /// The bytes at each position.
    [[nodiscard]] std::vector<std::int64_t> curve() const;

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
