#pragma once

#include "base/characters.h"
#include "ir/quotes.h"

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
/// Calls `visit` for every identifier outside quotes; "a.b" is one.
template<typename Visit>
void forEachName(std::string_view text, const Visit& visit) {
    ir::QuoteScanner quotes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (quotes.take(text[at]) || !base::isWordCharacter(text[at])) {
            continue;
        }
        const std::size_t begin = at;
        while (at + 1 < text.size() && (base::isWordCharacter(text[at + 1]) || text[at + 1] == '.')) {
            ++at;
        }
        if (!base::isDigit(text[begin])) {
            visit(text.substr(begin, at + 1 - begin));
        }
    }
}
[[nodiscard]] bool isName(std::string_view text);

} // namespace aotscope::inductor
