#include "timeline/timeline.h"

#include "timeline/event_text.h"

#include <algorithm>
#include <numeric>

namespace aotscope::timeline {

namespace {

template<typename T>
std::size_t bytesOf(const std::vector<T>& column) {
    return column.capacity() * sizeof(T);
}

std::size_t bytesOf(const Row& row) {
    return bytesOf(row.starts) + bytesOf(row.durations) + bytesOf(row.names) + bytesOf(row.categories) +
           bytesOf(row.places) + bytesOf(row.lanes) + bytesOf(row.sequenceNumbers) +
           bytesOf(row.correlations) + row.longDurations.size() * 32;
}

} // namespace

std::size_t Row::laneOf(std::uint32_t event) const {
    const auto after = std::ranges::upper_bound(lanes, event);
    return static_cast<std::size_t>(after - lanes.begin()) - 1;
}

std::uint32_t Row::firstFrom(std::size_t lane, std::int64_t time) const {
    const auto first = starts.begin();
    return static_cast<std::uint32_t>(std::lower_bound(first + lanes[lane], first + lanes[lane + 1], time) -
                                      first);
}

std::uint32_t Row::firstAfter(std::size_t lane, std::int64_t time) const {
    const auto first = starts.begin();
    return static_cast<std::uint32_t>(std::upper_bound(first + lanes[lane], first + lanes[lane + 1], time) -
                                      first);
}

std::uint32_t Row::firstEndingAfter(std::size_t lane, std::int64_t time) const {
    const std::uint32_t after = firstAfter(lane, time);
    // Events of a lane do not overlap, so only the last one that begins before can still go on.
    return after > lanes[lane] && end(after - 1) > time ? after - 1 : after;
}

void Row::append(std::int64_t start, std::int64_t duration, std::uint32_t name, Category category,
                 std::uint64_t place) {
    const bool isLong = duration >= std::int64_t{longDuration};
    if (isLong) {
        longDurations.emplace(static_cast<std::uint32_t>(size()), duration);
    }
    starts.push_back(start);
    durations.push_back(isLong ? longDuration : static_cast<std::uint32_t>(duration));
    names.push_back(name);
    categories.push_back(category);
    places.push_back(place);
}

std::optional<std::uint32_t> Row::at(std::size_t lane, std::int64_t time) const {
    const std::uint32_t event = firstEndingAfter(lane, time);
    return event < lanes[lane + 1] && starts[event] <= time ? std::optional(event) : std::nullopt;
}

std::optional<std::uint32_t> Row::parent(std::uint32_t event) const {
    const std::size_t lane = laneOf(event);
    if (lane == 0) {
        return std::nullopt;
    }
    // The last one above that begins no later; an event without duration is enclosed, too.
    const std::uint32_t after = firstAfter(lane - 1, starts[event]);
    const bool isInside = after > lanes[lane - 1] && end(after - 1) >= starts[event];
    return isInside ? std::optional(after - 1) : std::nullopt;
}

std::pair<std::uint32_t, std::uint32_t> Row::children(std::uint32_t event) const {
    const std::size_t below = laneOf(event) + 1;
    if (below >= laneCount()) {
        return {0, 0};
    }
    std::uint32_t from = firstFrom(below, starts[event]);
    std::uint32_t to = firstAfter(below, end(event));
    // What begins at the very end belongs to the next event.
    while (from < to && parent(from) != event) {
        ++from;
    }
    while (from < to && parent(to - 1) != event) {
        --to;
    }
    return {from, to};
}

std::optional<std::int64_t> Row::sequenceNumber(std::uint32_t event) const {
    const auto found = std::ranges::lower_bound(sequenceNumbers, event, {}, &EventNumbers::value_type::first);
    return found != sequenceNumbers.end() && found->first == event ? std::optional(found->second)
                                                                   : std::nullopt;
}

std::optional<double> Counter::at(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(times, time);
    if (after == times.begin()) {
        return std::nullopt;
    }
    return values[static_cast<std::size_t>(after - times.begin()) - 1];
}

Timeline::Timeline(Parts parts) : m_parts(std::move(parts)) {
    bool any = false;
    const auto include = [&](std::int64_t from, std::int64_t to) {
        m_begin = any ? std::min(m_begin, from) : from;
        m_end = any ? std::max(m_end, to) : to;
        any = true;
    };
    for (const RowPtr& row : m_parts.rows) {
        m_eventCount += row->size();
        for (std::size_t lane = 0; lane < row->laneCount(); ++lane) {
            if (row->lanes[lane] < row->lanes[lane + 1]) {
                include(row->start(row->lanes[lane]), row->end(row->lanes[lane + 1] - 1));
            }
        }
    }
    for (const Counter& counter : m_parts.counters) {
        if (!counter.times.empty()) {
            include(counter.times.front(), counter.times.back());
        }
    }
    m_flowsByEnd.resize(m_parts.flows.size());
    std::iota(m_flowsByEnd.begin(), m_flowsByEnd.end(), 0U);
    std::ranges::sort(m_flowsByEnd, [this](std::uint32_t left, std::uint32_t right) {
        return m_parts.flows[left].to < m_parts.flows[right].to;
    });
}

std::size_t Timeline::columnBytes() const {
    std::size_t bytes = bytesOf(m_parts.flows) + bytesOf(m_flowsByEnd);
    for (const RowPtr& row : m_parts.rows) {
        bytes += bytesOf(*row);
    }
    for (const Counter& counter : m_parts.counters) {
        bytes += bytesOf(counter.times) + bytesOf(counter.values);
    }
    for (const std::string& name : m_parts.names) {
        bytes += sizeof(std::string) + (name.size() > 15 ? name.capacity() : 0);
    }
    return bytes;
}

std::string_view Timeline::text(EventId event) const {
    const Row& row = this->row(event);
    if (event.index >= row.places.size() || row.places[event.index] == noPlace) {
        return {};
    }
    const Place place = placeOf(row.places[event.index]);
    if (place.source >= m_parts.sources.size()) {
        return {};
    }
    return objectAt(m_parts.sources[place.source].bytes, place.offset);
}

std::vector<Argument> Timeline::arguments(EventId event) const {
    return argumentsOf(text(event));
}

std::vector<Flow> Timeline::flowsOf(EventId event) const {
    std::vector<Flow> found;
    for (auto flow = std::ranges::lower_bound(m_parts.flows, event, {}, &Flow::from);
         flow != m_parts.flows.end() && flow->from == event; ++flow) {
        found.push_back(*flow);
    }
    const auto endOf = [this](std::uint32_t flow) { return m_parts.flows[flow].to; };
    for (auto flow = std::ranges::lower_bound(m_flowsByEnd, event, {}, endOf);
         flow != m_flowsByEnd.end() && endOf(*flow) == event; ++flow) {
        found.push_back(m_parts.flows[*flow]);
    }
    return found;
}

TimelinePtr Timeline::withRow(Row row, std::vector<std::string> names) const {
    Parts parts = m_parts;
    const auto known = static_cast<std::uint32_t>(parts.names.size());
    for (std::uint32_t& name : row.names) {
        name += known;
    }
    std::ranges::move(names, std::back_inserter(parts.names));
    parts.rows.insert(parts.rows.begin(), std::make_shared<const Row>(std::move(row)));
    for (Flow& flow : parts.flows) {
        ++flow.from.row;
        ++flow.to.row;
    }
    return std::make_shared<const Timeline>(std::move(parts));
}

} // namespace aotscope::timeline
