#include "load/compile_id.h"

#include "base/numbers.h"

#include <algorithm>

namespace aotscope::load {

namespace {

void appendNumber(std::string& out, const std::optional<std::int32_t>& number) {
    // PyTorch sets both frame numbers or none, but a log with only one of them still needs a name.
    out += number ? std::to_string(*number) : std::string("-");
}

/// Removes a non-negative number (or "-" for none) from the front of `text`.
bool takeNumber(std::string_view& text, std::optional<std::int32_t>& out) {
    if (text.starts_with('-')) {
        text.remove_prefix(1);
        out.reset();
        return true;
    }
    out = base::takeNumber<std::int32_t>(text);
    return out.has_value();
}

bool takeChar(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

/// "2nd" for repetition 1
std::string ordinal(std::uint32_t repetition) {
    const std::uint64_t number = std::uint64_t(repetition) + 1;
    const bool isTeen = number % 100 >= 11 && number % 100 <= 13;
    const std::string_view ending = isTeen             ? "th"
                                    : number % 10 == 1 ? "st"
                                    : number % 10 == 2 ? "nd"
                                    : number % 10 == 3 ? "rd"
                                                       : "th";
    return std::to_string(number) + std::string(ending);
}

/// Removes " (2nd)" from the end of `text`; 1. Nothing: what is there is no ordinal.
std::optional<std::uint32_t> takeRepetition(std::string_view& text) {
    const std::size_t start = text.find_first_of(" (");
    if (start == std::string_view::npos) {
        return 0;
    }
    std::string_view rest = text.substr(start);
    text = text.substr(0, start);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (takeChar(rest, '(')) {
        if (!rest.ends_with(')')) {
            return std::nullopt;
        }
        rest.remove_suffix(1);
    }
    const std::uint32_t number = base::leadingNumber<std::uint32_t>(rest).value_or(0);
    return number > 0 && rest == ordinal(number - 1) ? std::optional(number - 1) : std::nullopt;
}

} // namespace

std::string CompileId::text() const {
    if (empty()) {
        return "-";
    }
    std::string out;
    if (compiledAutograd) {
        out = "!" + std::to_string(*compiledAutograd);
    }
    if (frame || frameCompile) {
        if (compiledAutograd) {
            out += '/';
        }
        appendNumber(out, frame);
        out += '/';
        appendNumber(out, frameCompile);
    }
    if (attempt && *attempt != 0) {
        out += '_' + std::to_string(*attempt);
    }
    if (repetition != 0) {
        out += " (" + ordinal(repetition) + ")";
    }
    return out;
}

std::optional<CompileId> CompileId::parse(std::string_view text) {
    CompileId id;
    if (text == "-") {
        return id;
    }
    const auto repetition = takeRepetition(text);
    if (!repetition) {
        return std::nullopt;
    }
    id.repetition = *repetition;
    if (takeChar(text, '!')) {
        if (!takeNumber(text, id.compiledAutograd) || !id.compiledAutograd) {
            return std::nullopt;
        }
    }
    if (!id.compiledAutograd || takeChar(text, '/')) {
        if (!takeNumber(text, id.frame) || !takeChar(text, '/') || !takeNumber(text, id.frameCompile)) {
            return std::nullopt;
        }
    }
    id.attempt = 0;
    if (takeChar(text, '_') && (!takeNumber(text, id.attempt) || !id.attempt)) {
        return std::nullopt;
    }
    if (!text.empty() || id.empty()) {
        return std::nullopt;
    }
    return id;
}

} // namespace aotscope::load
