#include "load/python_json.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include <limits>

namespace aotscope::load {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string frameText(const object& fields, std::string_view key) {
    return std::string(valueAs<std::string_view>(fields[key]).value_or(""));
}

StackFrame frameOf(const object& fields, std::uint32_t record, const StringTable& strings) {
    StackFrame frame;
    frame.function = frameText(fields, "name");
    frame.code = frameText(fields, "loc");
    const std::int64_t line = valueAs<std::int64_t>(fields["line"]).value_or(0);
    frame.line = line < 0 || line > std::numeric_limits<int>::max() ? 0 : static_cast<int>(line);
    const auto number = valueAs<std::int64_t>(fields["filename"]);
    frame.file = number ? strings.tryFind(*number, record).value_or("") : frameText(fields, "filename");
    return frame;
}

template<typename Value>
std::vector<StackFrame> framesOf(const Value& value, std::uint32_t record, const StringTable& strings) {
    std::vector<StackFrame> out;
    if (const auto frames = valueAs<array>(value)) {
        for (const element frame : *frames) {
            if (const auto fields = valueAs<object>(frame)) {
                out.push_back(frameOf(*fields, record, strings));
            }
        }
    }
    return out;
}

} // namespace

std::vector<StackFrame> TraceLog::stack(RecordId record) const {
    const ParsedJson json(envelopeText(m_state->record(record)));
    const auto fields = valueAs<object>(json.root());
    if (!fields) {
        return {};
    }
    const auto& strings = m_state->index.strings();
    // The event's own stack is more useful than that of the logging call.
    for (const std::string_view key : {"user_stack", "stack"}) {
        for (const auto [event, metadata] : *fields) {
            if (auto frames = framesOf(metadata[key], record.index(), strings); !frames.empty()) {
                return frames;
            }
        }
    }
    return framesOf((*fields)["stack"], record.index(), strings);
}

} // namespace aotscope::load
