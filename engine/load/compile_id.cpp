#include "load/compile_id.h"

#include <charconv>

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
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    out = number;
    return true;
}

bool takeChar(std::string_view& text, char wanted) {
    if (!text.starts_with(wanted)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
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
    return out;
}

std::optional<CompileId> CompileId::parse(std::string_view text) {
    CompileId id;
    if (text == "-") {
        return id;
    }
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
