#include "memory/profile_parts.h"

#include "memory/band_stack.h"

#include <algorithm>

namespace aotscope::memory {
namespace {

Peak highest(std::span<const std::int64_t> bytes, std::uint32_t from, std::uint32_t end) {
    Peak peak;
    peak.position = from;
    for (std::uint32_t i = from; i < end; ++i) {
        if (bytes[i] > peak.bytes) {
            peak = {i, bytes[i]};
        }
    }
    return peak;
}

} // namespace

Category inputCategory(const ir::Node& node, std::size_t position,
                       std::span<const std::size_t> staticInputs) {
    if (std::ranges::find(staticInputs, position) == staticInputs.end()) {
        return Category::Input;
    }
    const ir::AOTInput* descriptor = ir::inputDescriptor(node);
    const bool buffer = node.inputSource.find("_buffers[") != std::string::npos ||
                        (descriptor != nullptr && ir::isBuffer(*descriptor));
    return buffer ? Category::Buffer : Category::Parameter;
}

bool isTangent(const ir::Node& node) {
    return ir::isTangentOrBackwardToken(node);
}

LiveRange rangeOf(const ir::Graph& graph, const StorageLife& life, Category category) {
    LiveRange range;
    range.name = graph.node(life.nodes.front()).name;
    for (std::size_t i = 1; i < life.nodes.size(); ++i) {
        range.aliases.push_back(graph.node(life.nodes[i]).name);
    }
    range.category = category;
    range.bytes = life.bytes;
    range.from = life.from;
    range.last = life.last;
    return range;
}

void fillCurves(MemoryProfile& profile, std::uint32_t length) {
    std::vector<std::int64_t> change(length + 1, 0);
    std::vector<std::int64_t> intermediateChange(length + 1, 0);
    for (const LiveRange& range : profile.ranges) {
        change[range.from] += range.bytes;
        change[range.last + 1] -= range.bytes;
        if (!isTrainingStepInput(range.category)) {
            intermediateChange[range.from] += range.bytes;
            intermediateChange[range.last + 1] -= range.bytes;
        }
    }
    std::int64_t alive = 0;
    std::int64_t intermediate = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
        profile.bytes.push_back(alive += change[i]);
        profile.intermediateBytes.push_back(intermediate += intermediateChange[i]);
    }
    profile.peak = highest(profile.bytes, 0, length);
    profile.intermediatePeak = highest(profile.intermediateBytes, 0, length);
    profile.forwardPeak = highest(profile.bytes, 0, profile.forwardEnd);
    profile.backwardPeak = highest(profile.bytes, profile.backwardBegin, length);
}

} // namespace aotscope::memory
