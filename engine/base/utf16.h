#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Counts UTF-8 text in UTF-16 units and converts it. A byte that is not part of a valid character counts as
/// one unit and becomes U+FFFD, so that counting and converting agree for any piece that ends between
/// characters.
namespace aotscope::base {

/// UTF-16 units of the whole text.
[[nodiscard]] std::size_t utf16Units(std::string_view text);
/// Bytes of the longest start of the text that has at most `units` units; never splits a character.
[[nodiscard]] std::size_t bytesOfUtf16(std::string_view text, std::size_t units);
[[nodiscard]] std::u16string toUtf16(std::string_view text);
/// The first byte of the character that byte `at` belongs to; `at` if it belongs to none.
[[nodiscard]] std::size_t characterStart(std::string_view text, std::size_t at);

} // namespace aotscope::base
