#include "memory/memory_profile.h"

#include "memory/storage_lives.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace aotscope::memory {
namespace {

constexpr std::array<std::string_view, categoryCount> names{"parameter",        "buffer",    "input",
                                                            "saved activation", "output",    "tangent",
                                                            "gradient",         "temporary", "recomputed"};

bool isStepInput(Category category) {
    return category == Category::Parameter || category == Category::Buffer || category == Category::Input;
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

/// Adds up the ranges.
void fillCurves(MemoryProfile& profile, std::uint32_t length) {
    std::vector<std::int64_t> change(length + 1, 0);
    std::vector<std::int64_t> intermediateChange(length + 1, 0);
    for (const LiveRange& range : profile.ranges) {
        change[range.from] += range.bytes;
        change[range.last + 1] -= range.bytes;
        if (!isStepInput(range.category)) {
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

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool isTangent(const ir::Node& node) {
    return node.op == ir::Opcode::Placeholder && contains(node.target, "tangents");
}

/// A step's two graphs laid one after the other.
class Step {
public:
    Step(const StepGraphs& graphs, const ProfileOptions& options)
        : m_graphs(graphs),
          m_gap(static_cast<std::uint32_t>(graphs.forward.size())),
          m_end(m_gap + 1 + static_cast<std::uint32_t>(graphs.backward.size())),
          m_options(options) {
        m_profile.forwardEnd = m_gap;
        m_profile.backwardBegin = m_gap + 1;
    }

    MemoryProfile profile() {
        addForward();
        addBackward();
        fillCurves(m_profile, m_end + 1);
        return std::move(m_profile);
    }

private:
    [[nodiscard]] Category inputCategory(const ir::Node& node, std::size_t position) const {
        const auto& known = m_graphs.staticInputs;
        if (std::find(known.begin(), known.end(), position) == known.end()) {
            return Category::Input;
        }
        const bool buffer =
            contains(node.inputSource, "_buffers[") ||
            (!node.descriptors.empty() && contains(node.descriptors.front(), "BufferAOTInput"));
        return buffer ? Category::Buffer : Category::Parameter;
    }

    void addForward() {
        const std::vector<ir::NodeId> inputs = m_graphs.forward.placeholders();
        for (const StorageLife& life : storageLives(m_graphs.forward, m_options.rounding)) {
            const ir::NodeId first = life.nodes.front();
            const ir::Node& node = m_graphs.forward.node(first);
            noteUnknown(life, node);
            LiveRange range = rangeOf(m_graphs.forward, life, Category::Temporary);
            range.forwardNode = first;
            const auto isUsers = [this](std::size_t position) { return position < m_graphs.forwardOutputs; };
            const bool saved = !std::ranges::all_of(life.returned, isUsers);
            const bool output = std::ranges::any_of(life.returned, isUsers);
            if (life.isInput) {
                const auto position = std::find(inputs.begin(), inputs.end(), first) - inputs.begin();
                range.category = inputCategory(node, static_cast<std::size_t>(position));
                range.from = 0;
                range.last = m_end;
            } else if (saved || output) {
                range.category = saved ? Category::SavedActivation : Category::Output;
                // A saved one ends where the backward uses it last, which is found there.
                range.last = m_gap;
            }
            remember(life, range);
        }
    }

    /// The backward's inputs go by the forward's names.
    void remember(const StorageLife& life, LiveRange range) {
        for (const ir::NodeId id : life.nodes) {
            m_forwardRange[m_graphs.forward.node(id).name] = m_profile.ranges.size();
        }
        m_profile.ranges.push_back(std::move(range));
    }

    void addBackward() {
        const std::uint32_t begin = m_profile.backwardBegin;
        for (const StorageLife& life : storageLives(m_graphs.backward, m_options.rounding)) {
            const ir::NodeId first = life.nodes.front();
            const ir::Node& node = m_graphs.backward.node(first);
            const std::uint32_t last = life.returned.empty() ? begin + life.last : m_end;
            const auto known = m_forwardRange.find(node.name);
            if (life.isInput && !isTangent(node) && known != m_forwardRange.end()) {
                LiveRange& range = m_profile.ranges[known->second];
                range.last = std::max(range.last, last);
                range.backwardNode = first;
                continue;
            }
            noteUnknown(life, node);
            LiveRange range = rangeOf(m_graphs.backward, life, Category::Temporary);
            range.backwardNode = first;
            range.from = begin + life.from;
            range.last = last;
            if (isTangent(node)) {
                range.category = Category::Tangent;
                // Made by the loss.
                range.from = m_gap;
            } else if (!life.returned.empty()) {
                range.category = Category::Gradient;
            } else if (known != m_forwardRange.end()) {
                range.category = Category::Recomputed;
            }
            m_profile.ranges.push_back(std::move(range));
        }
    }

    void noteUnknown(const StorageLife& life, const ir::Node& node) {
        if (!life.sizeKnown) {
            m_profile.unknown.push_back(node.name);
        }
    }

    const StepGraphs& m_graphs;
    std::uint32_t m_gap;
    std::uint32_t m_end;
    ProfileOptions m_options;
    MemoryProfile m_profile;
    std::unordered_map<std::string, std::size_t> m_forwardRange;
};

} // namespace

std::string_view categoryName(Category category) {
    return names.at(static_cast<std::size_t>(category));
}

MemoryProfile profileGraph(const ir::Graph& graph, const ProfileOptions& options) {
    MemoryProfile profile;
    const auto length = static_cast<std::uint32_t>(graph.size());
    profile.forwardEnd = length;
    profile.backwardBegin = length;
    for (const StorageLife& life : storageLives(graph, options.rounding)) {
        const ir::Node& node = graph.node(life.nodes.front());
        Category category = Category::Temporary;
        if (life.isInput) {
            category = Category::Input;
        } else if (!life.returned.empty()) {
            category = Category::Output;
        }
        LiveRange range = rangeOf(graph, life, category);
        range.forwardNode = life.nodes.front();
        if (life.isInput) {
            range.from = 0;
        }
        if (life.isInput || !life.returned.empty()) {
            range.last = length == 0 ? 0 : length - 1;
        }
        if (!life.sizeKnown) {
            profile.unknown.push_back(node.name);
        }
        profile.ranges.push_back(std::move(range));
    }
    fillCurves(profile, length);
    return profile;
}

MemoryProfile profileStep(const StepGraphs& graphs, const ProfileOptions& options) {
    return Step(graphs, options).profile();
}

std::vector<const LiveRange*> aliveAt(const MemoryProfile& profile, std::uint32_t position) {
    std::vector<const LiveRange*> alive;
    for (const LiveRange& range : profile.ranges) {
        if (range.from <= position && position <= range.last) {
            alive.push_back(&range);
        }
    }
    std::ranges::stable_sort(alive, std::greater<>(), [](const LiveRange* range) { return range->bytes; });
    return alive;
}

} // namespace aotscope::memory
