#include "ir/source_stack.h"

#include <charconv>
#include <system_error>

namespace aotscope::ir {
namespace {

std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\f\v";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// "File "model.py", line 115, in forward"
std::optional<SourceLocation> frameOf(std::string_view line) {
    constexpr std::string_view start = "File \"";
    constexpr std::string_view beforeLine = "\", line ";
    constexpr std::string_view beforeFunction = ", in ";
    if (!line.starts_with(start)) {
        return std::nullopt;
    }
    const std::size_t fileEnd = line.rfind(beforeLine);
    if (fileEnd == std::string_view::npos || fileEnd <= start.size()) {
        return std::nullopt;
    }
    const std::string_view rest = line.substr(fileEnd + beforeLine.size());
    SourceLocation place{std::string(line.substr(start.size(), fileEnd - start.size())), 0, {}, {}};
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), place.line);
    const std::string_view function = rest.substr(std::size_t(end - rest.data()));
    if (failed != std::errc() || !function.starts_with(beforeFunction) ||
        function.size() == beforeFunction.size()) {
        return std::nullopt;
    }
    place.function = function.substr(beforeFunction.size());
    return place;
}

} // namespace

std::optional<SourceLocation> innermostSource(std::string_view traceback) {
    std::string_view rest = withoutBlanks(traceback);
    // The line behind the one being read; the last line can be no frame, as its code would be missing.
    std::optional<std::string_view> code;
    while (!rest.empty()) {
        const std::size_t end = rest.rfind('\n');
        const std::string_view line =
            withoutBlanks(end == std::string_view::npos ? rest : rest.substr(end + 1));
        if (auto place = code ? frameOf(line) : std::nullopt) {
            place->code = *code;
            return place;
        }
        code = line;
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    }
    return std::nullopt;
}

} // namespace aotscope::ir
