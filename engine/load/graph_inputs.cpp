#include "load/graph_inputs.h"

#include "base/characters.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace aotscope::load {

namespace {

constexpr std::string_view blanks = " \t\r\n,";

void skip(std::string_view& text, std::string_view chars) {
    const std::size_t at = text.find_first_not_of(chars);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at);
}

std::string_view takeName(std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() && base::isWordCharacter(text[length])) {
        ++length;
    }
    const std::string_view name = text.substr(0, length);
    text.remove_prefix(length);
    return name;
}

std::string_view takeAnnotation(std::string_view& text) {
    // "L_inputs_ : list": a plain Python annotation has a space before its colon.
    if (text.starts_with(" :")) {
        text.remove_prefix(1);
    }
    if (!text.starts_with(':')) {
        return {};
    }
    text.remove_prefix(1);
    skip(text, " ");
    if (text.starts_with('"')) {
        const std::size_t end = text.find('"', 1);
        if (end == std::string_view::npos) {
            return {};
        }
        const std::string_view annotation = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        return annotation;
    }
    const std::string_view annotation = text.substr(0, text.find_first_of(",)\n"));
    text.remove_prefix(annotation.size());
    return annotation;
}

} // namespace

std::vector<GraphInput> graphInputs(std::string_view graphText) {
    constexpr std::string_view start = "def forward(";
    std::vector<GraphInput> out;
    const std::size_t at = graphText.find(start);
    if (at == std::string_view::npos) {
        return out;
    }
    std::string_view left = graphText.substr(at + start.size());
    bool selfSeen = false;
    while (true) {
        skip(left, blanks);
        if (left.starts_with('#')) {
            left.remove_prefix(std::min(left.size(), left.find('\n')));
            continue;
        }
        GraphInput input;
        input.name = takeName(left);
        if (input.name.empty()) {
            return out;
        }
        input.annotation = takeAnnotation(left);
        if (out.empty() && input.name == "self" && !std::exchange(selfSeen, true)) {
            continue;
        }
        out.push_back(std::move(input));
    }
}

std::string placeholderOf(std::string_view source) {
    std::string out;
    bool gap = false;
    for (const char c : source) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            out += c;
            gap = false;
        } else if (!gap) {
            out += '_';
            gap = true;
        }
    }
    return out;
}

std::string_view symbolOf(std::string_view annotation) {
    if (!annotation.starts_with("Sym(") || !annotation.ends_with(')')) {
        return {};
    }
    return annotation.substr(4, annotation.size() - 5);
}

} // namespace aotscope::load
