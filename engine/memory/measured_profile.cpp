#include "memory/measured_profile.h"

#include "memory/band_stack.h"
#include "memory/profile_parts.h"

#include <algorithm>

namespace aotscope::memory {
namespace {

/// Bytes at each position that the graph running there did not compute itself: its inputs.
std::vector<std::int64_t> handedOver(const MemoryProfile& profile) {
    AliveBytes handed(profile.bytes.size());
    for (const LiveRange& range : profile.ranges) {
        const bool isGiven = isTrainingStepInput(range.category);
        const std::uint32_t past = range.last + 1;
        // Values of the forward are inputs of the loss and the backward; tangents come from the loss.
        handed.add(isGiven ? range.from : std::max(range.from, profile.forwardEnd),
                   isGiven || range.from < profile.backwardBegin ? past : range.from, range.bytes);
    }
    return std::move(handed).curve();
}

} // namespace

MeasuredProfile layAlong(const MemoryProfile& profile, std::span<const MeasuredNode> forward,
                         std::span<const MeasuredNode> backward) {
    const std::vector<std::int64_t> handed = handedOver(profile);
    const auto length = static_cast<std::uint32_t>(profile.bytes.size());
    MeasuredProfile measured;
    measured.start.push_back(0);
    for (std::uint32_t at = 0; at < length; ++at) {
        const bool isForward = at < profile.forwardEnd;
        const std::uint32_t place = isForward ? at : at - std::min(at, profile.backwardBegin);
        const std::span<const MeasuredNode> half = isForward ? forward : backward;
        const bool ran = (isForward || at >= profile.backwardBegin) && place < half.size();
        const std::int64_t bytes = ran ? half[place].aliveBytes + handed[at] : profile.bytes[at];
        const std::int64_t inputs = profile.bytes[at] - profile.intermediateBytes[at];
        measured.bytes.push_back(bytes);
        measured.intermediateBytes.push_back(bytes - inputs);
        measured.scratch.push_back(ran ? half[place].scratchBytes : 0);
        measured.start.push_back(measured.start.back() + (ran ? half[place].nanoseconds : 0));
        measured.highest = std::max(measured.highest, bytes + measured.scratch.back());
        measured.intermediateHighest =
            std::max(measured.intermediateHighest, bytes - inputs + measured.scratch.back());
        if (bytes != profile.bytes[at]) {
            measured.differing.push_back(at);
        }
    }
    measured.peak = peakOf(measured.bytes);
    measured.intermediatePeak = peakOf(measured.intermediateBytes);
    measured.largestScratch = peakOf(measured.scratch);
    return measured;
}

} // namespace aotscope::memory
