#pragma once

#include "timeline/json_cursor.h"
#include "timeline/timeline_builder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::timeline {

/// The members of one event, as texts; a string without its quotes.
struct RawEvent {
    std::string_view phase;
    std::string_view category;
    std::string_view name;
    std::string_view process;
    std::string_view thread;
    std::string_view time;
    std::string_view duration;
    std::string_view id;
    std::string_view binding;
    std::string_view arguments;
};

/// Reads the members of an object; false: it is malformed or has no end, and the cursor is where that was
/// noticed.
[[nodiscard]] bool takeEvent(JsonCursor& cursor, RawEvent& event);

/// What the events of one trace mean, put into a builder.
class TraceEvents {
public:
    TraceEvents(TimelineBuilder& builder, std::size_t source) : m_builder(builder), m_source(source) {}

    /// `offset` is where the event begins in its source.
    void add(const RawEvent& event, std::size_t offset);
    /// Ends ranges that have no end.
    void finish();
    /// The time of an event in the file is moved by this.
    void shiftBy(std::int64_t nanoseconds) { m_shift = nanoseconds; }
    /// The first and last time of the events, as moved.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> times() const { return {m_first, m_last}; }

private:
    struct Open {
        std::uint32_t row = 0;
        NewEvent event;
    };
    void complete(const RawEvent& raw, std::size_t offset);
    void begin(const RawEvent& raw, std::size_t offset);
    void end(const RawEvent& raw, std::size_t offset);
    void asyncBegin(const RawEvent& raw, std::size_t offset);
    void asyncEnd(const RawEvent& raw, std::size_t offset);
    void instant(const RawEvent& raw, std::size_t offset);
    void counter(const RawEvent& raw);
    void memory(const RawEvent& raw, std::size_t offset);
    void metadata(const RawEvent& raw);
    void flow(const RawEvent& raw);

    [[nodiscard]] std::uint32_t rowOf(const RawEvent& raw);
    [[nodiscard]] std::string asyncKey(const RawEvent& raw) const;
    [[nodiscard]] NewEvent newEvent(const RawEvent& raw, std::size_t offset);
    [[nodiscard]] std::int64_t timeOf(const RawEvent& raw);
    void readNumbers(std::string_view arguments, NewEvent& event) const;

    TimelineBuilder& m_builder;
    std::size_t m_source;
    std::int64_t m_shift = 0;
    std::int64_t m_first = 0;
    std::int64_t m_last = 0;
    bool m_any = false;
    std::string m_lastProcess;
    std::string m_lastThread;
    std::uint32_t m_lastRow = 0;
    bool m_knowsRow = false;
    std::unordered_map<std::uint32_t, std::vector<NewEvent>> m_open;
    std::unordered_map<std::string, Open> m_openAsync;
    /// By counter of memory: the time of the first event, and what was allocated before it.
    std::map<std::string, std::pair<std::int64_t, double>> m_firstTotals;
};

} // namespace aotscope::timeline
