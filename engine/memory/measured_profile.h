#pragma once

#include "memory/memory_profile.h"

#include <cstdint>
#include <span>
#include <vector>

namespace aotscope::memory {

/// The measurements of a run at one node of a graph.
struct MeasuredNode {
    /// Bytes of the values that the graph computed and that are alive after the node.
    std::int64_t aliveBytes = 0;
    /// Further bytes that the node allocated and freed itself.
    std::int64_t scratchBytes = 0;
    std::int64_t nanoseconds = 0;
};

/// The measurements of a run along the positions of a profile.
struct MeasuredProfile {
    /// Bytes at each position: those the run's allocator held, plus the graph's inputs (parameters, inputs;
    /// in the backward also saved values and tangents), which the caller holds, as the profile predicts them.
    /// The loss and the optimizer are not measured; they are as predicted.
    std::vector<std::int64_t> bytes;
    /// The same without inputs of the step.
    std::vector<std::int64_t> intermediateBytes;
    /// MeasuredNode::scratchBytes at each position.
    std::vector<std::int64_t> scratch;
    /// Nanoseconds from the beginning to each position, at the end the total. Loss and optimizer take none.
    std::vector<std::int64_t> start;
    /// Positions at which the run held a different number of bytes than predicted.
    std::vector<std::uint32_t> differing;
    Peak peak;
    Peak intermediatePeak;
    /// The position with the most scratch bytes; 0 bytes: none.
    Peak largestScratch;
    /// The most bytes held at once, including scratch bytes.
    std::int64_t highest = 0;
    std::int64_t intermediateHighest = 0;
};

/// Aligns runs of the forward and the backward, node by node, with the profile of their step. For the profile
/// of a single graph its run is `forward`, and `backward` is empty. Nodes that a run did not reach are as
/// predicted.
[[nodiscard]] MeasuredProfile layAlong(const MemoryProfile& profile, std::span<const MeasuredNode> forward,
                                       std::span<const MeasuredNode> backward);

} // namespace aotscope::memory
