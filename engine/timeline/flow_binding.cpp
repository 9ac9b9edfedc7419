#include "timeline/flow_binding.h"

#include "timeline/event_text.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace aotscope::timeline {

namespace {

/// The innermost event that is running at `time`; one that begins just then counts before one that ends.
std::optional<std::uint32_t> innermostAt(const Row& row, std::int64_t time) {
    std::optional<std::uint32_t> found;
    for (std::size_t lane = 0; lane < row.laneCount(); ++lane) {
        const std::uint32_t after = row.firstAfter(lane, time);
        if (after == row.lanes[lane]) {
            continue;
        }
        const std::uint32_t event = after - 1;
        if (row.end(event) > time || row.starts[event] == time || (!found && row.end(event) == time)) {
            found = event;
        }
    }
    return found;
}

/// The first event that begins at `time` or later, the outermost of several.
std::optional<std::uint32_t> firstFrom(const Row& row, std::int64_t time) {
    std::optional<std::uint32_t> found;
    for (std::size_t lane = 0; lane < row.laneCount(); ++lane) {
        const std::uint32_t event = row.firstFrom(lane, time);
        if (event != row.lanes[lane + 1] && (!found || row.starts[event] < row.starts[*found])) {
            found = event;
        }
    }
    return found;
}

class Binding {
public:
    explicit Binding(const std::vector<RowPtr>& rows) : m_rows(rows) {}

    BoundFlows run(std::vector<FlowEnd> ends) {
        launches();
        bind(std::move(ends));
        auto& flows = m_bound.flows;
        std::ranges::sort(flows);
        const auto same = [](const Flow& left, const Flow& right) {
            return left.from == right.from && left.to == right.to;
        };
        flows.erase(std::unique(flows.begin(), flows.end(), same), flows.end());
        flows.shrink_to_fit();
        return std::move(m_bound);
    }

private:
    /// A call or what it launched. The numbers of two sources have nothing to do with each other.
    struct Correlated {
        std::size_t source = 0;
        std::int64_t number = 0;
        std::int64_t start = 0;
        EventId event;
    };

    [[nodiscard]] std::vector<Correlated> correlated(bool launched) const {
        std::vector<Correlated> found;
        for (std::uint32_t number = 0; number < m_rows.size(); ++number) {
            const Row& row = *m_rows[number];
            for (const auto& [event, correlation] : row.correlations) {
                const Category category = row.categories[event];
                const bool isLaunched = category == Category::Kernel || category == Category::Copy;
                if (launched ? isLaunched : category == Category::Runtime) {
                    found.push_back({placeOf(row.places[event]).source, correlation, row.starts[event],
                                     EventId{number, event}});
                }
            }
        }
        return found;
    }

    /// One launch of a CUDA graph has many kernels, but each kernel has one launch: of calls inside one
    /// another, which share a number, the innermost.
    void launches() {
        const auto key = [](const Correlated& each) {
            return std::tuple(each.source, each.number, each.start, each.event);
        };
        std::vector<Correlated> calls = correlated(false);
        std::ranges::sort(calls, {}, key);
        for (const Correlated& work : correlated(true)) {
            const auto isOfIt = [&](const Correlated& call) {
                return call.source == work.source && call.number == work.number;
            };
            // The last call that began before the work did; clocks of device and host may be apart a little,
            // so without one the first.
            const auto after = std::ranges::upper_bound(
                calls, std::tuple(work.source, work.number, work.start, EventId{~0U, ~0U}), {}, key);
            if (after != calls.begin() && isOfIt(*std::prev(after))) {
                addLaunch(std::prev(after)->event, work.event);
            } else if (after != calls.end() && isOfIt(*after)) {
                addLaunch(after->event, work.event);
            }
        }
    }

    void addLaunch(EventId call, EventId work) {
        m_bound.flows.push_back({call, work, FlowKind::Launch});
        m_launched.insert(work);
    }

    [[nodiscard]] std::optional<EventId> eventOf(const FlowEnd& end) const {
        const Row& row = *m_rows[end.row];
        const auto found = end.isAround ? innermostAt(row, end.time) : firstFrom(row, end.time);
        return found ? std::optional(EventId{end.row, *found}) : std::nullopt;
    }

    void bind(std::vector<FlowEnd> ends) {
        const auto phase = [](const FlowEnd& end) { return end.phase == 's' ? 0 : end.phase == 't' ? 1 : 2; };
        std::ranges::stable_sort(
            ends, {}, [&](const FlowEnd& end) { return std::tuple(end.key, end.time, phase(end)); });
        // The end that the next one of the same key comes from, and whether anything came from it yet.
        const FlowEnd* from = nullptr;
        bool isUsed = true;
        const auto leave = [&] {
            m_bound.unbound += isUsed ? 0 : 1;
            from = nullptr;
            isUsed = true;
        };
        for (const FlowEnd& end : ends) {
            if (from != nullptr && (from->key != end.key || end.phase == 's')) {
                leave();
            }
            if (end.phase == 's') {
                from = &end;
                isUsed = false;
                continue;
            }
            if (from == nullptr) {
                ++m_bound.unbound;
                continue;
            }
            connect(*from, end);
            isUsed = true;
            if (end.phase == 't') {
                from = &end;
            } else if (end.kind != FlowKind::Launch) {
                // Only a launch (of a CUDA graph) has several ends.
                from = nullptr;
            }
        }
        leave();
    }

    void connect(const FlowEnd& from, const FlowEnd& to) {
        const auto begin = eventOf(from);
        const auto end = eventOf(to);
        if (!begin || !end) {
            ++m_bound.unbound;
            return;
        }
        // What the correlations gave exactly is not guessed from times again.
        if (to.kind != FlowKind::Launch || !m_launched.contains(*end)) {
            m_bound.flows.push_back({*begin, *end, to.kind});
        }
    }

    const std::vector<RowPtr>& m_rows;
    BoundFlows m_bound;
    std::set<EventId> m_launched;
};

} // namespace

BoundFlows boundFlows(const std::vector<RowPtr>& rows, std::vector<FlowEnd> ends) {
    return Binding(rows).run(std::move(ends));
}

} // namespace aotscope::timeline
