#pragma once

#include "ir/graph.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// What a program did at which time: recorded by a profiler (chrome_trace_read.h), or predicted.
namespace aotscope::timeline {

/// What kind of work an event is.
enum class Category : std::uint8_t {
    /// A node of a graph.
    Node,
    /// An operator or another function that the profiler recorded ("cpu_op").
    Operator,
    /// A kernel on a GPU.
    Kernel,
    /// A copy or a fill of a GPU's memory.
    Copy,
    /// A call of the CUDA runtime or driver.
    Runtime,
    /// A wait for a GPU.
    Synchronization,
    /// A Python function.
    Python,
    /// A range that the program marked ("user_annotation").
    Annotation,
    /// The profiler's own work.
    Overhead,
    Other,
    /// The span of the profiler's recording: all that is in the trace, and nobody's work.
    Recording
};
AOTSCOPE_WORDS(Category, "node", "operator", "kernel", "copy", "CUDA call", "synchronization", "Python",
               "annotation", "overhead", "other", "recording")

enum class RowKind : std::uint8_t {
    /// The nodes of a graph, one after the other.
    Nodes,
    /// A thread of a process.
    Thread,
    /// A stream of a GPU.
    Stream
};

/// An event of a timeline: a row and the index in the row.
struct EventId {
    std::uint32_t row = 0;
    std::uint32_t index = 0;
    friend auto operator<=>(const EventId&, const EventId&) = default;
};

inline constexpr std::string_view predictedMark = " (predicted)";

/// Numbers that only some events of a row have, by event. Sorted by event.
using EventNumbers = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// The events of one thread, stream or graph. They lie in lanes, one per depth of nesting: the events of a
/// lane follow one another without overlap, so those in any range of time are found by binary search. An
/// event's index counts through the lanes, outermost first. Immutable once it is in a Timeline.
class Row {
public:
    RowKind kind = RowKind::Thread;
    /// Predicted and not measured: drawn hatched, and named with `predictedMark` in written traces.
    bool predicted = false;
    std::string process;
    std::string name;
    /// "pid", "tid" as the file has them, which may be text; for a stream its device and number.
    std::string processId;
    std::string threadId;
    /// Where the file wants the process, and the row in it.
    std::int64_t processSortIndex = 0;
    std::int64_t sortIndex = 0;

    // One entry per event.
    std::vector<std::int64_t> starts;
    std::vector<std::uint32_t> durations;
    std::vector<std::uint32_t> names;
    std::vector<Category> categories;
    /// Where the event's text begins in the timeline's source.
    std::vector<std::uint64_t> places;
    /// Durations that do not fit, by event; its entry in `durations` is `longDuration`.
    std::unordered_map<std::uint32_t, std::int64_t> longDurations;
    /// The first event of each lane, and at the end the number of events.
    std::vector<std::uint32_t> lanes;

    /// What links operators of the forward with those of the backward ("Sequence number").
    EventNumbers sequenceNumbers;
    /// What links a call of the CUDA runtime with the kernel it launched ("correlation").
    EventNumbers correlations;

    static constexpr std::uint32_t longDuration = std::numeric_limits<std::uint32_t>::max();

    /// Adds an event behind all others, whichever lane it belongs to.
    void append(std::int64_t start, std::int64_t duration, std::uint32_t name, Category category,
                std::uint64_t place);

