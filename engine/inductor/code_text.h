#pragma once

#include "base/characters.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pieces of generated Python and C++ as text. All take time linear in the text they look at.
namespace aotscope::inductor {

struct CodeLine {
    std::string_view text;
    /// Offset of the line's first byte in the whole text, and its number from 1.
    std::size_t begin = 0;
    std::size_t number = 0;
    [[nodiscard]] std::size_t end() const { return begin + text.size(); }
};

/// The lines of a text one by one, without their line ends.
class CodeLines {
public:
    explicit CodeLines(std::string_view text) : m_text(text) {}
    [[nodiscard]] std::optional<CodeLine> next();
    /// The next line, which is not taken.
    [[nodiscard]] std::optional<CodeLine> peek() const;
    /// Continues with the line of this byte, which must not be before the present one.
    void skipTo(std::size_t byte);
    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] std::size_t position() const { return m_position; }

private:
    std::string_view m_text;
    std::size_t m_position = 0;
    std::size_t m_number = 0;
};

/// The part before the first `separator`, and the part after it; nothing: it does not occur.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>>
splitOnce(std::string_view text, std::string_view separator);
/// The items of a list, separated by commas outside brackets and quotes, trimmed; a trailing comma adds none.
[[nodiscard]] std::vector<std::string_view> splitItems(std::string_view text);
/// How many brackets are open at the end of `text`, outside quotes; negative: more were closed.
[[nodiscard]] int openBrackets(std::string_view text);
/// The content of the bracket that opens at `open`; nothing: it is not closed.
[[nodiscard]] std::optional<std::string_view> bracketContent(std::string_view text, std::size_t open);
/// The value of `name=` or `'name':` among the items of a call or dictionary, as written; empty: none.
[[nodiscard]] std::string_view valueOf(const std::vector<std::string_view>& items, std::string_view name);
/// Without a pair of quotes around it.
[[nodiscard]] std::string_view unquoted(std::string_view text);
/// Calls `visit` for every identifier outside quotes; "a.b" is one.
template<typename Visit>
void forEachName(std::string_view text, Visit&& visit);
[[nodiscard]] bool isName(std::string_view text);

template<typename Visit>
void forEachName(std::string_view text, Visit&& visit) {
    char quote = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (quote != 0) {
            at += c == '\\' ? 2 : 1;
            quote = c == quote ? '\0' : quote;
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            ++at;
            continue;
        }
        if (!base::isWordCharacter(c)) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && (base::isWordCharacter(text[at]) || text[at] == '.')) {
            ++at;
        }
        if (text[begin] < '0' || text[begin] > '9') {
            visit(text.substr(begin, at - begin));
        }
    }
}

} // namespace aotscope::inductor
