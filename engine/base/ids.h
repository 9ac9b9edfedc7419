#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace aotscope::base {

/// A 32-bit index that cannot be confused with the index of another kind. A default-constructed one is
/// invalid. `Tag` only names the kind.
template<typename Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t index) : m_index(index) {}

    [[nodiscard]] constexpr bool valid() const { return m_index != invalidIndex; }
    [[nodiscard]] constexpr std::uint32_t index() const { return m_index; }
    constexpr auto operator<=>(const Id&) const = default;

private:
    static constexpr std::uint32_t invalidIndex = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t m_index = invalidIndex;
};

} // namespace aotscope::base

template<typename Tag>
struct std::hash<aotscope::base::Id<Tag>> {
    std::size_t operator()(aotscope::base::Id<Tag> id) const noexcept { return id.index(); }
};
