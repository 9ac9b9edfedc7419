#include "timeline/chrome_trace_read.h"

#include "timeline/event_text.h"
#include "timeline/json_cursor.h"
#include "timeline/timeline_builder.h"
#include "timeline/trace_events.h"

#include "base/file_place.h"
#include "load/file_bytes.h"

#include <algorithm>
#include <functional>

namespace aotscope::timeline {

namespace {

constexpr std::uint64_t mostUnpacked = std::uint64_t{64} << 30U;
/// An event that is longer is not one.
constexpr std::size_t longestEvent = std::size_t{64} << 20U;
/// Bytes between two looks at the progress.
constexpr std::size_t stride = std::size_t{1} << 20U;

base::Error notATrace(const std::string& why) {
    return {.code = "timeline.not_a_trace",
            .message = "This is no trace that can be read: " + why + ".",
            .hint =
                "A trace is JSON with a list \"traceEvents\", as torch.profiler's export_chrome_trace writes "
                "it, or the list alone; it may be packed (.gz)."};
}

/// One pass over the text of a trace.
class TraceReader {
public:
    /// `passed` is called with the position up to which the text was read.
    TraceReader(std::string_view text, TimelineBuilder& builder, TraceEvents& events,
                base::Progress& progress, std::function<void(std::size_t)> passed)
        : m_text(text),
          m_cursor(text),
          m_builder(builder),
          m_events(events),
          m_progress(progress),
          m_passed(std::move(passed)) {}

    base::Result<void> read() {
        if (m_text.starts_with("\xEF\xBB\xBF")) {
            m_cursor.moveTo(3);
        }
        if (m_cursor.take('[')) {
            return readEvents();
        }
        if (!m_cursor.take('{')) {
            return notATrace(m_cursor.atEnd() ? "it is empty" : "it does not begin with { or [");
        }
        return readMembers();
    }

private:
    base::Result<void> readMembers() {
        constexpr std::size_t longestProperty = std::size_t{1} << 16U;
        bool found = false;
        while (true) {
            std::string_view key;
            if (m_cursor.take('}')) {
                break;
            }
            if (!m_cursor.takeString(key) || !m_cursor.take(':')) {
                if (!m_gaveUp) {
                    m_builder.addProblem(m_cursor.at(), m_cursor.atEnd()
                                                            ? "The file ends before the trace does."
                                                            : "What follows here is no JSON.");
                }
                break;
            }
            if (key == "traceEvents" && m_cursor.take('[')) {
                found = true;
                AOTSCOPE_CHECK(readEvents());
            } else {
                std::string_view value;
                if (!m_cursor.takeValue(value)) {
                    m_builder.addProblem(m_cursor.at(), "The file ends before the trace does.");
                    break;
                }
                if (key == "baseTimeNanoseconds") {
                    m_builder.parts().epoch = integerOf(value).value_or(0);
                }
                if (m_builder.parts().properties.size() < 1'000 && key.size() < 1'000) {
                    m_builder.parts().properties.push_back(
                        {unescaped(key), unescaped(unquoted(value.substr(0, longestProperty)))});
                }
            }
            (void)m_cursor.take(',');
        }
        return found ? base::Result<void>() : notATrace("it has no list \"traceEvents\"");
    }

    /// False: a stop is requested.
    bool goOn() {
        if (m_cursor.at() < m_nextLook) {
            return true;
        }
        m_nextLook = m_cursor.at() + stride;
        m_progress.report("reading the trace", m_cursor.at(), m_text.size());
        m_passed(m_cursor.at());
        return !m_progress.stopRequested();
    }

    base::Result<void> readEvents() {
        while (goOn()) {
            (void)m_cursor.take(',');
            m_cursor.skipSpace();
            const std::size_t begin = m_cursor.at();
            if (m_cursor.take(']')) {
                return {};
            }
            if (m_cursor.atEnd()) {
                m_builder.addProblem(begin, "The file ends before the list of events does.");
                return {};
            }
            RawEvent event;
            // A malformed event must not make the reader look through the rest of the file.
            JsonCursor cursor(m_text.substr(0, std::min(m_text.size(), begin + longestEvent)), begin);
            if (takeEvent(cursor, event)) {
                m_cursor.moveTo(cursor.at());
                m_events.add(event, begin);
                continue;
            }
            m_wasted += cursor.at() - begin;
            if (cursor.at() >= m_text.size() && nextEvent(begin + 1) == m_text.size()) {
                m_builder.addProblem(begin, "The file ends inside the event that begins here.");
                m_cursor.moveTo(m_text.size());
                return {};
            }
            skipDamage(begin);
            if (m_gaveUp) {
                return {};
            }
        }
        return base::canceledError();
    }

