#include "memory/memory_scene.h"

#include <algorithm>

namespace aotscope::views {

Category categoryOf(memory::Category category) {
    switch (category) {
    case memory::Category::Parameter:
        return Category::Parameter;
    case memory::Category::Buffer:
        return Category::Buffer;
    case memory::Category::Input:
        return Category::Input;
    case memory::Category::SavedActivation:
        return Category::Saved;
    case memory::Category::Output:
        return Category::Output;
    case memory::Category::Tangent:
        return Category::Tangent;
    case memory::Category::Gradient:
        return Category::Gradient;
    case memory::Category::Temporary:
        return Category::Temporary;
    case memory::Category::Recomputed:
        return Category::Recomputed;
    }
    return Category::Unknown;
}

MemoryScene::MemoryScene(ProfilePtr profile) : m_profile(std::move(profile)), m_stack(*m_profile) {
    m_byName.reserve(m_profile->ranges.size());
    for (std::uint32_t i = 0; i < m_profile->ranges.size(); ++i) {
        const memory::LiveRange& range = m_profile->ranges[i];
        m_byName.emplace(range.name, i);
        for (const std::string& alias : range.aliases) {
            m_byName.emplace(alias, i);
        }
    }
}

std::optional<std::uint32_t> MemoryScene::tryFind(std::string_view name, std::uint32_t position) const {
    std::optional<std::uint32_t> first;
    const auto [begin, end] = m_byName.equal_range(name);
    for (auto entry = begin; entry != end; ++entry) {
        const memory::LiveRange& range = m_profile->ranges[entry->second];
        if (range.from <= position && position <= range.last) {
            return entry->second;
        }
        first = first ? std::min(*first, entry->second) : entry->second;
    }
    return first;
}

} // namespace aotscope::views
