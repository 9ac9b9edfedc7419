#pragma once

#include "memory/memory_profile.h"

#include <cstdint>
#include <span>
#include <vector>

namespace aotscope::memory {

/// What a run measured at one node of a graph.
struct MeasuredNode {
    /// Of values that the graph itself made, when the node was done.
    std::int64_t aliveBytes = 0;
    /// What the node took on top and gave back by itself.
    std::int64_t scratchBytes = 0;
    std::int64_t nanoseconds = 0;
};

/// A run laid along the positions of a profile.
struct MeasuredProfile {
    /// What the run's allocator held at each position, and beside it what the graph was handed (parameters,
    /// inputs; in the backward what was saved, and tangents), which the run's owner holds and the profile
    /// tells of. What no run measures, the loss and the optimizer, is as predicted.
    std::vector<std::int64_t> bytes;
    /// The same without inputs of the step.
    std::vector<std::int64_t> intermediateBytes;
    std::vector<std::int64_t> scratch;
    /// Nanoseconds from the begin to each position, and at the end to the end; the loss and the optimizer
    /// take none.
    std::vector<std::int64_t> start;
    /// Positions at which the run held another number of bytes than predicted.
    std::vector<std::uint32_t> differing;
    Peak peak;
    Peak intermediatePeak;
    /// Where most was taken and given back; 0 bytes: nowhere.
    Peak largestScratch;
    /// The most that was held at once, with what was given back.
    std::int64_t highest = 0;
    std::int64_t intermediateHighest = 0;
};

/// Runs of the forward and the backward, node by node, beside their step's profile; of a graph's own profile
/// its run is `forward`, and `backward` empty. Nodes that a run did not come to are as predicted.
[[nodiscard]] MeasuredProfile layAlong(const MemoryProfile& profile, std::span<const MeasuredNode> forward,
                                       std::span<const MeasuredNode> backward);

} // namespace aotscope::memory
