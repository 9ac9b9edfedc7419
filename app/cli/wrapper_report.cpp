#include "wrapper_report.h"

#include "aot/wrapper_json.h"

namespace aotscope::cli {

namespace {

bool saysNothing(const Json& value) {
    return value.is_null() || value == false || (value.is_array() && value.empty());
}

} // namespace

std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers) {
    std::string text;
    for (const Json& wrapper : wrappersJson(wrappers)) {
        const bool applies = wrapper["applies"];
        text += "  wrapper " + wrapper["wrapper"].get<std::string>() +
                (applies ? ": applied: " : ": not applied: ") + wrapper["reason"].get<std::string>() + "\n";
        for (const auto& [name, value] : wrapper["state"].items()) {
            if (applies && !saysNothing(value)) {
                text += "    " + name + " " + value.dump() + "\n";
            }
        }
    }
    return text;
}

Json wrappersJson(const std::vector<aot::WrapperStep>& wrappers) {
    return Json::parse(aot::wrappersToJson(wrappers));
}

} // namespace aotscope::cli
