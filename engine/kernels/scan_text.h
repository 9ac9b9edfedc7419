#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

/// Reading texts of tools from the front.
namespace aotscope::kernels {

/// The first line, without its end.
inline std::string_view takeLine(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

/// A number without sign; nothing is taken if there is none.
inline std::optional<std::size_t> takeNumber(std::string_view& rest) {
    std::size_t number = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (failed != std::errc() || end == rest.data()) {
        return std::nullopt;
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return number;
}

/// Whether the text starts with a word, which is then taken.
inline bool takeWord(std::string_view& rest, std::string_view word) {
    const bool there = rest.starts_with(word);
    rest.remove_prefix(there ? word.size() : 0);
    return there;
}

inline std::string_view withoutIndent(std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

} // namespace aotscope::kernels
