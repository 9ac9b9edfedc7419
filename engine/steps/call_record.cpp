#include "steps/call_record.h"

#include <algorithm>
#include <array>

namespace aotscope::steps {

namespace {

constexpr std::array<std::string_view, 8> eventNames = {
    "wrapper entry", "wrapper exit",          "forward node", "saving",
    "backward node", "gradient accumulation", "packing",      "unpacking"};

} // namespace

std::string_view eventKindName(EventKind kind) {
    return eventNames.at(static_cast<std::size_t>(kind));
}

bool EagerCallComparison::agrees() const {
    return skipped.empty() &&
           std::all_of(values.begin(), values.end(), [](const ComparedValue& value) { return value.agrees; });
}

std::string departuresText(const CallRecord& record) {
    std::string text;
    for (const Departure& departure : record.departures) {
        text += (text.empty() ? "" : "; ") + departure.name + " " + departure.how;
    }
    return text;
}

} // namespace aotscope::steps
