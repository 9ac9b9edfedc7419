#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aotscope::timeline {

/// The nanoseconds that a number of microseconds means, exactly for numbers without exponent; nothing: it is
/// no number. Limited to 126 years.
[[nodiscard]] std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds);
/// An integer, also in quotes or with a fraction, which is cut off; nothing: it is none.
[[nodiscard]] std::optional<std::int64_t> integerOf(std::string_view value);
[[nodiscard]] std::optional<double> numberOf(std::string_view value);

/// A value without the quotes of a string.
[[nodiscard]] std::string_view unquoted(std::string_view value);

} // namespace aotscope::timeline
