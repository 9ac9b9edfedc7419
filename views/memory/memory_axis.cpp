#include "memory/memory_axis.h"

#include <algorithm>
#include <cmath>

namespace aotscope::views {

double MemoryAxis::length() const {
    return std::max(1.0, isTime() ? double(m_start.back()) : double(m_positions));
}

double MemoryAxis::shortest() const {
    constexpr double fewestPositions = 4;
    constexpr double fewestNanoseconds = 500;
    return std::min(isTime() ? fewestNanoseconds : fewestPositions, length());
}

double MemoryAxis::placeOf(double position) const {
    if (!isTime()) {
        return position;
    }
    const double inside = std::clamp(position, 0.0, double(m_positions));
    const auto at = std::min(static_cast<std::size_t>(inside), m_start.size() - 2);
    const auto begin = double(m_start[at]);
    return begin + (inside - double(at)) * (double(m_start[at + 1]) - begin);
}

double MemoryAxis::positionAt(double place) const {
    if (!isTime()) {
        return place;
    }
    const auto past =
        std::upper_bound(m_start.begin(), m_start.end(), place,
                         [](double wanted, std::int64_t begin) { return wanted < double(begin); });
    if (past == m_start.begin()) {
        return 0;
    }
    if (past == m_start.end()) {
        return double(m_positions);
    }
    const auto begin = double(*std::prev(past));
    return double(past - m_start.begin() - 1) + (place - begin) / (double(*past) - begin);
}

} // namespace aotscope::views
