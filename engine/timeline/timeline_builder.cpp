#include "timeline/timeline_builder.h"

#include "timeline/event_text.h"
#include "timeline/lane_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace aotscope::timeline {

namespace {

constexpr std::size_t mostNameBytes = std::size_t{128} << 20U;
constexpr std::size_t mostRows = 50'000;
constexpr std::size_t mostCounters = 1'000;
constexpr std::size_t mostProcesses = 50'000;
constexpr std::size_t mostKinds = 100;
constexpr std::size_t mostProblems = 100;
constexpr std::int64_t lastPlace = 1'000'000'000'000;
constexpr std::uint32_t nameNotKept = 0;

std::string_view shortened(std::string_view text) {
    return text.substr(0, TimelineBuilder::longestName);
}

} // namespace

TimelineBuilder::TimelineBuilder() {
    m_names.emplace_back("(name not kept)");
}

std::uint32_t TimelineBuilder::name(std::string_view text) {
    text = shortened(text);
    if (const auto known = m_nameNumbers.find(text); known != m_nameNumbers.end()) {
        return known->second;
    }
    if (m_nameBytes > mostNameBytes) {
        return nameNotKept;
    }
    // With what the string and the table need.
    m_nameBytes += text.size() + 100;
    const auto number = static_cast<std::uint32_t>(m_names.size());
    m_nameNumbers.emplace(m_names.emplace_back(text), number);
    return number;
}

std::uint32_t TimelineBuilder::row(std::string_view process, std::string_view thread) {
    process = shortened(process);
    thread = shortened(thread);
    m_key.assign(process);
    m_key += '\0';
    m_key += thread;
    if (const auto known = m_rowNumbers.find(m_key); known != m_rowNumbers.end()) {
        return known->second;
    }
    if (m_rows.size() >= mostRows) {
        leaveOut("row beyond the first 50,000, shown in the last of them");
        return static_cast<std::uint32_t>(m_rows.size() - 1);
    }
    const auto number = static_cast<std::uint32_t>(m_rows.size());
    auto added = std::make_shared<Row>();
    added->processId = process;
    added->threadId = thread;
    m_rows.push_back(std::move(added));
    m_rowNumbers.emplace(m_key, number);
    return number;
}

void TimelineBuilder::add(std::uint32_t row, const NewEvent& event) {
    Row& target = *m_rows[row];
    const auto index = static_cast<std::uint32_t>(target.size());
    if (index == Row::longDuration) {
        leaveOut("event beyond the first 4,294,967,295 of its row");
        return;
    }
    target.append(event.start, event.duration, event.name, event.category, event.place);
    if (event.sequenceNumber) {
        target.sequenceNumbers.emplace_back(index, *event.sequenceNumber);
    }
    if (event.correlation) {
        target.correlations.emplace_back(index, *event.correlation);
    }
}

void TimelineBuilder::count(std::string_view counter, std::string_view unit, std::int64_t time,
                            double value) {
    auto [known, added] =
        m_counterNumbers.try_emplace(std::string(shortened(counter)), m_parts.counters.size());
    if (added) {
        if (m_parts.counters.size() >= mostCounters) {
            m_counterNumbers.erase(known);
            leaveOut("counter beyond the first 1,000");
            return;
        }
        m_parts.counters.push_back({known->first, std::string(unit), {}, {}});
    }
    Counter& target = m_parts.counters[known->second];
    target.times.push_back(time);
    target.values.push_back(value);
}

TimelineBuilder::Process& TimelineBuilder::process(std::string_view id) {
    // Further processes share the empty name.
    const bool full = m_processes.size() >= mostProcesses;
    std::string key(full ? std::string_view() : shortened(id));
    return m_processes[std::move(key)];
}

void TimelineBuilder::addProblem(std::uint64_t offset, std::string message) {
    ++m_parts.problemCount;
    if (m_parts.problems.size() < mostProblems) {
        m_parts.problems.push_back({offset, std::move(message)});
    }
}

void TimelineBuilder::leaveOut(std::string_view what) {
    if (m_leftOut.size() < mostKinds || m_leftOut.contains(std::string(what))) {
        ++m_leftOut[std::string(what)];
    }
}

void TimelineBuilder::describeRows() {
    for (const auto& row : m_rows) {
        const auto known = m_processes.find(row->processId);
        const Process process = known == m_processes.end() ? Process() : known->second;
        // Without a word about its place a process comes last: Kineto's own notes on the trace.
        row->processSortIndex = process.sortIndex.value_or(lastPlace);
        row->process = process.name.empty() ? row->processId : process.name;
        if (!process.labels.empty() && process.labels != process.name) {
            row->process += " (" + process.labels + ")";
        }
    }
}

std::vector<std::uint32_t> TimelineBuilder::sortRows() {
    const auto key = [&](std::uint32_t number) {
        const Row& row = *m_rows[number];
        return std::tuple(row.kind, row.processSortIndex, row.processId, row.sortIndex, number);
    };
    std::vector<std::uint32_t> order;
    for (std::uint32_t number = 0; number < m_rows.size(); ++number) {
        if (m_rows[number]->size() > 0) {
            order.push_back(number);
        }
    }
    std::ranges::sort(order, {}, key);
    return order;
}

TimelinePtr TimelineBuilder::finish() {
    describeRows();
    for (const auto& row : m_rows) {
        bool fits = true;
        (void)orderInLanes(*row, fits);
        if (!fits) {
            addProblem(0, "Events of the row " + row->process + " / " + row->name +
                              " are nested more than 1,000 deep; the deepest are drawn over one another.");
        }
    }
    const std::vector<std::uint32_t> order = sortRows();
    std::vector<std::uint32_t> newNumber(m_rows.size(), 0);
    for (std::uint32_t at = 0; at < order.size(); ++at) {
        newNumber[order[at]] = at;
        m_parts.rows.push_back(m_rows[order[at]]);
    }
    bindFlows(newNumber);
    for (Counter& counter : m_parts.counters) {
        std::vector<std::uint32_t> byTime(counter.times.size());
        std::iota(byTime.begin(), byTime.end(), 0U);
        std::ranges::stable_sort(byTime, {}, [&](std::uint32_t at) { return counter.times[at]; });
        Counter sorted{counter.name, counter.unit, {}, {}};
        for (const std::uint32_t at : byTime) {
            sorted.times.push_back(counter.times[at]);
            sorted.values.push_back(counter.values[at]);
        }
        counter = std::move(sorted);
    }
    m_nameNumbers.clear();
    m_parts.names.assign(std::make_move_iterator(m_names.begin()), std::make_move_iterator(m_names.end()));
    m_parts.leftOut.assign(m_leftOut.begin(), m_leftOut.end());
    std::ranges::sort(m_parts.leftOut);
    Timeline::Parts parts = std::move(m_parts);
    *this = TimelineBuilder();
    return std::make_shared<const Timeline>(std::move(parts));
}

void TimelineBuilder::bindFlows(const std::vector<std::uint32_t>& newNumber) {
    // An end in a row without events has no event.
    std::uint64_t unbound =
        std::erase_if(m_flowEnds, [&](const FlowEnd& end) { return m_rows[end.row]->size() == 0; });
    for (FlowEnd& end : m_flowEnds) {
        end.row = newNumber[end.row];
    }
    BoundFlows bound = boundFlows(m_parts.rows, std::move(m_flowEnds));
    m_flowEnds.clear();
    m_parts.flows = std::move(bound.flows);
    unbound += bound.unbound;
    if (unbound > 0) {
        m_leftOut["flow without an event at one of its ends"] += unbound;
    }
}

} // namespace aotscope::timeline
