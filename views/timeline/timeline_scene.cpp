#include "timeline/timeline_scene.h"

#include "common/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace aotscope::views {

using timeline::EventId;
using timeline::Row;

namespace {

/// A trace with more rows shows only the first ones opened.
constexpr std::size_t mostOpened = 24;
constexpr std::uint32_t mostLanes = 60;

} // namespace

TimelineScene::TimelineScene(session::ProfilePtr profile) : m_profile(std::move(profile)) {
    for (std::uint32_t row = 0; row < timeline().rows().size(); ++row) {
        Place place;
        place.row = row;
        place.lanes = std::min(mostLanes, static_cast<std::uint32_t>(timeline().rows()[row]->laneCount()));
        place.folded = row >= mostOpened;
        m_places.push_back(place);
    }
    arrange();
}

void TimelineScene::arrange() {
    m_height = 0;
    for (Place& place : m_places) {
        place.top = m_height;
        m_height += 1 + (place.folded ? 0 : place.lanes);
    }
}

void TimelineScene::setFolded(std::size_t place, bool folded) {
    m_places[place].folded = folded;
    arrange();
}

std::uint32_t TimelineScene::laneOf(EventId event) const {
    const Place& place = placeOf(event);
    if (place.folded) {
        return place.top;
    }
    const auto lane = static_cast<std::uint32_t>(timeline().row(event).laneOf(event.index));
    return place.top + 1 + std::min(lane, place.lanes - 1);
}

std::optional<std::size_t> TimelineScene::nameAt(std::uint32_t fromTop) const {
    const auto found = std::ranges::lower_bound(m_places, fromTop, {}, &Place::top);
    return found != m_places.end() && found->top == fromTop
               ? std::optional(static_cast<std::size_t>(found - m_places.begin()))
               : std::nullopt;
}

std::optional<TimelineScene::LanePlace> TimelineScene::laneAt(std::uint32_t fromTop) const {
    const auto after = std::ranges::upper_bound(m_places, fromTop, {}, &Place::top);
    if (after == m_places.begin() || fromTop >= m_height || (after - 1)->top == fromTop) {
        return std::nullopt;
    }
    return LanePlace{(after - 1)->row, fromTop - (after - 1)->top - 1};
}

std::vector<EventId> TimelineScene::eventsOf(std::uint32_t graph, std::string_view node) const {
    const timeline::NodeMatches& matches = m_profile->matched.matches;
    std::vector<EventId> events;
    const auto& order = m_profile->matched.matchOfNodeEvent;
    for (std::uint32_t event = 0; event < order.size(); ++event) {
        const timeline::NodeMatch& match = matches.nodes[order[event]];
        if (match.graph == graph && matches.graphs[graph].graph->node(match.node).name == node) {
            events.push_back({0, event});
        }
    }
    std::ranges::sort(events, {}, [&](EventId event) { return timeline().start(event); });
    return events;
}

std::optional<EventId> TimelineScene::sameName(EventId event, int step) const {
    const Row& row = timeline().row(event);
    std::optional<EventId> best;
    const std::int64_t from = row.start(event.index);
    for (std::uint32_t index = 0; index < row.size(); ++index) {
        if (index == event.index || row.names[index] != row.names[event.index]) {
            continue;
        }
        const std::int64_t start = row.starts[index];
        const bool beyond = step > 0 ? start > from || (start == from && index > event.index)
                                     : start < from || (start == from && index < event.index);
        const bool nearer =
            !best || (step > 0 ? start < row.starts[best->index] : start > row.starts[best->index]);
        if (beyond && nearer) {
            best = EventId{event.row, index};
        }
    }
    return best;
}

std::vector<bool> TimelineScene::namesWith(const QString& wanted) const {
    const std::vector<std::string>& names = timeline().parts().names;
    std::vector<bool> found(names.size());
    for (std::size_t number = 0; number < names.size(); ++number) {
        found[number] = text(names[number]).contains(wanted, Qt::CaseInsensitive);
    }
    return found;
}

std::vector<EventId> TimelineScene::eventsWith(const std::vector<bool>& names) const {
    std::vector<EventId> events;
    for (std::uint32_t number = 0; number < timeline().rows().size(); ++number) {
        const Row& row = *timeline().rows()[number];
        for (std::uint32_t index = 0; index < row.size(); ++index) {
            if (names[row.names[index]]) {
                events.push_back({number, index});
            }
        }
    }
    std::ranges::sort(events, {}, [&](EventId event) { return std::pair(timeline().start(event), event); });
    return events;
}

QString rowTitle(const timeline::Timeline& timeline, std::uint32_t number) {
    const Row& row = *timeline.rows()[number];
    QString title = text(row.name.empty() ? row.threadId : row.name).trimmed();
    if (row.kind != timeline::RowKind::Nodes && !row.process.empty()) {
        title = text(row.process) + QStringLiteral(" · ") + title;
    }
    if (title.isEmpty()) {
        // Marks of the whole recording, such as its end, name neither a process nor a thread.
        title = QCoreApplication::translate("TimelineScene", "Whole recording");
    }
    return row.predicted ? title + QStringLiteral(" (predicted)") : title;
}

} // namespace aotscope::views
