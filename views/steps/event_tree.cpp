#include "steps/event_tree.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

using steps::EventKind;

/// Puts events in order under calls, phases and wrappers.
class EventTreeBuilder {
public:
    explicit EventTreeBuilder(const steps::CallRecord& record) : m_record(record) {}

    EventTree build() {
        const bool isLoop = std::ranges::any_of(m_record.events,
                                                [](const steps::CallEvent& event) { return event.call > 0; });
        m_tree.rowOfEvent.assign(m_record.events.size(), -1);
        for (std::size_t i = 0; i < m_record.events.size(); ++i) {
            const steps::CallEvent& event = m_record.events[i];
            if (i == 0 || event.call != m_record.events[i - 1].call) {
                m_call = isLoop ? addHeading(EventRow::Kind::Call, event, -1) : -1;
                beginPhase(event);
            } else if (event.backward != m_record.events[i - 1].backward) {
                beginPhase(event);
            }
            addEvent(i);
        }
        sumUp();
        return std::move(m_tree);
    }

private:
    int add(EventRow row) {
        const int index = static_cast<int>(m_tree.rows.size());
        std::vector<int>& siblings =
            row.parent < 0 ? m_tree.roots : m_tree.rows[static_cast<std::size_t>(row.parent)].children;
        row.place = static_cast<int>(siblings.size());
        siblings.push_back(index);
        m_tree.rows.push_back(std::move(row));
        return index;
    }
    int addHeading(EventRow::Kind kind, const steps::CallEvent& event, int parent) {
        EventRow row;
        row.kind = kind;
        row.call = event.call;
        row.backward = event.backward;
        row.parent = parent;
        return add(std::move(row));
    }
    void beginPhase(const steps::CallEvent& event) {
        m_open = {addHeading(EventRow::Kind::Phase, event, m_call)};
    }
    void addEvent(std::size_t index) {
        const steps::CallEvent& event = m_record.events[index];
        EventRow row;
        row.call = event.call;
        row.backward = event.backward;
        row.event = index;
        row.nanoseconds = event.nanoseconds;
        row.parent = m_open.back();
        const int made = add(std::move(row));
        m_tree.rowOfEvent[index] = made;
        if (event.kind == EventKind::WrapperEntry) {
            m_open.push_back(made);
        } else if (event.kind == EventKind::WrapperExit && m_open.size() > 1) {
            m_open.pop_back();
        }
    }
    /// Children come after their parents, so the sums are complete when a row is reached from the end.
    void sumUp() {
        for (std::size_t i = m_tree.rows.size(); i-- > 0;) {
            const EventRow& row = m_tree.rows[i];
            if (row.parent >= 0) {
                m_tree.rows[static_cast<std::size_t>(row.parent)].nanoseconds += row.nanoseconds;
            }
        }
    }

    const steps::CallRecord& m_record;
    EventTree m_tree;
    int m_call = -1;
    /// The phase and the wrappers that are entered but not left.
    std::vector<int> m_open;
};

/// The chosen rows and those around them.
EventTree filteredTree(const EventTree& whole, const steps::CallRecord& record, const EventFilter& filter) {
    std::vector<bool> kept(whole.rows.size(), false);
    std::vector<bool> chosen(whole.rows.size(), false);
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
        const auto& event = whole.rows[i].event;
        chosen[i] = event && filter.matches(record.events[*event]);
        for (int at = static_cast<int>(i); chosen[i] && at >= 0 && !kept[static_cast<std::size_t>(at)];
             at = whole.rows[static_cast<std::size_t>(at)].parent) {
            kept[static_cast<std::size_t>(at)] = true;
        }
    }
    EventTree tree;
    tree.rowOfEvent.assign(record.events.size(), -1);
    std::vector<int> newIndex(whole.rows.size(), -1);
    for (std::size_t i = 0; i < whole.rows.size(); ++i) {
        if (!kept[i]) {
            continue;
        }
        EventRow row = whole.rows[i];
        row.children.clear();
        row.matches = chosen[i];
        row.parent = row.parent < 0 ? -1 : newIndex[static_cast<std::size_t>(row.parent)];
        newIndex[i] = static_cast<int>(tree.rows.size());
        std::vector<int>& siblings =
            row.parent < 0 ? tree.roots : tree.rows[static_cast<std::size_t>(row.parent)].children;
        row.place = static_cast<int>(siblings.size());
        siblings.push_back(newIndex[i]);
        if (row.event) {
            tree.rowOfEvent[*row.event] = newIndex[i];
        }
        tree.matching += row.matches ? 1 : 0;
        tree.rows.push_back(std::move(row));
    }
    return tree;
}

} // namespace

EventTree makeEventTree(const steps::CallRecord& record, const EventFilter& filter) {
    EventTree tree = EventTreeBuilder(record).build();
    tree.matching = record.events.size();
    if (!filter.isEmpty()) {
        tree = filteredTree(tree, record, filter);
    }
    for (const EventRow& row : tree.rows) {
        tree.longest = std::max(tree.longest, row.nanoseconds);
    }
    return tree;
}

std::optional<std::size_t> eventOfNode(const steps::CallRecord& record, std::string_view node, bool backward,
                                       std::size_t near) {
    const EventKind kind = backward ? EventKind::BackwardNode : EventKind::ForwardNode;
    const std::size_t call = near < record.events.size() ? record.events[near].call : 0;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < record.events.size(); ++i) {
        const steps::CallEvent& event = record.events[i];
        if (event.kind == kind && event.title == node && (!found || event.call == call)) {
            found = i;
            if (event.call == call) {
                break;
            }
        }
    }
    return found;
}

} // namespace aotscope::views
