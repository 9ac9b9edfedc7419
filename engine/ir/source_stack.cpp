#include "ir/source_stack.h"

#include "base/numbers.h"
#include "base/trimmed.h"

#include <system_error>

namespace aotscope::ir {
namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";

} // namespace

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
    std::string_view rest = line.substr(fileEnd + beforeLine.size());
    SourceLocation place{std::string(line.substr(start.size(), fileEnd - start.size())), 0, {}, {}};
    const auto number = base::takeNumber<int>(rest);
    if (!number || !rest.starts_with(beforeFunction) || rest.size() == beforeFunction.size()) {
        return std::nullopt;
    }
    place.line = *number;
    place.function = rest.substr(beforeFunction.size());
    return place;
}

std::optional<SourceLocation> innermostSource(std::string_view traceback) {
    std::string_view rest = base::trimmed(traceback, blanks);
    // The line behind the one being read; the last line can be no frame, as its code would be missing.
    std::optional<std::string_view> code;
    while (!rest.empty()) {
        const std::size_t end = rest.rfind('\n');
        const std::string_view line =
            base::trimmed(end == std::string_view::npos ? rest : rest.substr(end + 1), blanks);
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
