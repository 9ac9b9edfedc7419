#include "ir/cursor.h"

namespace aotscope::ir {

void TextCursor::failAt(std::size_t position, std::string what, std::string_view code) const {
    constexpr std::size_t longestExcerpt = 160;
    position = std::min(position, m_text.size());
    const std::string_view before = m_text.substr(0, position);
    const std::size_t lineEndBefore = before.rfind('\n');
    const std::size_t lineStart = lineEndBefore == std::string_view::npos ? 0 : lineEndBefore + 1;

    base::Error error;
    error.code = std::string(code);
    error.place.line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    error.place.column = position - lineStart + 1;
    error.message = "The graph text cannot be read: " + std::move(what) + ".";
    const std::string_view line = m_text.substr(lineStart, m_text.find('\n', lineStart) - lineStart);
    // For a very long line only the part around the error is quoted.
    const std::size_t inLine = position - lineStart;
    const std::size_t first = inLine > longestExcerpt / 2 ? inLine - longestExcerpt / 2 : 0;
    const std::string_view excerpt =
        line.substr(std::min(first, line.size()), std::max(longestExcerpt, std::size_t{1}));
    error.notes.push_back("at: " + std::string(excerpt));
    throw ParseFailure{std::move(error)};
}

} // namespace aotscope::ir
