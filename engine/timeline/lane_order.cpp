#include "timeline/lane_order.h"

#include <algorithm>
#include <numeric>

namespace aotscope::timeline {

namespace {

/// No program nests as deep; a hostile file must not make a lane per event.
constexpr std::size_t mostLanes = 1'000;

using Order = std::vector<std::uint32_t>;

/// By start, the longer first, so that what encloses comes before what is enclosed.
Order orderByStart(const Row& row) {
    Order order(row.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto before = [&](std::uint32_t left, std::uint32_t right) {
        if (row.starts[left] != row.starts[right]) {
            return row.starts[left] < row.starts[right];
        }
        const std::int64_t leftDuration = row.duration(left);
        const std::int64_t rightDuration = row.duration(right);
        return leftDuration != rightDuration ? leftDuration > rightDuration : left < right;
    };
    if (!std::ranges::is_sorted(order, before)) {
        std::ranges::sort(order, before);
    }
    return order;
}

/// The lane of each event of `order`: above all that are still going on.
std::vector<std::uint16_t> lanesOf(const Row& row, const Order& order, std::size_t& count, bool& fits) {
    std::vector<std::uint16_t> lanes(order.size());
    std::vector<std::int64_t> ends;
    for (std::size_t at = 0; at < order.size(); ++at) {
        const std::int64_t start = row.starts[order[at]];
        while (!ends.empty() && ends.back() <= start) {
            ends.pop_back();
        }
        if (ends.size() == mostLanes) {
            ends.pop_back();
            fits = false;
        }
        lanes[at] = static_cast<std::uint16_t>(ends.size());
        ends.push_back(row.end(order[at]));
        count = std::max(count, ends.size());
    }
    return lanes;
}

template<typename T>
void reorder(std::vector<T>& column, const Order& order) {
    std::vector<T> moved(order.size());
    std::ranges::transform(order, moved.begin(), [&](std::uint32_t from) { return column[from]; });
    column = std::move(moved);
}

void reorder(EventNumbers& numbers, const Order& placeOfEvent) {
    for (auto& [event, number] : numbers) {
        event = placeOfEvent[event];
    }
    std::ranges::sort(numbers);
    numbers.shrink_to_fit();
}

} // namespace

std::vector<std::uint32_t> orderInLanes(Row& row, bool& fits) {
    Order byStart = orderByStart(row);
    std::size_t count = 0;
    fits = true;
    const std::vector<std::uint16_t> laneOfPlace = lanesOf(row, byStart, count, fits);
    row.lanes.assign(count + 1, 0);
    for (const std::uint16_t lane : laneOfPlace) {
        ++row.lanes[lane + 1U];
    }
    std::partial_sum(row.lanes.begin(), row.lanes.end(), row.lanes.begin());
    Order next(row.lanes.begin(), row.lanes.end());
    Order order(byStart.size());
    for (std::size_t at = 0; at < byStart.size(); ++at) {
        order[next[laneOfPlace[at]]++] = byStart[at];
    }
    // Its memory is used again for the way back.
    Order& placeOfEvent = byStart;
    for (std::uint32_t place = 0; place < order.size(); ++place) {
        placeOfEvent[order[place]] = place;
    }
    reorder(row.starts, order);
    reorder(row.durations, order);
    reorder(row.names, order);
    reorder(row.categories, order);
    reorder(row.places, order);
    reorder(row.sequenceNumbers, placeOfEvent);
    reorder(row.correlations, placeOfEvent);
    std::unordered_map<std::uint32_t, std::int64_t> longDurations;
    for (const auto& [event, duration] : row.longDurations) {
        longDurations.emplace(placeOfEvent[event], duration);
    }
    row.longDurations = std::move(longDurations);
    return order;
}

} // namespace aotscope::timeline
