#pragma once

#include "steps/call_record.h"
#include "steps/event_filter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::views {

/// A row of the Events tree: an event, or a heading above several.
struct EventRow {
    enum class Kind {
        /// One call of a training loop.
        Call,
        /// Forward or backward of a call.
        Phase,
        Event
    };
    Kind kind = Kind::Event;
    std::size_t call = 0;
    bool backward = false;
    /// Set for Kind::Event. A wrapper's row is its entry; its exit is the last row inside it.
    std::optional<std::size_t> event;
    /// With everything inside.
    std::int64_t nanoseconds = 0;
    /// The row it is inside, and its place among that row's children; -1: at the top.
    int parent = -1;
    int place = 0;
    std::vector<int> children;
    /// Whether the filter chose it. Rows around chosen ones are in the tree too.
    bool matches = true;
};

/// The events of a call by phase: wrappers hold what happens inside them.
struct EventTree {
    std::vector<EventRow> rows;
    /// The rows at the top.
    std::vector<int> roots;
    /// Per event its row; -1: the filter left it out.
    std::vector<int> rowOfEvent;
    /// Number of events that the filter chose.
    std::size_t matching = 0;
    /// Of any row.
    std::int64_t longest = 0;
};

[[nodiscard]] EventTree makeEventTree(const steps::CallRecord& record, const EventFilter& filter);

/// The event that runs one node of a half of the graph, in the same call as event `near` if that has one;
/// nothing: no event does.
[[nodiscard]] std::optional<std::size_t> eventOfNode(const steps::CallRecord& record, std::string_view node,
                                                     bool backward, std::size_t near);

} // namespace aotscope::views
