#include "wrapper_report.h"

#include "aot/wrapper_json.h"

#include "base/text_search.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

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

Json sourceJson(const load::WrapperSource& source, SourceShown shown) {
    Json json{{"section", source.section}, {"line", source.line}};
    if (shown == SourceShown::Code) {
        json["code"] = source.text;
    }
    return json;
}

/// A wrapper that PyTorch does not make, and why.
struct AbsentWrapper {
    std::string_view name;
    std::string reason;
};

template<std::size_t... kinds>
std::vector<std::string_view> allWrapperNames(std::index_sequence<kinds...>) {
    return {aot::wrapperName(aot::Wrapper(std::in_place_index<kinds>))...};
}

/// In the order of the wrappers. Follows torch 2.11, torch/_functorch/_aot_autograd/graph_compile.py:
/// aot_stage2_export makes none after the trace; _aot_stage2b_inference no autograd function and no
/// assertion.
std::vector<AbsentWrapper> absentWrappers(const aot::CompiledFunction& function) {
    std::vector<AbsentWrapper> absent;
    for (const std::string_view name :
         allWrapperNames(std::make_index_sequence<std::variant_size_v<aot::Wrapper>>())) {
        const bool isThere = std::ranges::any_of(function.wrappers, [&](const aot::WrapperStep& step) {
            return aot::wrapperName(step.wrapper) == name;
        });
        if (!isThere) {
            absent.push_back({name, function.path == aot::TracePath::Export
                                        ? "an exported graph gets no wrappers"
                                        : "the inference path has none, because there is no backward"});
        }
    }
    return absent;
}

} // namespace

std::string codeText(const load::WrapperSource& source) {
    std::string text;
    std::string_view rest = source.text;
    while (!rest.empty()) {
        text += "      | " + std::string(base::takePart(rest, '\n')) + "\n";
    }
    return text;
}

std::string absentWrappersText(const aot::CompiledFunction& function) {
    std::string text;
    for (const AbsentWrapper& absent : absentWrappers(function)) {
        text += "  wrapper " + std::string(absent.name) + ": not made: " + absent.reason + "\n";
    }
    return text;
}

Json absentWrappersJson(const aot::CompiledFunction& function) {
    Json json = Json::array();
    for (const AbsentWrapper& absent : absentWrappers(function)) {
        json.push_back({{"wrapper", absent.name}, {"reason", absent.reason}});
    }
    return json;
}

Json otherSourcesJson(const std::vector<aot::WrapperStep>& wrappers,
                      const std::vector<load::WrapperSource>& sources) {
    Json json = Json::array();
    for (const load::WrapperSource& source : sources) {
        const bool isOfOne = std::ranges::any_of(wrappers, [&](const aot::WrapperStep& step) {
            const std::span<const std::string_view> names = aot::sourceSections(step.wrapper);
            return std::ranges::find(names, source.section) != names.end();
        });
        if (!isOfOne) {
            json.push_back(sourceJson(source, SourceShown::Code));
        }
    }
    return json;
}

std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                         const std::vector<load::WrapperSource>& sources, SourceShown shown) {
    std::string text;
    std::size_t number = 0;
    for (const Json& wrapper : wrappersJson(wrappers, sources)) {
        const bool applies = wrapper["applies"];
        text += "  wrapper " + wrapper["wrapper"].get<std::string>() +
                (applies ? ": applied: " : ": not applied: ") + wrapper["reason"].get<std::string>() + "\n";
        for (const auto& [name, value] : wrapper["state"].items()) {
            if (applies && !saysNothing(value)) {
                text += "    " + name + " " + value.dump() + "\n";
            }
        }
        if (shown == SourceShown::Code) {
            for (const load::WrapperSource* source : sourcesOf(wrappers[number++].wrapper, sources)) {
                text += "    logged code: " + source->section + " (line " + std::to_string(source->line) +
                        ")\n" + codeText(*source);
            }
            continue;
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
                  const std::vector<load::WrapperSource>& sources, SourceShown shown) {
    Json json = Json::parse(aot::wrappersToJson(wrappers));
    for (std::size_t i = 0; i < wrappers.size(); ++i) {
        Json& list = json[i]["sources"] = Json::array();
        for (const load::WrapperSource* source : sourcesOf(wrappers[i].wrapper, sources)) {
            list.push_back(sourceJson(*source, shown));
        }
    }
    return json;
}

} // namespace aotscope::cli
