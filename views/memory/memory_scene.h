#pragma once

#include "common/theme.h"
#include "memory/band_stack.h"
#include "memory/measured_profile.h"
#include "memory/memory_profile.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace aotscope::views {

using MeasuredPtr = std::shared_ptr<const memory::MeasuredProfile>;
using ProfilePtr = std::shared_ptr<const memory::MemoryProfile>;

/// The colour category of a value's category.
[[nodiscard]] Category categoryOf(memory::Category category);

/// A profile prepared for drawing and for finding values by name.
class MemoryScene {
public:
    explicit MemoryScene(ProfilePtr profile);

    [[nodiscard]] const memory::MemoryProfile& profile() const { return *m_profile; }
    [[nodiscard]] const ProfilePtr& shared() const { return m_profile; }
    [[nodiscard]] const memory::BandStack& stack() const { return m_stack; }
    [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(m_profile->bytes.size()); }
    /// The value with that name or an alias of it. If there are several (from the forward and recomputed),
    /// the one alive at `position`, else the first.
    [[nodiscard]] std::optional<std::uint32_t> tryFind(std::string_view name, std::uint32_t position) const;

private:
    ProfilePtr m_profile;
    memory::BandStack m_stack;
    std::unordered_multimap<std::string_view, std::uint32_t> m_byName;
};
using MemoryScenePtr = std::shared_ptr<const MemoryScene>;

/// Another order of the same training step, drawn as a line over the bands.
struct MemoryCurve {
    QString label;
    ProfilePtr profile;
};

} // namespace aotscope::views
