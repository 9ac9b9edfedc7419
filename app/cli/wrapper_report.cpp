#include "wrapper_report.h"

#include "compile_answer.h"

#include "aot/compiled_function_json.h"

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

bool isSourceOf(const aot::WrapperStep& step, const load::WrapperSource& source) {
    const std::span<const std::string_view> names = aot::sourceSections(step.wrapper);
    return std::ranges::find(names, source.section) != names.end();
}

template<std::size_t... kinds>
std::vector<std::string_view> allWrapperNames(std::index_sequence<kinds...>) {
    return {aot::wrapperName(aot::Wrapper(std::in_place_index<kinds>))...};
}

} // namespace

std::string codeText(std::string_view code) {
    return indentedLines(code, "      | ");
}

std::string absentWrappersText(const aot::CompiledFunction& function) {
    std::string text;
    for (const AbsentWrapper& absent : absentWrappers(function)) {
        text += "  wrapper " + absent.wrapper + ": not made: " + absent.reason + "\n";
    }
    return text;
}

/// Follows torch 2.11, torch/_functorch/_aot_autograd/graph_compile.py: aot_stage2_export makes none after
/// the trace; _aot_stage2b_inference no autograd function and no assertion.
std::vector<AbsentWrapper> absentWrappers(const aot::CompiledFunction& function) {
    std::vector<AbsentWrapper> absent;
    for (const std::string_view name :
         allWrapperNames(std::make_index_sequence<std::variant_size_v<aot::Wrapper>>())) {
        const bool isThere = std::ranges::any_of(function.wrappers, [&](const aot::WrapperStep& step) {
            return aot::wrapperName(step.wrapper) == name;
        });
        if (!isThere) {
            absent.push_back(
                {std::string(name), function.path == aot::TracePath::Export
                                        ? "an exported graph gets no wrappers"
                                        : "the inference path has none, because there is no backward"});
        }
    }
    return absent;
}

std::vector<load::WrapperSource> otherSources(const std::vector<aot::WrapperStep>& wrappers,
                                              std::vector<load::WrapperSource> sources) {
    std::erase_if(sources, [&](const load::WrapperSource& source) {
        return std::ranges::any_of(wrappers,
                                   [&](const aot::WrapperStep& step) { return isSourceOf(step, source); });
    });
    return sources;
}

std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                         const std::vector<load::WrapperSource>& sources, SourceShown shown) {
    std::string text;
    for (const WrapperAnswer& wrapper : wrapperAnswers(wrappers, sources)) {
        text += "  wrapper " + wrapper.wrapper + (wrapper.applies ? ": applied: " : ": not applied: ") +
                wrapper.reason + "\n";
        for (const auto& [name, value] : wrapper.state.items()) {
            if (wrapper.applies && !saysNothing(value)) {
                text += "    " + name + " " + value.dump() + "\n";
            }
        }
        std::string code;
        for (const load::WrapperSource& source : wrapper.sources) {
            const std::string place = source.section + " (line " + std::to_string(source.line) + ")";
            if (shown == SourceShown::Code) {
                text += "    logged code: " + place + "\n" + codeText(source.text);
            } else {
                code += (code.empty() ? "    logged code: " : ", ") + place;
            }
        }
        text += code.empty() ? code : code + "\n";
    }
    return text;
}

std::vector<WrapperAnswer> wrapperAnswers(const std::vector<aot::WrapperStep>& wrappers,
                                          const std::vector<load::WrapperSource>& sources) {
    const Json states = Json::parse(aot::wrappersToJson(wrappers));
    std::vector<WrapperAnswer> answers;
    for (std::size_t i = 0; i < wrappers.size(); ++i) {
        const aot::WrapperStep& step = wrappers[i];
        WrapperAnswer& answer = answers.emplace_back(WrapperAnswer{
            std::string(aot::wrapperName(step.wrapper)), step.applies, step.reason, states[i]["state"]});
        std::ranges::copy_if(sources, std::back_inserter(answer.sources),
                             [&](const load::WrapperSource& source) { return isSourceOf(step, source); });
    }
    return answers;
}

} // namespace aotscope::cli
