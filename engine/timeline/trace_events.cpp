#include "timeline/trace_events.h"

#include "timeline/event_text.h"

#include <algorithm>
#include <functional>

namespace aotscope::timeline {

namespace {

Category categoryOf(std::string_view category, std::string_view name) {
    static const std::unordered_map<std::string_view, Category> known(categoryNames.begin(),
                                                                      categoryNames.end());
    const auto found = known.find(category);
    if (found == known.end()) {
        return Category::Other;
    }
    // Marks of nodes, which this program and torch.fx write among the operators.
    return found->second == Category::Annotation && name.starts_with("node ") ? Category::Node
                                                                              : found->second;
}

constexpr std::size_t mostDevices = 1'000;

bool isOnStream(std::string_view category) {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
           category == "gpu_user_annotation" || category == "cuda_sync";
}

/// The names of 2022 and before are kept.
FlowKind flowKind(std::string_view category, std::string_view name) {
    if (category == "ac2g" || category == "async_cpu_to_gpu" || (category == "async" && name == "launch")) {
        return FlowKind::Launch;
    }
    return category == "fwdbwd" || category == "forward_backward" ? FlowKind::Backward : FlowKind::Other;
}

std::string textMember(std::string_view object, std::string_view wanted) {
    std::string found;
    forEachMember(object, [&](std::string_view key, std::string_view value) {
        if (key == wanted) {
            found = unescaped(unquoted(value));
        }
        return key != wanted;
    });
    return found;
}

} // namespace

bool takeEvent(JsonCursor& cursor, RawEvent& event) {
    return takeMembers(cursor, [&](std::string_view key, std::string_view value, bool /*isWhole*/) {
        if (key == "ph") {
            event.phase = unquoted(value);
        } else if (key == "cat") {
            event.category = unquoted(value);
        } else if (key == "name") {
            event.name = unquoted(value);
        } else if (key == "pid") {
            event.process = unquoted(value);
        } else if (key == "tid") {
            event.thread = unquoted(value);
        } else if (key == "ts") {
            event.time = value;
        } else if (key == "dur") {
            event.duration = value;
        } else if (key == "id") {
            event.id = unquoted(value);
        } else if (key == "bp") {
            event.binding = unquoted(value);
        } else if (key == "args") {
            event.arguments = value;
        }
        return true;
    });
}

void TraceEvents::add(const RawEvent& event, std::size_t offset) {
    switch (event.phase.size() == 1 ? event.phase.front() : '\0') {
    case 'X':
        return complete(event, offset);
    case 'B':
        return begin(event, offset);
    case 'E':
        return end(event, offset);
    case 'b':
        return asyncBegin(event, offset);
    case 'e':
        return asyncEnd(event, offset);
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        return instant(event, offset);
    case 'C':
        return counter(event);
    case 'M':
        return metadata(event);
    case 's':
    case 't':
    case 'f':
        return flow(event);
    default:
        m_builder.leaveOut(event.phase.empty() ? "event without a phase"
                                               : "event of phase " + std::string(event.phase.substr(0, 20)));
    }
}

std::uint32_t TraceEvents::rowOf(const RawEvent& raw) {
    if (m_knowsRow && raw.process == m_lastProcess && raw.thread == m_lastThread) {
        return m_lastRow;
    }
    m_lastRow = m_builder.row(raw.process, raw.thread);
    m_lastProcess = raw.process;
    m_lastThread = raw.thread;
    m_knowsRow = true;
    return m_lastRow;
}

std::int64_t TraceEvents::timeOf(const RawEvent& raw) {
    const std::int64_t time = nanosecondsOf(raw.time).value_or(0) + m_shift;
    m_first = m_any ? std::min(m_first, time) : time;
    m_last = m_any ? std::max(m_last, time) : time;
    m_any = true;
    return time;
}

void TraceEvents::readNumbers(std::string_view arguments, NewEvent& event) const {
    if (event.category != Category::Operator && event.category != Category::Kernel &&
        event.category != Category::Copy && event.category != Category::Runtime) {
        return;
    }
    forEachMember(arguments, [&](std::string_view key, std::string_view value) {
        if (key == "Sequence number") {
            event.sequenceNumber = integerOf(value);
        } else if (key == "correlation") {
            event.correlation = integerOf(value);
        }
        return true;
    });
}

NewEvent TraceEvents::newEvent(const RawEvent& raw, std::size_t offset) {
    NewEvent event;
    event.start = timeOf(raw);
    event.name = raw.name.find('\\') == std::string_view::npos ? m_builder.name(raw.name)
                                                               : m_builder.name(unescaped(raw.name));
    event.category = categoryOf(raw.category, raw.name);
    event.place = packPlace(m_source, offset);
    readNumbers(raw.arguments, event);
    return event;
}

void TraceEvents::complete(const RawEvent& raw, std::size_t offset) {
    const std::uint32_t row = rowOf(raw);
    NewEvent event = newEvent(raw, offset);
    event.duration = std::max<std::int64_t>(0, nanosecondsOf(raw.duration).value_or(0));
    m_last = std::max(m_last, event.start + event.duration);
    if (isOnStream(raw.category)) {
        m_builder.at(row).kind = RowKind::Stream;
    } else if (raw.category == "node") {
        m_builder.at(row).kind = RowKind::Nodes;
    }
    m_builder.add(row, event);
}

void TraceEvents::begin(const RawEvent& raw, std::size_t offset) {
    m_open[rowOf(raw)].push_back(newEvent(raw, offset));
}

void TraceEvents::end(const RawEvent& raw, std::size_t offset) {
    const std::uint32_t row = rowOf(raw);
    const auto open = m_open.find(row);
    if (open == m_open.end() || open->second.empty()) {
        m_builder.addProblem(offset, "A range ends here that did not begin.");
        return;
    }
    NewEvent event = open->second.back();
    open->second.pop_back();
    event.duration = std::max<std::int64_t>(0, timeOf(raw) - event.start);
    m_builder.add(row, event);
}

std::string TraceEvents::asyncKey(const RawEvent& raw) const {
    std::string key(raw.process.substr(0, 200));
    for (const std::string_view part : {raw.category, raw.id, raw.name}) {
        key += '\0';
        key += part.substr(0, 200);
    }
    return key;
}

void TraceEvents::asyncBegin(const RawEvent& raw, std::size_t offset) {
    const std::string thread = "asynchronous " + std::string(raw.category.substr(0, 200));
    const std::uint32_t row = m_builder.row(raw.process, thread);
    m_openAsync.insert_or_assign(asyncKey(raw), Open{row, newEvent(raw, offset)});
}

void TraceEvents::asyncEnd(const RawEvent& raw, std::size_t offset) {
    const auto open = m_openAsync.find(asyncKey(raw));
    if (open == m_openAsync.end()) {
        m_builder.addProblem(offset, "An asynchronous range ends here that did not begin.");
        return;
    }
    NewEvent event = open->second.event;
    event.duration = std::max<std::int64_t>(0, timeOf(raw) - event.start);
    m_builder.add(open->second.row, event);
    m_openAsync.erase(open);
}

void TraceEvents::instant(const RawEvent& raw, std::size_t offset) {
    if (raw.name == "[memory]") {
        return memory(raw, offset);
    }
    const std::uint32_t row = rowOf(raw);
    m_builder.add(row, newEvent(raw, offset));
}

void TraceEvents::memory(const RawEvent& raw, std::size_t offset) {
    std::optional<double> allocated;
    std::optional<double> reserved;
    double change = 0;
    std::int64_t type = 0;
    std::int64_t index = 0;
    forEachMember(raw.arguments, [&](std::string_view key, std::string_view value) {
        if (key == "Total Allocated") {
            allocated = numberOf(value);
        } else if (key == "Total Reserved") {
            reserved = numberOf(value);
        } else if (key == "Bytes") {
            change = numberOf(value).value_or(0);
        } else if (key == "Device Type") {
            type = integerOf(value).value_or(0);
        } else if (key == "Device Id") {
            index = integerOf(value).value_or(0);
        }
        return true;
    });
    if (!allocated) {
        m_builder.addProblem(offset, "A memory event does not say how much is allocated.");
        return;
    }
    const std::int64_t time = timeOf(raw);
    // c10::DeviceType: 0 is the CPU, 1 is CUDA.
    const std::string device = type == 0   ? std::string("CPU")
                               : type == 1 ? "CUDA " + std::to_string(index)
                                           : "Device " + std::to_string(type) + ":" + std::to_string(index);
    const std::string counter = device + " memory allocated";
    m_builder.count(counter, "B", time, *allocated);
    if (m_firstTotals.size() < mostDevices) {
        auto [first, added] = m_firstTotals.try_emplace(counter, time, *allocated - change);
        if (!added && time < first->second.first) {
            first->second = {time, *allocated - change};
        }
    }
    if (type != 0 && reserved) {
        m_builder.count(device + " memory reserved", "B", time, *reserved);
    }
}

void TraceEvents::counter(const RawEvent& raw) {
    const std::int64_t time = timeOf(raw);
    const std::string name = unescaped(raw.name.substr(0, 1000));
    forEachMember(raw.arguments, [&](std::string_view key, std::string_view value) {
        if (const auto number = numberOf(value)) {
            const bool isBytes = key == "bytes";
            const bool isPlain = isBytes || key == "value" || key.empty();
            m_builder.count(isPlain ? name : name + " " + unescaped(key.substr(0, 1000)), isBytes ? "B" : "",
                            time, *number);
        }
        return true;
    });
}

void TraceEvents::metadata(const RawEvent& raw) {
    if (raw.name == "process_name") {
        m_builder.process(raw.process).name =
            textMember(raw.arguments, "name").substr(0, TimelineBuilder::longestName);
    } else if (raw.name == "process_labels") {
        m_builder.process(raw.process).labels =
            textMember(raw.arguments, "labels").substr(0, TimelineBuilder::longestName);
    } else if (raw.name == "process_sort_index") {
        m_builder.process(raw.process).sortIndex =
            integerOf(textMember(raw.arguments, "sort_index")).value_or(0);
    } else if (raw.name == "thread_name") {
        Row& row = m_builder.at(rowOf(raw));
        row.name = textMember(raw.arguments, "name").substr(0, 1000);
        row.predicted = row.name.ends_with(predictedMark);
        row.name.resize(row.name.size() - (row.predicted ? predictedMark.size() : 0));
    } else if (raw.name == "thread_sort_index") {
        m_builder.at(rowOf(raw)).sortIndex = integerOf(textMember(raw.arguments, "sort_index")).value_or(0);
    }
}

void TraceEvents::flow(const RawEvent& raw) {
    const std::hash<std::string_view> hash;
    FlowEnd end;
    end.key = hash(raw.id) * 31 + hash(raw.category) * 7 + hash(raw.name) + m_source;
    end.row = rowOf(raw);
    end.time = timeOf(raw);
    end.kind = flowKind(raw.category, raw.name);
    end.phase = raw.phase.front();
    end.isAround = end.phase != 'f' || raw.binding == "e";
    m_builder.addFlowEnd(end);
}

void TraceEvents::finish() {
    // What was allocated before the first event.
    for (const auto& [counter, first] : m_firstTotals) {
        m_builder.count(counter, "B", m_first, first.second);
    }
    m_firstTotals.clear();
    std::uint64_t open = m_openAsync.size();
    for (const auto& [row, events] : m_open) {
        open += events.size();
        for (NewEvent event : events) {
            event.duration = std::max<std::int64_t>(0, m_last - event.start);
            m_builder.add(row, event);
        }
    }
    for (auto& [key, entry] : m_openAsync) {
        entry.event.duration = std::max<std::int64_t>(0, m_last - entry.event.start);
        m_builder.add(entry.row, entry.event);
    }
    if (open > 0) {
        m_builder.addProblem(0, std::to_string(open) +
                                    " ranges begin and do not end; they are drawn up to the end.");
    }
    m_open.clear();
    m_openAsync.clear();
}

} // namespace aotscope::timeline
