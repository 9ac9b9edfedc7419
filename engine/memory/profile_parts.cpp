#include "memory/profile_parts.h"

#include "memory/band_stack.h"
#include "memory/caching_allocator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

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

/// Goes through the time line as a run does: at each position what it makes gets its blocks, then what was
/// used last there gives its back.
void placeInBlocks(MemoryProfile& profile, std::uint32_t length) {
    std::vector<std::vector<std::size_t>> begins(length);
    std::vector<std::vector<std::size_t>> ends(length);
    std::unordered_map<std::string, std::size_t> taken;
    for (std::size_t i = 0; i < profile.ranges.size(); ++i) {
        const LiveRange& range = profile.ranges[i];
        begins[range.from].push_back(i);
        ends[range.last].push_back(i);
        if (!range.takesOver.empty()) {
            taken.emplace(range.takesOver, i);
        }
    }
    CachingAllocator allocator;
    std::vector<std::optional<CachingAllocator::Block>> blocks(profile.ranges.size());
    for (std::uint32_t position = 0; position < length; ++position) {
        for (const std::size_t i : begins[position]) {
            if (profile.ranges[i].takesOver.empty()) {
                blocks[i] = allocator.allocate(profile.ranges[i].bytes);
            }
            profile.ranges[i].bytes = blocks[i] ? blocks[i]->bytes : 0;
        }
        for (const std::size_t i : ends[position]) {
            if (const auto heir = taken.find(profile.ranges[i].name); heir != taken.end()) {
                blocks[heir->second] = blocks[i];
            } else if (blocks[i]) {
                allocator.free(*blocks[i]);
            }
        }
    }
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

void fillCurves(MemoryProfile& profile, std::uint32_t length, Rounding rounding) {
    if (rounding == Rounding::CachingAllocator) {
        placeInBlocks(profile, length);
    }
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
