#include "load/parsed_json.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include <limits>

namespace aotscope::load {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string frameText(const object& fields, std::string_view key) {
    std::string_view text;
    return fields[key].get_string().get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

StackFrame frameOf(const object& fields, std::uint32_t record, const StringTable& strings) {
    StackFrame frame;
    frame.function = frameText(fields, "name");
    frame.code = frameText(fields, "loc");
    std::int64_t number = 0;
    if (fields["line"].get_int64().get(number) == simdjson::SUCCESS && number >= 0 &&
        number <= std::numeric_limits<int>::max()) {
        frame.line = static_cast<int>(number);
    }
    if (fields["filename"].get_int64().get(number) == simdjson::SUCCESS) {
        frame.file = strings.tryFind(number, record).value_or("");
    } else {
        frame.file = frameText(fields, "filename");
    }
    return frame;
}

std::vector<StackFrame> framesOf(const element& value, std::uint32_t record, const StringTable& strings) {
    std::vector<StackFrame> out;
    array frames;
    if (value.get_array().get(frames) != simdjson::SUCCESS) {
        return out;
    }
    for (const element frame : frames) {
        object fields;
        if (frame.get_object().get(fields) == simdjson::SUCCESS) {
            out.push_back(frameOf(fields, record, strings));
        }
    }
    return out;
}

} // namespace

std::vector<StackFrame> TraceLog::stack(RecordId record) const {
    const ParsedJson json(envelopeText(m_state->record(record)));
    object fields;
    if (!json.root() || json.root()->get_object().get(fields) != simdjson::SUCCESS) {
        return {};
    }
    const auto& strings = m_state->index.strings();
    // The event's own stack is more useful than that of the logging call.
    for (const std::string_view key : {"user_stack", "stack"}) {
        for (const auto [event, metadata] : fields) {
            element stack;
            if (metadata[key].get(stack) == simdjson::SUCCESS) {
                if (auto frames = framesOf(stack, record.index(), strings); !frames.empty()) {
                    return frames;
                }
            }
        }
    }
    element stack;
    return fields["stack"].get(stack) == simdjson::SUCCESS ? framesOf(stack, record.index(), strings)
                                                           : std::vector<StackFrame>();
}

} // namespace aotscope::load
