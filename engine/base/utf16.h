#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// UTF-8 counted and turned into the UTF-16 of windows. A byte that is no part of a character counts as one
/// unit and becomes U+FFFD, so that counting any piece that ends between characters agrees with turning it.
namespace aotscope::base {

/// Units of the whole text.
[[nodiscard]] std::size_t utf16Units(std::string_view text);
/// Bytes of the first characters that have `units` units together, or of the whole text; a character of two
/// units is never cut.
[[nodiscard]] std::size_t bytesOfUtf16(std::string_view text, std::size_t units);
[[nodiscard]] std::u16string toUtf16(std::string_view text);
/// Where the character begins that byte `at` belongs to; `at` itself where it belongs to none.
[[nodiscard]] std::size_t characterStart(std::string_view text, std::size_t at);

} // namespace aotscope::base
