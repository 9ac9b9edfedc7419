#include "memory/peak_difference.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

namespace aotscope::memory {
namespace {

/// The ranges alive at a peak by name; each can be taken once.
class AliveByName {
public:
    explicit AliveByName(const MemoryProfile& profile) : m_alive(aliveAt(profile, profile.peak.position)) {
        m_taken.assign(m_alive.size(), false);
        // Own names come before aliases.
        for (std::size_t i = 0; i < m_alive.size(); ++i) {
            m_byName.emplace(m_alive[i]->name, i);
        }
        for (std::size_t i = 0; i < m_alive.size(); ++i) {
            for (const std::string& alias : m_alive[i]->aliases) {
                m_byName.emplace(alias, i);
            }
        }
    }

    const LiveRange* take(const LiveRange& wanted) {
        const LiveRange* found = take(wanted.name);
        for (std::size_t i = 0; i < wanted.aliases.size() && found == nullptr; ++i) {
            found = take(wanted.aliases[i]);
        }
        return found;
    }

    [[nodiscard]] std::vector<const LiveRange*> left() const {
        std::vector<const LiveRange*> rest;
        for (std::size_t i = 0; i < m_alive.size(); ++i) {
            if (!m_taken[i]) {
                rest.push_back(m_alive[i]);
            }
        }
        return rest;
    }

private:
    const LiveRange* take(std::string_view name) {
        const auto [begin, end] = m_byName.equal_range(name);
        for (auto entry = begin; entry != end; ++entry) {
            if (!m_taken[entry->second]) {
                m_taken[entry->second] = true;
                return m_alive[entry->second];
            }
        }
        return nullptr;
    }

    std::vector<const LiveRange*> m_alive;
    std::vector<bool> m_taken;
    std::unordered_multimap<std::string_view, std::size_t> m_byName;
};

} // namespace

std::vector<PeakDifference> compareAtPeak(const MemoryProfile& left, const MemoryProfile& right) {
    AliveByName rights(right);
    std::vector<PeakDifference> differences;
    for (const LiveRange* range : aliveAt(left, left.peak.position)) {
        const PeakDifference entry{range, rights.take(*range)};
        if (entry.bytes() != 0) {
            differences.push_back(entry);
        }
    }
    for (const LiveRange* range : rights.left()) {
        if (range->bytes != 0) {
            differences.push_back({nullptr, range});
        }
    }
    std::ranges::stable_sort(differences, std::greater<>(),
                             [](const PeakDifference& entry) { return std::abs(entry.bytes()); });
    return differences;
}

} // namespace aotscope::memory
