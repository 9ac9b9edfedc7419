#include "ir/written_place.h"

#include "base/numbers.h"

namespace aotscope::ir {

std::optional<WrittenLine> readLine(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    const int line = base::wholeNumber<int>(text.substr(colon + 1)).value_or(0);
    return line < 1 ? std::nullopt : std::optional(WrittenLine{text.substr(0, colon), line});
}

bool isAtLine(const SourceLocation& source, const WrittenLine& written) {
    if (source.line != written.line || !source.file.ends_with(written.file)) {
        return false;
    }
    const std::size_t before = source.file.size() - written.file.size();
    return before == 0 || written.file.front() == '/' || source.file[before - 1] == '/';
}

bool isOperatorNamed(std::string_view target, std::string_view name) {
    const std::size_t overload = target.rfind('.');
    const std::string_view packet = target.substr(0, overload);
    const std::size_t space = packet.find('.');
    return target == name || packet == name ||
           (space != std::string_view::npos && packet.substr(space + 1) == name);
}

} // namespace aotscope::ir
