#include "steps/checkpoint_plan.h"

#include "base/mapped.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace aotscope::steps {

bool CheckpointPlan::wants(std::size_t event) const {
    const auto next = m_checkpoints.lower_bound(event);
    const bool farFromNext = next == m_checkpoints.end() || next->first - event >= m_spacing;
    const bool farFromLast = next == m_checkpoints.begin() || event - std::prev(next)->first >= m_spacing;
    const bool farFromRefused =
        !m_refused || event >= *m_refused + m_spacing || event + m_spacing <= *m_refused;
    return farFromNext && farFromLast && farFromRefused;
}

std::vector<std::size_t> CheckpointPlan::add(std::size_t event, std::vector<KeptStorage> storages,
                                             bool isEnd) {
    if (m_checkpoints.contains(event)) {
        return {};
    }
    for (const KeptStorage& storage : storages) {
        keep(storage);
    }
    m_checkpoints.emplace(event, Checkpoint{std::move(storages), isEnd});
    m_farthest = std::max(m_farthest, event);
    std::vector<std::size_t> dropped = dropBeyondBounds();
    if (!m_checkpoints.contains(event)) {
        m_refused = event;
    }
    return dropped;
}

std::vector<std::size_t> CheckpointPlan::replace(std::uint64_t storage, KeptStorage copy) {
    for (auto& [event, checkpoint] : m_checkpoints) {
        for (KeptStorage& kept : checkpoint.storages) {
            if (kept.number == storage) {
                release(kept);
                kept = copy;
                keep(kept);
            }
        }
    }
    return dropBeyondBounds();
}

void CheckpointPlan::clear() {
    m_checkpoints.clear();
    m_storages.clear();
    m_bytes = 0;
    m_refused.reset();
}

std::vector<std::size_t> CheckpointPlan::events() const {
    return base::mapped(m_checkpoints, [](const auto& each) { return each.first; });
}

void CheckpointPlan::keep(const KeptStorage& storage) {
    Storage& kept = m_storages[storage.number];
    if (kept.keepers++ == 0) {
        kept.bytes = storage.bytes;
        m_bytes += storage.bytes;
    }
}

void CheckpointPlan::release(const KeptStorage& storage) {
    const auto kept = m_storages.find(storage.number);
    if (--kept->second.keepers == 0) {
        m_bytes -= kept->second.bytes;
        m_storages.erase(kept);
    }
}

std::int64_t CheckpointPlan::freedBytes(const Checkpoint& checkpoint) const {
    std::int64_t freed = 0;
    for (const KeptStorage& storage : checkpoint.storages) {
        const Storage& kept = m_storages.at(storage.number);
        freed += kept.keepers == 1 ? kept.bytes : 0;
    }
    return freed;
}

CheckpointPlan::Checkpoints::iterator CheckpointPlan::leastUseful() {
    const bool needsBytes = m_bytes > m_limit;
    // The end of a graph last; then by events to compute again per byte freed.
    using Use = std::tuple<bool, double>;
    auto least = m_checkpoints.end();
    Use leastUse;
    for (auto at = m_checkpoints.begin(); at != m_checkpoints.end(); ++at) {
        const std::size_t before = at == m_checkpoints.begin() ? 0 : std::prev(at)->first;
        // Behind the last one the way is not known yet; at least the next one will be that far.
        const std::size_t behind =
            std::next(at) == m_checkpoints.end() ? at->first + m_spacing : std::next(at)->first;
        const auto way = static_cast<double>(behind - before + 1);
        const double freed = needsBytes ? static_cast<double>(1 + freedBytes(at->second)) : 1;
        const Use use{at->second.isEnd, way / freed};
        if (least == m_checkpoints.end() || use < leastUse) {
            least = at;
            leastUse = use;
        }
    }
    return least;
}

std::vector<std::size_t> CheckpointPlan::dropBeyondBounds() {
    std::vector<std::size_t> dropped;
    while (m_bytes > m_limit || m_checkpoints.size() > m_most) {
        const auto least = leastUseful();
        for (const KeptStorage& storage : least->second.storages) {
            release(storage);
        }
        dropped.push_back(least->first);
        m_checkpoints.erase(least);
    }
    if (!dropped.empty()) {
        widenSpacing();
    }
    return dropped;
}

/// To half of what those that are kept have between them on average.
void CheckpointPlan::widenSpacing() {
    m_spacing = std::max(m_spacing, m_farthest / (2 * (m_checkpoints.size() + 1)));
}

} // namespace aotscope::steps
