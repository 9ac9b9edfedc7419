#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
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

/// The shortest text that means the number, or the one of a form, as std::to_chars writes it.
template<typename Number, typename... Form>
[[nodiscard]] std::string numberText(Number number, Form... form) {
    std::array<char, 64> digits{};
    const auto [end, failed] = std::to_chars(digits.data(), digits.data() + digits.size(), number, form...);
    return {digits.data(), failed == std::errc() ? end : digits.data()};
}

} // namespace aotscope::base
