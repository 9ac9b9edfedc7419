#pragma once

#include <cstdint>
#include <span>

namespace aotscope::views {

/// The horizontal axis of the memory picture: nodes side by side in program order, or each as wide as the
/// time that it took. A view of the times it was made from.
class MemoryAxis {
public:
    /// Program order: a place is a position.
    explicit MemoryAxis(std::uint32_t positions) : m_positions(positions) {}
    /// A place is a time; nanoseconds at which each position begins, and the end.
    explicit MemoryAxis(std::span<const std::int64_t> start)
        : m_positions(static_cast<std::uint32_t>(start.size()) - 1), m_start(start) {}

    [[nodiscard]] bool isTime() const { return !m_start.empty(); }
    [[nodiscard]] double length() const;
    /// Nobody needs to see less of it.
    [[nodiscard]] double shortest() const;
    /// Where a position lies, or the share of it that its fraction is.
    [[nodiscard]] double placeOf(double position) const;
    /// What took no time is nowhere on an axis of time.
    [[nodiscard]] double positionAt(double place) const;

private:
    std::uint32_t m_positions;
    std::span<const std::int64_t> m_start;
};

} // namespace aotscope::views
