#include "timeline/chrome_trace_write.h"

#include "timeline/event_text.h"
#include "timeline/json_cursor.h"

#include "base/file_place.h"
#include "base/json_text.h"
#include "base/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace aotscope::timeline {

namespace {

/// Microseconds with three decimals, so nothing is lost.
void appendTime(std::string& out, std::int64_t nanoseconds) {
    if (nanoseconds < 0) {
        out += '-';
        nanoseconds = -nanoseconds;
    }
    out += std::to_string(nanoseconds / 1000);
    const std::string rest = std::to_string(nanoseconds % 1000);
    out += '.' + std::string(3 - rest.size(), '0') + rest;
}

void appendNumber(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += '0';
        return;
    }
    std::array<char, 40> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), error == std::errc() ? end : digits.data());
}

/// Whether other programs read it as JSON: no NaN, no raw control characters in strings, nothing cut off.
bool isPlainJson(std::string_view value) {
    if (value.find("NaN") != std::string_view::npos || value.find("Infinity") != std::string_view::npos ||
        std::ranges::any_of(value,
                            [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; })) {
        return false;
    }
    if (value.empty() || value.front() == '{' || value.front() == '[') {
        return !value.empty() && (value.back() == '}' || value.back() == ']') &&
               skipContainer(value, 0) == value.size();
    }
    return value == "true" || value == "false" || value == "null" ||
           std::isfinite(numberOf(value).value_or(NAN));
}

class TraceWriter {
public:
    TraceWriter(const Timeline& timeline, std::ostream& out, base::Progress& progress)
        : m_timeline(timeline), m_out(out), m_progress(progress) {}

    base::Result<void> write() {
        chooseIds();
        writeHead();
        for (std::uint32_t number = 0; number < m_timeline.rows().size(); ++number) {
            writeRow(number);
            const auto count = static_cast<std::uint32_t>(m_timeline.rows()[number]->size());
            for (std::uint32_t event = 0; event < count && flush(std::size_t{1} << 16U); ++event) {
                writeEvent({number, event});
                m_progress.report("writing the trace", ++m_written, m_timeline.eventCount());
            }
        }
        writeCounters();
        writeFlows();
        m_text += "\n]\n}\n";
        (void)flush(0);
        m_out.flush();
        AOTSCOPE_CHECK(m_progress.checkStop());
        if (!m_out.good()) {
            return base::Error{.code = "timeline.not_written",
                               .message = "The trace cannot be written completely.",
                               .hint = "Is the disk full?"};
        }
        return {};
    }

private:
    template<typename... Parts>
    void add(const Parts&... parts) {
        (m_text.append(std::string_view(parts)), ...);
    }

    /// Numbers stay; other texts are quoted. Rows that have no ids get numbers of their own, because two rows
    /// with the same ids are one.
    void chooseIds() {
        const auto idText = [](const std::string& id) {
            if (base::wholeNumber<std::int64_t>(id)) {
                return id;
            }
            std::string quoted;
            base::appendJsonString(quoted, id);
            return quoted;
        };
        std::map<std::pair<std::string, std::string>, std::uint32_t> taken;
        for (std::uint32_t number = 0; number < m_timeline.rows().size(); ++number) {
            const Row& row = *m_timeline.rows()[number];
            std::pair<std::string, std::string> ids{idText(row.processId), idText(row.threadId)};
            if (row.threadId.empty() && row.processId.empty()) {
                ids = {idText(row.process), std::to_string(number)};
            }
            if (!taken.emplace(ids, number).second) {
                ids.second = idText(row.threadId + " row " + std::to_string(number));
                taken.emplace(ids, number);
            }
            m_ids.push_back(std::move(ids));
        }
    }

    /// Writes out what was collected; false: the stream failed or a stop is requested.
    bool flush(std::size_t atLeast) {
        if (m_text.size() >= atLeast) {
            m_out.write(m_text.data(), static_cast<std::streamsize>(m_text.size()));
            m_text.clear();
        }
        return m_out.good() && !m_progress.stopRequested();
    }

    void writeHead() {
        m_text += "{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n";
        if (m_timeline.parts().epoch != 0) {
            m_text += "\"baseTimeNanoseconds\": " + std::to_string(m_timeline.parts().epoch) + ",\n";
        }
        m_text += "\"traceEvents\": [";
    }

    /// Begins one more event of the list.
    void open(std::string_view phase, std::uint32_t row) {
        add(std::exchange(m_first, false) ? "" : ",", "\n{\"ph\":\"", phase, "\",\"pid\":", m_ids[row].first,
            ",\"tid\":", m_ids[row].second);
    }

    void metadata(std::uint32_t row, std::string_view name, std::string_view key, std::string_view value) {
        open("M", row);
        add(",\"name\":\"", name, "\",\"args\":{\"", key, "\":", value, "}}");
    }

