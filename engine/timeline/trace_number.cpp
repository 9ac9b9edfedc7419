#include "timeline/trace_number.h"

#include "base/numbers.h"

#include <algorithm>
#include <cmath>

namespace aotscope::timeline {

namespace {

/// Two such numbers can be added.
constexpr std::int64_t mostNanoseconds = 4'000'000'000'000'000'000;

std::int64_t limited(double nanoseconds) {
    if (std::isnan(nanoseconds)) {
        return 0;
    }
    return static_cast<std::int64_t>(
        std::clamp(nanoseconds, -double(mostNanoseconds), double(mostNanoseconds)));
}

} // namespace

std::string_view unquoted(std::string_view value) {
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
        return value.substr(1, value.size() - 2);
    }
    return value;
}

std::optional<double> numberOf(std::string_view value) {
    return base::wholeNumber<double>(unquoted(value));
}

std::optional<std::int64_t> nanosecondsOf(std::string_view microseconds) {
    const std::string_view text = unquoted(microseconds);
    std::size_t at = 0;
    const bool negative = !text.empty() && text.front() == '-';
    at += negative ? 1 : 0;
    std::int64_t value = 0;
    int fraction = -1;
    const std::size_t digits = at;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '.' && fraction < 0) {
            fraction = 0;
            continue;
        }
        if (c < '0' || c > '9' || value > mostNanoseconds / 10) {
            // An exponent, or too large.
            const auto number = numberOf(text);
            return number ? std::optional(limited(*number * 1000)) : std::nullopt;
        }
        if (fraction < 3) {
            value = value * 10 + (c - '0');
            fraction += fraction >= 0 ? 1 : 0;
        } else if (fraction == 3) {
            value += c >= '5' ? 1 : 0;
            ++fraction;
        }
    }
    if (at == digits) {
        return std::nullopt;
    }
    for (int missing = std::max(fraction, 0); missing < 3; ++missing) {
        if (value > mostNanoseconds / 10) {
            return negative ? -mostNanoseconds : mostNanoseconds;
        }
        value *= 10;
    }
    return negative ? -value : value;
}

std::optional<std::int64_t> integerOf(std::string_view value) {
    value = unquoted(value);
    if (const auto number = base::wholeNumber<std::int64_t>(value)) {
        return number;
    }
    const auto real = numberOf(value);
    if (!real || !(std::abs(*real) < 9e18)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*real);
}

} // namespace aotscope::timeline