    [[nodiscard]] std::size_t size() const { return starts.size(); }
    [[nodiscard]] std::size_t laneCount() const { return lanes.empty() ? 0 : lanes.size() - 1; }
    /// Nanoseconds.
    [[nodiscard]] std::int64_t start(std::uint32_t event) const { return starts[event]; }
    [[nodiscard]] std::int64_t duration(std::uint32_t event) const {
        return durations[event] == longDuration ? longDurations.at(event) : durations[event];
    }
    [[nodiscard]] std::int64_t end(std::uint32_t event) const { return starts[event] + duration(event); }
    /// The lane of an event: how deep it is nested.
    [[nodiscard]] std::size_t laneOf(std::uint32_t event) const;
    /// The first event of a lane that begins at `time` or later, and the first that begins later; the lane's
    /// end: none does.
    [[nodiscard]] std::uint32_t firstFrom(std::size_t lane, std::int64_t time) const;
    [[nodiscard]] std::uint32_t firstAfter(std::size_t lane, std::int64_t time) const;
    /// The first event of a lane that ends after `time`; the lane's end: none does.
    [[nodiscard]] std::uint32_t firstEndingAfter(std::size_t lane, std::int64_t time) const;
    /// The event of a lane that is going on at `time`.
    [[nodiscard]] std::optional<std::uint32_t> at(std::size_t lane, std::int64_t time) const;
    /// The event one lane up that encloses this one; nothing: it is outermost.
    [[nodiscard]] std::optional<std::uint32_t> parent(std::uint32_t event) const;
    /// The events of the next lane that lie inside this one, from the first up to but without the second.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> children(std::uint32_t event) const;
    [[nodiscard]] std::optional<std::int64_t> sequenceNumber(std::uint32_t event) const;
};
using RowPtr = std::shared_ptr<const Row>;

/// A number that changes over time, such as the bytes that are allocated.
struct Counter {
    std::string name;
    /// "B" for bytes; empty: a plain number.
    std::string unit;
    std::vector<std::int64_t> times;
    std::vector<double> values;
    /// The value at `time`; nothing: before the first.
    [[nodiscard]] std::optional<double> at(std::int64_t time) const;
};

enum class FlowKind : std::uint8_t {
    /// From the call on the CPU to the work on the GPU.
    Launch,
    /// From an operator of the forward to its backward.
    Backward,
    Other
};
struct Flow {
    EventId from;
    EventId to;
    FlowKind kind = FlowKind::Other;
    friend auto operator<=>(const Flow&, const Flow&) = default;
};

/// A name and a value of an event, as the file has them.
struct Argument {
    std::string name;
    /// Text, or JSON of anything else.
    std::string value;
    bool isText = false;
    friend bool operator==(const Argument&, const Argument&) = default;
};

/// The bytes that a timeline was read from. They stay readable, because an event's arguments are only read
/// when they are needed.
struct Source {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
};

/// A place that could not be read; what is before and after it was.
struct Problem {
    /// In the unpacked file.
    std::uint64_t offset = 0;
    std::string message;
};
AOTSCOPE_MEMBERS(Problem, offset, message)

class Timeline;
using TimelinePtr = std::shared_ptr<const Timeline>;

/// Rows of events with what links them. An immutable value. Times are nanoseconds; the first event begins
/// at `begin()`.
class Timeline {
public:
    /// What makes one up; see TimelineBuilder.
    struct Parts {
        std::vector<RowPtr> rows;
        /// By Row::names.
        std::vector<std::string> names;
        std::vector<Counter> counters;
        /// Sorted, each once.
        std::vector<Flow> flows;
        std::vector<Source> sources;
        /// Nanoseconds since 1970 of time 0; 0: unknown.
        std::int64_t epoch = 0;
        std::vector<Problem> problems;
        /// All of them; only the first are kept.
        std::uint64_t problemCount = 0;
        /// Kinds of events that have no place here, with how many there were: "phase O", 3.
        std::vector<std::pair<std::string, std::uint64_t>> leftOut;
        /// What the file says of itself besides its events: "schemaVersion", "deviceProperties", …
        std::vector<Argument> properties;
    };

    explicit Timeline(Parts parts);

    [[nodiscard]] const std::vector<RowPtr>& rows() const { return m_parts.rows; }
    [[nodiscard]] const Row& row(EventId event) const { return *m_parts.rows[event.row]; }
    [[nodiscard]] const std::vector<Counter>& counters() const { return m_parts.counters; }
    [[nodiscard]] const std::vector<Flow>& flows() const { return m_parts.flows; }
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_parts.problems; }
    /// Those that are kept, and more.
    [[nodiscard]] std::uint64_t problemCount() const { return m_parts.problemCount; }
    [[nodiscard]] const Parts& parts() const { return m_parts; }

    [[nodiscard]] std::int64_t begin() const { return m_begin; }
    [[nodiscard]] std::int64_t end() const { return m_end; }
    [[nodiscard]] std::size_t eventCount() const { return m_eventCount; }
    /// What the columns take in memory, without the source.
    [[nodiscard]] std::size_t columnBytes() const;

    [[nodiscard]] std::int64_t start(EventId event) const { return row(event).start(event.index); }
    [[nodiscard]] std::int64_t duration(EventId event) const { return row(event).duration(event.index); }
    [[nodiscard]] Category category(EventId event) const { return row(event).categories[event.index]; }
    [[nodiscard]] const std::string& name(EventId event) const {
        return m_parts.names[row(event).names[event.index]];
    }
    /// Read from the source; empty if it has none there any more.
    [[nodiscard]] std::vector<Argument> arguments(EventId event) const;
    /// The event as the source has it.
    [[nodiscard]] std::string_view text(EventId event) const;

    /// Flows that begin or end at this event.
    [[nodiscard]] std::vector<Flow> flowsOf(EventId event) const;

    /// The same with one more row in front: `row.names` are indices in `names`.
    [[nodiscard]] TimelinePtr withRow(Row row, std::vector<std::string> names) const;

private:
    Parts m_parts;
    /// Indices of flows by where they end.
    std::vector<std::uint32_t> m_flowsByEnd;
    std::int64_t m_begin = 0;
    std::int64_t m_end = 0;
    std::size_t m_eventCount = 0;
};

} // namespace aotscope::timeline