    void writeRow(std::uint32_t number) {
        const Row& row = *m_timeline.rows()[number];
        std::string name;
        base::appendJsonString(name, row.process);
        metadata(number, "process_name", "name", name);
        metadata(number, "process_sort_index", "sort_index", std::to_string(row.processSortIndex));
        name.clear();
        if (!row.name.empty() || row.predicted) {
            base::appendJsonString(name, row.name + std::string(row.predicted ? predictedMark : ""));
            metadata(number, "thread_name", "name", name);
        }
        metadata(number, "thread_sort_index", "sort_index", std::to_string(row.sortIndex));
    }

    void writeEvent(EventId event) {
        const Row& row = m_timeline.row(event);
        open("X", event.row);
        std::string_view category;
        std::string_view arguments;
        forEachMember(m_timeline.text(event), [&](std::string_view key, std::string_view value) {
            if (key == "cat") {
                category = unquoted(value);
            } else if (key == "args") {
                arguments = value;
            }
            return true;
        });
        m_text += ",\"cat\":";
        using Name = decltype(categoryNames)::value_type;
        base::appendJsonString(
            m_text, category.empty()
                        ? std::ranges::find(categoryNames, row.categories[event.index], &Name::second)->first
                        : unescaped(category));
        m_text += ",\"name\":";
        base::appendJsonString(m_text, m_timeline.name(event));
        m_text += ",\"ts\":";
        appendTime(m_text, row.start(event.index));
        m_text += ",\"dur\":";
        appendTime(m_text, row.duration(event.index));
        if (!arguments.empty() && arguments.front() == '{') {
            // Written anew, because the source may hold what is no JSON.
            m_text += ",\"args\":{";
            bool first = true;
            for (const Argument& argument : membersOf(arguments)) {
                m_text += first ? "" : ",";
                first = false;
                base::appendJsonString(m_text, argument.name);
                m_text += ':';
                if (argument.isText || !isPlainJson(argument.value)) {
                    base::appendJsonString(m_text, argument.value);
                } else {
                    m_text += argument.value;
                }
            }
            m_text += '}';
        }
        m_text += '}';
    }

    void writeCounters() {
        for (const Counter& counter : m_timeline.counters()) {
            for (std::size_t at = 0; at < counter.times.size() && flush(std::size_t{1} << 16U); ++at) {
                add(std::exchange(m_first, false) ? "" : ",",
                    "\n{\"ph\":\"C\",\"pid\":0,\"tid\":0,\"name\":");
                base::appendJsonString(m_text, counter.name);
                m_text += ",\"ts\":";
                appendTime(m_text, counter.times[at]);
                add(",\"args\":{\"", counter.unit == "B" ? "bytes" : "value", "\":");
                appendNumber(m_text, counter.values[at]);
                m_text += "}}";
            }
        }
    }

    void writeFlowEnd(EventId event, std::size_t id, const Flow& flow, bool begins) {
        open(begins ? "s" : "f", event.row);
        const std::string_view name = flow.kind == FlowKind::Launch     ? "ac2g"
                                      : flow.kind == FlowKind::Backward ? "fwdbwd"
                                                                        : "flow";
        add(",\"cat\":\"", name, "\",\"name\":\"", name, "\",\"id\":", std::to_string(id), ",\"ts\":");
        appendTime(m_text, m_timeline.start(event));
        m_text += begins ? "}" : ",\"bp\":\"e\"}";
    }

    void writeFlows() {
        std::size_t id = 0;
        for (const Flow& flow : m_timeline.flows()) {
            ++id;
            writeFlowEnd(flow.from, id, flow, true);
            writeFlowEnd(flow.to, id, flow, false);
            if (!flush(std::size_t{1} << 16U)) {
                return;
            }
        }
    }

    const Timeline& m_timeline;
    std::ostream& m_out;
    base::Progress& m_progress;
    std::string m_text;
    bool m_first = true;
    std::size_t m_written = 0;
    /// "pid" and "tid" of each row as JSON.
    std::vector<std::pair<std::string, std::string>> m_ids;
};

} // namespace

base::Result<void> writeChromeTrace(const Timeline& timeline, std::ostream& out, base::Progress progress) {
    return TraceWriter(timeline, out, progress).write();
}

base::Result<void> writeChromeTrace(const Timeline& timeline, const std::filesystem::path& path,
                                    base::Progress progress) {
    const std::filesystem::path partial = path.string() + ".partial";
    std::ofstream out(partial, std::ios::binary | std::ios::trunc);
    auto written = writeChromeTrace(timeline, out, std::move(progress));
    out.close();
    std::error_code failed;
    if (written) {
        std::filesystem::rename(partial, path, failed);
    }
    if (written && !failed) {
        return written;
    }
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    base::Error error = written
                            ? base::Error{.code = "timeline.not_written",
                                          .message = "The file cannot be written: " + failed.message() + "."}
                            : std::move(written).error();
    if (!base::isCanceled(error)) {
        error.place = base::filePlace(path);
    }
    return error;
}

} // namespace aotscope::timeline
