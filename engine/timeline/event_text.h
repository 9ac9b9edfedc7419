#pragma once

#include "timeline/timeline.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The text of single events in a trace, read leniently: strings may hold raw control characters, and what is
/// cut off ends where the text ends.
namespace aotscope::timeline {

/// The categories of events in traces. The first name of each is what is written where an event has none.
inline constexpr std::array<std::pair<std::string_view, Category>, 20> categoryNames = {{
    {"cpu_op", Category::Operator},
    {"kernel", Category::Kernel},
    {"gpu_memcpy", Category::Copy},
    {"gpu_memset", Category::Copy},
    {"cuda_runtime", Category::Runtime},
    {"cuda_driver", Category::Runtime},
    {"privateuse1_runtime", Category::Runtime},
    {"cuda_sync", Category::Synchronization},
    {"python_function", Category::Python},
    {"user_annotation", Category::Annotation},
    {"gpu_user_annotation", Category::Annotation},
    {"overhead", Category::Overhead},
    // The whole time that the profiler recorded.
    {"Trace", Category::Recording},
    {"node", Category::Node},
    {"Kernel", Category::Kernel},
    {"Memcpy", Category::Copy},
    {"Memset", Category::Copy},
    {"Runtime", Category::Runtime},
    {"Operator", Category::Operator},
    {"other", Category::Other},
}};

/// Row::places of an event that no source has.
inline constexpr std::uint64_t noPlace = ~std::uint64_t{0};

/// A place in one of a timeline's sources.
struct Place {
    std::size_t source = 0;
    std::size_t offset = 0;
};
inline constexpr unsigned placeBits = 48;
[[nodiscard]] constexpr std::uint64_t packPlace(std::size_t source, std::size_t offset) {
    return std::uint64_t{source} << placeBits | offset;
}
[[nodiscard]] constexpr Place placeOf(std::uint64_t packed) {
    return {packed >> placeBits, packed & ((std::uint64_t{1} << placeBits) - 1)};
}

/// The position after the object or array that begins at `at`; `text.size()` if it has no end.
[[nodiscard]] std::size_t skipContainer(std::string_view text, std::size_t at);
/// The object that begins at `offset`, whole or up to the end of the text.
[[nodiscard]] std::string_view objectAt(std::string_view text, std::size_t offset);

/// The nanoseconds that a number of microseconds means, exactly for numbers without exponent; nothing: it is
/// no number. Limited to 126 years.
[[nodiscard]] std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds);
/// An integer, also in quotes or with a fraction, which is cut off; nothing: it is none.
[[nodiscard]] std::optional<std::int64_t> integerOf(std::string_view value);
[[nodiscard]] std::optional<double> numberOf(std::string_view value);

/// A value without the quotes of a string.
[[nodiscard]] std::string_view unquoted(std::string_view value);
/// A string's text with its escapes resolved; what is no escape stays as it is.
[[nodiscard]] std::string unescaped(std::string_view text);

/// The members of the event's "args".
[[nodiscard]] std::vector<Argument> argumentsOf(std::string_view event);
/// The members of an object; containers among them as JSON.
[[nodiscard]] std::vector<Argument> membersOf(std::string_view object);

} // namespace aotscope::timeline
