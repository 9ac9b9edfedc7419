#include "memory/profile_parts.h"

#include "memory/band_stack.h"
#include "memory/caching_allocator.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>

namespace aotscope::memory {
namespace {

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

void makeInput(LiveRange& range, const ir::Graph& graph, ir::NodeId id, std::span<const ir::NodeId> inputs,
               std::span<const std::size_t> staticInputs, std::uint32_t end) {
    const auto position = static_cast<std::size_t>(std::ranges::find(inputs, id) - inputs.begin());
    const bool isStatic = std::ranges::find(staticInputs, position) != staticInputs.end();
    const ir::Node& node = graph.node(id);
    const ir::AOTInput* descriptor = isStatic ? ir::inputDescriptor(node) : nullptr;
    const bool isBuffer = node.inputSource.find("_buffers[") != std::string::npos ||
                          (descriptor != nullptr && ir::isBuffer(*descriptor));
    range.category = !isStatic ? Category::Input : isBuffer ? Category::Buffer : Category::Parameter;
    range.from = 0;
    range.last = end;
}

LiveRange rangeOf(const ir::Graph& graph, const StorageLife& life, MemoryProfile& profile) {
    LiveRange range;
    range.name = graph.node(life.nodes.front()).name;
    for (std::size_t i = 1; i < life.nodes.size(); ++i) {
        range.aliases.push_back(graph.node(life.nodes[i]).name);
    }
    range.bytes = life.bytes;
    range.from = life.from;
    range.last = life.last;
    if (!life.sizeKnown) {
        profile.unknown.push_back(range.name);
    }
    return range;
}

void AliveBytes::add(std::uint32_t from, std::uint32_t past, std::int64_t bytes) {
    if (from < past) {
        m_change[from] += bytes;
        m_change[past] -= bytes;
    }
}

std::vector<std::int64_t> AliveBytes::curve() && {
    m_change.pop_back();
    std::partial_sum(m_change.begin(), m_change.end(), m_change.begin());
    return std::move(m_change);
}

Peak peakOf(std::span<const std::int64_t> bytes, std::uint32_t from) {
    const auto found = std::ranges::max_element(bytes);
    return found == bytes.end() || *found <= 0
               ? Peak{from, 0}
               : Peak{from + static_cast<std::uint32_t>(found - bytes.begin()), *found};
}

void fillCurves(MemoryProfile& profile, std::uint32_t length, Rounding rounding) {
    if (rounding == Rounding::CachingAllocator) {
        placeInBlocks(profile, length);
    }
    AliveBytes alive(length);
    AliveBytes intermediate(length);
    for (const LiveRange& range : profile.ranges) {
        alive.add(range.from, range.last + 1, range.bytes);
        if (!isTrainingStepInput(range.category)) {
            intermediate.add(range.from, range.last + 1, range.bytes);
        }
    }
    profile.bytes = std::move(alive).curve();
    profile.intermediateBytes = std::move(intermediate).curve();
    const std::span<const std::int64_t> bytes = profile.bytes;
    profile.peak = peakOf(bytes);
    profile.intermediatePeak = peakOf(profile.intermediateBytes);
    profile.forwardPeak = peakOf(bytes.first(profile.forwardEnd));
    profile.backwardPeak = peakOf(bytes.subspan(profile.backwardBegin), profile.backwardBegin);
}

} // namespace aotscope::memory
