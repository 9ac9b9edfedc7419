#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

/// Where values of a Python repr begin and end, without reading them; for python_repr.cpp.
namespace aotscope::ir::detail {

[[nodiscard]] bool isWordStart(char c);
[[nodiscard]] bool isWord(char c);

/// Whether a text looks like a symbolic size: "5*s77", "s0 + 1", "(s27//2)".
[[nodiscard]] bool isExpression(std::string_view text);

[[nodiscard]] std::string_view withoutEndBlanks(std::string_view text);

/// Where a value may end.
enum class ValueEnd {
    /// At a comma, a closing bracket or the end of the line.
    Line,
    /// At a comma or a closing bracket only: for a value of unknown form.
    Item,
};

/// The end of the value at `at`; delimiters inside the value's brackets and strings do not count. An
/// apostrophe without another one on its line begins no string.
[[nodiscard]] std::size_t endOfValue(std::string_view text, std::size_t at, ValueEnd end);

/// The end of a string that begins at `at`, behind its quote; npos: it has none.
[[nodiscard]] std::size_t endOfReprString(std::string_view text, std::size_t at);

/// Which angle brackets of a text belong together; all pairs are computed on the first call.
class Angles {
public:
    explicit Angles(std::string_view text) : m_text(text) {}

    /// The '>' that closes the '<' at `at`; nothing: none does.
    [[nodiscard]] std::optional<std::size_t> closing(std::size_t at);

private:
    std::string_view m_text;
    bool m_known = false;
    /// In the order of the first.
    std::vector<std::pair<std::size_t, std::size_t>> m_pairs;
};

} // namespace aotscope::ir::detail
