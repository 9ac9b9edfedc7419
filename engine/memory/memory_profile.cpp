#include "memory/memory_profile.h"

#include "memory/profile_parts.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::memory {
namespace {

/// Puts a step's two graphs on one time line.
class Step {
public:
    Step(const TrainingStepGraphs& graphs, const ProfileOptions& options)
        : m_graphs(graphs),
          m_gap(static_cast<std::uint32_t>(graphs.forward.size())),
          m_end(m_gap + 1 + static_cast<std::uint32_t>(graphs.backward.size())),
          m_options(options) {
        m_profile.forwardEnd = m_gap;
        m_profile.backwardBegin = m_gap + 1;
        const std::span forward = graphs.forward.order();
        const std::span backward = graphs.backward.order();
        m_profile.nodes.assign(forward.begin(), forward.end());
        m_profile.nodes.emplace_back();
        m_profile.nodes.insert(m_profile.nodes.end(), backward.begin(), backward.end());
        m_profile.nodes.emplace_back();
    }

    MemoryProfile profile() {
        addForward();
        addBackward();
        fillCurves(m_profile, m_end + 1, m_options.rounding);
        return std::move(m_profile);
    }

private:
    void addForward() {
        const std::vector<ir::NodeId> inputs = m_graphs.forward.placeholders();
        for (const StorageLife& life : storageLives(m_graphs.forward, m_options, &m_graphs.backward)) {
            const ir::NodeId first = life.nodes.front();
            LiveRange range = rangeOf(m_graphs.forward, life, m_profile);
            range.forwardNode = first;
            const auto isUsers = [this](std::size_t position) { return position < m_graphs.forwardOutputs; };
            const bool saved = !std::ranges::all_of(life.returned, isUsers);
            const bool output = std::ranges::any_of(life.returned, isUsers);
            const bool donatable = saved && !output && !life.isInput;
            if (life.isInput) {
                makeInput(range, m_graphs.forward, first, inputs, m_graphs.staticInputs, m_end);
            } else if (saved || output) {
                range.category = saved ? Category::SavedActivation : Category::Output;
                // addBackward extends a saved value to its last use in the backward.
                range.last = m_gap;
            }
            if (donatable) {
                m_donatable.insert(m_profile.ranges.size());
            }
            remember(life, range);
        }
    }

    /// Adds a range by the names of its nodes, which the backward's inputs share.
    void remember(const StorageLife& life, LiveRange range) {
        for (const ir::NodeId id : life.nodes) {
            m_forwardRange[m_graphs.forward.node(id).name] = m_profile.ranges.size();
        }
        m_profile.ranges.push_back(std::move(range));
    }

    void addBackward() {
        const std::uint32_t begin = m_profile.backwardBegin;
        for (const StorageLife& life : storageLives(m_graphs.backward, m_options, &m_graphs.forward)) {
            const ir::NodeId first = life.nodes.front();
            const ir::Node& node = m_graphs.backward.node(first);
            const std::uint32_t last = life.returned.empty() ? begin + life.last : m_end;
            const auto known = m_forwardRange.find(node.name);
            if (life.isInput && !ir::isTangentOrBackwardToken(node) && known != m_forwardRange.end()) {
                LiveRange& range = m_profile.ranges[known->second];
                range.last = std::max(range.last, last);
                range.backwardNode = first;
                if (m_donatable.contains(known->second) && life.returned.empty()) {
                    for (const ir::NodeId id : life.nodes) {
                        m_donated[id] = known->second;
                    }
                }
                continue;
            }
            LiveRange range = rangeOf(m_graphs.backward, life, m_profile);
            range.backwardNode = first;
            range.from = begin + life.from;
            range.last = last;
            if (node.op == ir::Opcode::GetAttr) {
                // A constant that only the backward reads; the module holds it throughout.
                range.category = Category::Input;
                range.from = 0;
                range.last = m_end;
            } else if (ir::isTangentOrBackwardToken(node)) {
                range.category = Category::Tangent;
                // The loss makes it.
                range.from = m_gap;
            } else if (!life.returned.empty()) {
                range.category = Category::Gradient;
            } else if (known != m_forwardRange.end()) {
                range.category = Category::Recomputed;
            }
            takeOver(range, node);
            m_profile.ranges.push_back(std::move(range));
        }
    }

    /// Lets a result reuse the memory of a donated buffer if it is the last to read the buffer.
    void takeOver(LiveRange& result, const ir::Node& maker) {
        const ir::TensorMeta* tensor = ir::asTensor(maker.value);
        if (m_options.writesOver == nullptr || tensor == nullptr || maker.op != ir::Opcode::CallFunction ||
            !m_options.writesOver(maker.target)) {
            return;
        }
        for (const ir::NodeId read : m_graphs.backward.inputs(result.backwardNode)) {
            const auto donated = m_donated.find(read);
            if (donated == m_donated.end()) {
                continue;
            }
            LiveRange& buffer = m_profile.ranges[donated->second];
            const ir::TensorMeta& given = *ir::asTensor(m_graphs.backward.node(read).value);
            const bool fits = given.dtype == tensor->dtype && given.device == tensor->device &&
                              given.shape == tensor->shape && given.stride == tensor->stride &&
                              buffer.bytes == result.bytes;
            if (buffer.last == result.from && fits) {
                --buffer.last;
                result.takesOver = buffer.name;
                return;
            }
        }
    }

    const TrainingStepGraphs& m_graphs;
    std::uint32_t m_gap;
    std::uint32_t m_end;
    ProfileOptions m_options;
    MemoryProfile m_profile;
    std::unordered_map<std::string, std::size_t> m_forwardRange;
    /// Ranges that are saved and that nothing else holds.
    std::unordered_set<std::size_t> m_donatable;
    /// By node of the backward: the donated range it is in, which the backward does not return.
    std::map<ir::NodeId, std::size_t> m_donated;
};

} // namespace

MemoryProfile profileGraph(const ir::Graph& graph, const ProfileOptions& options) {
    MemoryProfile profile;
    const auto length = static_cast<std::uint32_t>(graph.size());
    profile.forwardEnd = length;
    profile.backwardBegin = length;
    profile.nodes.assign(graph.order().begin(), graph.order().end());
    for (const StorageLife& life : storageLives(graph, options)) {
        LiveRange range = rangeOf(graph, life, profile);
        range.forwardNode = life.nodes.front();
        if (life.isInput || !life.returned.empty()) {
            range.category = life.isInput ? Category::Input : Category::Output;
            range.from = life.isInput ? 0 : range.from;
            range.last = length - 1;
        }
        profile.ranges.push_back(std::move(range));
    }
    fillCurves(profile, length, options.rounding);
    return profile;
}

MemoryProfile profileTrainingStep(const TrainingStepGraphs& graphs, const ProfileOptions& options) {
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
