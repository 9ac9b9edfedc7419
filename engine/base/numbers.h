#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

/// Numbers in text, in every locale the same: without blanks and plus signs, in decimal digits.
namespace aotscope::base {

/// Removes the number at the front of `text`. Nothing, and `text` stays: there is none, or it does not fit.
template<typename Number>
[[nodiscard]] std::optional<Number> takeNumber(std::string_view& text) {
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// The number at the front of `text`, whatever follows it.
template<typename Number>
[[nodiscard]] std::optional<Number> leadingNumber(std::string_view text) {
    return takeNumber<Number>(text);
}

/// The number that the whole text is.
template<typename Number>
[[nodiscard]] std::optional<Number> wholeNumber(std::string_view text) {
    const std::optional<Number> number = takeNumber<Number>(text);
    return text.empty() ? number : std::nullopt;
}

} // namespace aotscope::base
