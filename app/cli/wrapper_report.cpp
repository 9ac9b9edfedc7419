#include "wrapper_report.h"

#include "aot/wrapper_json.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace aotscope::cli {

namespace {

bool saysNothing(const Json& value) {
    return value.is_null() || value == false || (value.is_array() && value.empty());
}

/// The logged code of a wrapper.
std::vector<const load::WrapperSource*> sourcesOf(const aot::Wrapper& wrapper,
                                                  const std::vector<load::WrapperSource>& sources) {
    std::vector<const load::WrapperSource*> found;
    const std::span<const std::string_view> names = aot::sourceSections(wrapper);
    for (const load::WrapperSource& source : sources) {
        if (std::ranges::find(names, source.section) != names.end()) {
            found.push_back(&source);
        }
    }
    return found;
}

} // namespace

std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                         const std::vector<load::WrapperSource>& sources) {
    std::string text;
    for (const Json& wrapper : wrappersJson(wrappers, sources)) {
        const bool applies = wrapper["applies"];
        text += "  wrapper " + wrapper["wrapper"].get<std::string>() +
                (applies ? ": applied: " : ": not applied: ") + wrapper["reason"].get<std::string>() + "\n";
        for (const auto& [name, value] : wrapper["state"].items()) {
            if (applies && !saysNothing(value)) {
                text += "    " + name + " " + value.dump() + "\n";
            }
        }
        std::string code;
        for (const Json& source : wrapper["sources"]) {
            code += (code.empty() ? "    logged code: " : ", ") + source["section"].get<std::string>() +
                    " (line " + source["line"].dump() + ")";
        }
        text += code.empty() ? code : code + "\n";
    }
    return text;
}

Json wrappersJson(const std::vector<aot::WrapperStep>& wrappers,
                  const std::vector<load::WrapperSource>& sources) {
    Json json = Json::parse(aot::wrappersToJson(wrappers));
    for (std::size_t i = 0; i < wrappers.size(); ++i) {
        Json& list = json[i]["sources"] = Json::array();
        for (const load::WrapperSource* source : sourcesOf(wrappers[i].wrapper, sources)) {
            list.push_back({{"section", source->section}, {"line", source->line}});
        }
    }
    return json;
}

} // namespace aotscope::cli
