#pragma once

#include "runs/profile.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::views {

/// A profile as the picture needs it: which rows are folded, and where each row is. Heights are in lanes.
class TimelineScene {
public:
    explicit TimelineScene(session::ProfilePtr profile);

    /// A row of the picture: a line with its name, and its lanes below unless it is folded.
    struct Place {
        std::uint32_t row = 0;
        /// Of its name's line, in lanes from the top.
        std::uint32_t top = 0;
        std::uint32_t lanes = 0;
        bool folded = false;
    };

    [[nodiscard]] const session::ProfilePtr& profile() const { return m_profile; }
    [[nodiscard]] const timeline::Timeline& timeline() const { return *m_profile->matched.timeline; }
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }
    [[nodiscard]] std::uint32_t height() const { return m_height; }
    void setFolded(std::size_t place, bool folded);

    /// The place of an event's row.
    [[nodiscard]] const Place& placeOf(timeline::EventId event) const { return m_places[event.row]; }
    /// The lane of an event from the top; of a folded row its name's line.
    [[nodiscard]] std::uint32_t laneOf(timeline::EventId event) const;
    /// The row and the lane in it at a lane from the top; nothing: a name's line, or below all.
    struct LanePlace {
        std::uint32_t row = 0;
        std::size_t lane = 0;
    };
    [[nodiscard]] std::optional<LanePlace> laneAt(std::uint32_t fromTop) const;
    [[nodiscard]] std::optional<std::size_t> nameAt(std::uint32_t fromTop) const;

    /// The nodes of an event; empty: it belongs to none.
    [[nodiscard]] std::vector<std::uint32_t> matchesOf(timeline::EventId event) const {
        return m_profile->matched.matches.of(timeline(), event);
    }
    /// The events of a node of one of the profile's graphs, those of the row of nodes first.
    [[nodiscard]] std::vector<timeline::EventId> eventsOf(std::uint32_t graph, std::string_view node) const;

    /// The next (step 1) or previous (-1) event with the same name on the same row.
    [[nodiscard]] std::optional<timeline::EventId> sameName(timeline::EventId event, int step) const;
    /// By Row::names: whether a name contains the text, ignoring case.
    [[nodiscard]] std::vector<bool> namesWith(const QString& text) const;
    /// All events with these names, by start. Goes through all events.
    [[nodiscard]] std::vector<timeline::EventId> eventsWith(const std::vector<bool>& names) const;

private:
    void arrange();

    session::ProfilePtr m_profile;
    std::vector<Place> m_places;
    std::uint32_t m_height = 0;
};
using TimelineScenePtr = std::shared_ptr<TimelineScene>;

/// "graph nodes", "thread 4 (python)", with the process where there are several.
[[nodiscard]] QString rowTitle(const timeline::Timeline& timeline, std::uint32_t row);

} // namespace aotscope::views
