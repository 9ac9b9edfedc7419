#include "load/wrapper_sources.h"

#include "base/characters.h"

#include <algorithm>

namespace aotscope::load {
namespace {

constexpr std::size_t mostSections = 1000;

/// The name of a heading's section; empty: the line is none.
std::string_view sectionName(std::string_view line) {
    constexpr std::string_view start = "# ";
    if (!line.starts_with(start)) {
        return {};
    }
    const std::string_view name = line.substr(start.size());
    return std::ranges::all_of(name, base::isWordCharacter) ? name : std::string_view();
}

} // namespace

std::vector<WrapperSource> wrapperSources(std::string_view text) {
    std::vector<WrapperSource> sources;
    std::size_t begin = 0;
    const auto finish = [&](std::size_t end) {
        if (sources.empty()) {
            return;
        }
        std::string_view code = text.substr(begin, end - begin);
        while (code.ends_with('\n')) {
            code.remove_suffix(1);
        }
        sources.back().text = code;
    };
    std::size_t line = 1;
    bool isAfterEmpty = true;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view words = text.substr(at, end - at);
        const std::string_view name = isAfterEmpty ? sectionName(words) : std::string_view();
        if (!name.empty() && sources.size() == mostSections) {
            finish(at);
            return sources;
        }
        if (!name.empty()) {
            finish(at);
            sources.push_back({std::string(name), {}, line});
            begin = std::min(end + 1, text.size());
        }
        isAfterEmpty = words.empty();
        at = end + 1;
    }
    finish(text.size());
    return sources;
}

} // namespace aotscope::load
