#pragma once

#include <cstdint>
#include <span>

namespace aotscope::views {

/// The horizontal axis of the memory picture: nodes in program order at equal widths, or each as wide as the
/// time it took. Does not own the times it refers to.
class MemoryAxis {
public:
    /// Program order: places are positions.
    explicit MemoryAxis(std::uint32_t positions) : m_positions(positions) {}
    /// Measured time: places are nanoseconds. `start` has the begin of each position, then the end of the
    /// last.
    explicit MemoryAxis(std::span<const std::int64_t> start)
        : m_positions(static_cast<std::uint32_t>(start.size()) - 1), m_start(start) {}

    [[nodiscard]] bool isTime() const { return !m_start.empty(); }
    [[nodiscard]] double length() const;
    /// The smallest length that is useful to zoom to.
    [[nodiscard]] double shortest() const;
    /// The place of a position; a fraction is a share of the position's width.
    [[nodiscard]] double placeOf(double position) const;
    /// The inverse of placeOf. Nodes that took no time have no place on an axis of time.
    [[nodiscard]] double positionAt(double place) const;

private:
    std::uint32_t m_positions;
    std::span<const std::int64_t> m_start;
};

} // namespace aotscope::views
