#pragma once

#include "base/numbers.h"
#include "base/text_search.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

/// Reading texts of tools from the front.
namespace aotscope::kernels {

/// The first line, without its end.
inline std::string_view takeLine(std::string_view& rest) {
    return base::takePart(rest, '\n');
}

/// A number without sign; nothing is taken if there is none.
inline std::optional<std::size_t> takeNumber(std::string_view& rest) {
    return base::takeNumber<std::size_t>(rest);
}

/// Whether the text starts with a word, which is then taken.
inline bool takeWord(std::string_view& rest, std::string_view word) {
    const bool there = rest.starts_with(word);
    rest.remove_prefix(there ? word.size() : 0);
    return there;
}

/// Whether one of the words occurs in the text.
inline bool hasOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return base::contains(text, word); });
}

inline std::string_view withoutIndent(std::string_view line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at == std::string_view::npos ? std::string_view() : line.substr(at);
}

} // namespace aotscope::kernels
