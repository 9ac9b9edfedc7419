#pragma once

#include "timeline/flow_binding.h"
#include "timeline/timeline.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aotscope::timeline {

/// An event that is to be put into a row.
struct NewEvent {
    std::int64_t start = 0;
    std::int64_t duration = 0;
    std::uint32_t name = 0;
    Category category = Category::Other;
    /// See packPlace.
    std::uint64_t place = 0;
    std::optional<std::int64_t> sequenceNumber = {};
    std::optional<std::int64_t> correlation = {};
};

/// Collects events in any order and makes a Timeline of them. The memory it needs beside the finished columns
/// is that of the largest row.
class TimelineBuilder {
public:
    TimelineBuilder();

    /// The number of a name. Names that need too much memory in all are not kept: such events are called
    /// "(name not kept)", and their text still has it.
    [[nodiscard]] std::uint32_t name(std::string_view text);
    /// The row of a thread, created when it is first named.
    [[nodiscard]] std::uint32_t row(std::string_view process, std::string_view thread);
    [[nodiscard]] Row& at(std::uint32_t row) { return *m_rows[row]; }

    void add(std::uint32_t row, const NewEvent& event);
    void addFlowEnd(const FlowEnd& end) { m_flowEnds.push_back(end); }
    /// A value of a counter.
    void count(std::string_view counter, std::string_view unit, std::int64_t time, double value);

    /// What the trace says of a process; texts of at most `longestName` bytes.
    struct Process {
        std::string name;
        std::string labels;
        std::optional<std::int64_t> sortIndex;
    };
    [[nodiscard]] Process& process(std::string_view id);
    static constexpr std::size_t longestName = 4'096;

    void addProblem(std::uint64_t offset, std::string message);
    void leaveOut(std::string_view what);
    /// Everything else: sources, epoch, properties.
    [[nodiscard]] Timeline::Parts& parts() { return m_parts; }

    /// Leaves the builder empty.
    [[nodiscard]] TimelinePtr finish();

private:
    void describeRows();
    [[nodiscard]] std::vector<std::uint32_t> sortRows();
    void bindFlows(const std::vector<std::uint32_t>& newNumber);

    Timeline::Parts m_parts;
    std::deque<std::string> m_names;
    std::unordered_map<std::string_view, std::uint32_t> m_nameNumbers;
    std::size_t m_nameBytes = 0;
    std::vector<std::shared_ptr<Row>> m_rows;
    std::unordered_map<std::string, std::uint32_t> m_rowNumbers;
    std::string m_key;
    std::unordered_map<std::string, Process> m_processes;
    std::unordered_map<std::string, std::size_t> m_counterNumbers;
    std::unordered_map<std::string, std::uint64_t> m_leftOut;
    std::vector<FlowEnd> m_flowEnds;
};

} // namespace aotscope::timeline