    [[nodiscard]] std::size_t nextEvent(std::size_t from) const {
        for (std::size_t at = m_text.find('{', from); at != std::string_view::npos;
             at = m_text.find('{', at + 1)) {
            JsonCursor cursor(m_text, at + 1);
            cursor.skipSpace();
            const std::string_view rest = m_text.substr(std::min(cursor.at(), m_text.size()), 8);
            if (rest.starts_with("\"ph\"") || rest.starts_with("\"name\"") || rest.starts_with("\"cat\"") ||
                rest.starts_with("\"pid\"") || rest.starts_with("\"ts\"")) {
                return at;
            }
        }
        return m_text.size();
    }

    void skipDamage(std::size_t begin) {
        const std::size_t next = nextEvent(begin + 1);
        m_builder.addProblem(begin, "The event that begins here is malformed; reading goes on at byte " +
                                        std::to_string(next) + ".");
        m_wasted += next - begin;
        m_cursor.moveTo(next);
        if (m_wasted / 4 > m_text.size()) {
            m_builder.addProblem(next, "Too much of the file is malformed; reading ends here.");
            m_gaveUp = true;
            m_cursor.moveTo(m_text.size());
        }
    }

    std::string_view m_text;
    JsonCursor m_cursor;
    TimelineBuilder& m_builder;
    TraceEvents& m_events;
    base::Progress& m_progress;
    std::function<void(std::size_t)> m_passed;
    std::size_t m_nextLook = 0;
    /// Bytes looked at in events that were malformed in the end.
    std::size_t m_wasted = 0;
    bool m_gaveUp = false;
};

} // namespace

bool isChromeTrace(std::string_view start) {
    const std::size_t first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos) {
        return false;
    }
    if (start[first] == '{') {
        return start.find("\"traceEvents\"") != std::string_view::npos;
    }
    return start[first] == '[' && start.find("\"ph\"") != std::string_view::npos &&
           start.find("\"ts\"") != std::string_view::npos;
}

base::Result<TimelinePtr> readChromeTrace(const std::filesystem::path& path, base::Progress progress) {
    AOTSCOPE_TRY(file, load::FileBytes::open(path, mostUnpacked, progress));
    const std::shared_ptr<const load::FileBytes> bytes = file;
    TimelineBuilder builder;
    TraceEvents events(builder, 0);
    std::size_t released = 0;
    // The pages that were read need not stay in memory.
    const auto passed = [&](std::size_t to) {
        constexpr std::size_t window = std::size_t{32} << 20U;
        if (to > released + 2 * window) {
            bytes->release(released, to - window);
            released = to - window;
        }
    };
    TraceReader reader(bytes->bytes(), builder, events, progress, passed);
    if (auto read = reader.read(); !read) {
        base::Error error = std::move(read).error();
        if (!base::isCanceled(error)) {
            error.place = base::filePlace(path);
        }
        return error;
    }
    events.finish();
    if (!bytes->damage().empty()) {
        builder.addProblem(bytes->bytes().size(), "The packed file is damaged: " + bytes->damage());
    }
    if (!bytes->intact()) {
        builder.addProblem(0, "The file was cut by another program while it was read.");
    }
    builder.parts().sources.push_back({bytes->bytes(), bytes});
    progress.report("sorting the events", 0, 0);
    return builder.finish();
}

base::Result<TimelinePtr> readChromeTraces(const std::vector<std::shared_ptr<const std::string>>& texts,
                                           base::Progress progress) {
    TimelineBuilder builder;
    std::int64_t end = 0;
    for (std::size_t source = 0; source < texts.size(); ++source) {
        const std::string& text = *texts[source];
        std::int64_t shift = 0;
        if (source > 0) {
            TimelineBuilder measured;
            TraceEvents events(measured, 0);
            AOTSCOPE_CHECK(TraceReader(text, measured, events, progress, [](std::size_t) {}).read());
            shift = end - events.times().first;
        }
        TraceEvents events(builder, source);
        events.shiftBy(shift);
        AOTSCOPE_CHECK(TraceReader(text, builder, events, progress, [](std::size_t) {}).read());
        events.finish();
        end = events.times().second;
        builder.parts().sources.push_back({text, texts[source]});
    }
    return builder.finish();
}

} // namespace aotscope::timeline
