#pragma once

#include "base/result.h"
#include "base/text_search.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace aotscope::base {

class Progress;
class TextLines;
using TextLinesPtr = std::shared_ptr<const TextLines>;

/// An index of a text's lines, with columns in UTF-16 units as the window counts them. Immutable. Built in
/// one pass; keeps a few bytes per 16 KiB of text whatever the line lengths, and a query scans no more than
/// 16 KiB. A line feed at the end of the text does not start a new line.
class TextLines {
public:
    /// `text` must outlive the result. Error: session.canceled.
    [[nodiscard]] static Result<TextLinesPtr> of(std::string_view text, Progress& progress);

    [[nodiscard]] std::string_view text() const { return m_text; }
    /// At least 1.
    [[nodiscard]] std::size_t count() const { return m_count; }
    /// UTF-16 units of the longest line.
    [[nodiscard]] std::size_t longest() const { return m_longest; }
    /// A line, 0-based, without its line feed.
    [[nodiscard]] std::string_view line(std::size_t line) const;
    [[nodiscard]] std::size_t unitsIn(std::size_t line) const;
    /// The columns [from, to) of a line, or less if the line ends before.
    [[nodiscard]] std::string_view part(std::size_t line, std::size_t from, std::size_t to) const;

    struct Place {
        std::size_t line = 0;
        std::size_t column = 0;
    };
    /// The place of a byte offset; an offset past the end means the end.
    [[nodiscard]] Place placeOf(std::size_t byte) const;
    [[nodiscard]] std::size_t byteOf(const Place& place) const;

private:
    /// The UTF-16 units and line feeds before a byte at which a character begins.
    struct Mark {
        std::size_t byte = 0;
        std::size_t units = 0;
        std::size_t lineFeeds = 0;
    };

    explicit TextLines(std::string_view text) : m_text(text) {}
    /// The last one that has at most that many; the beginning if none has.
    [[nodiscard]] Mark lastMark(std::size_t Mark::*count, std::size_t most) const;
    /// The byte after the n-th line feed, counted from 1; 0: the beginning.
    [[nodiscard]] std::size_t behindLineFeed(std::size_t number) const;
    [[nodiscard]] std::size_t unitsBefore(std::size_t byte) const;
    [[nodiscard]] std::size_t byteAtUnits(std::size_t units) const;

    std::string_view m_text;
    std::vector<Mark> m_marks;
    std::size_t m_count = 1;
    std::size_t m_lineFeeds = 0;
    std::size_t m_longest = 0;
};

/// Calls `look(number, line)` for all lines in order. Faster than line() for each.
template<typename Look>
void forEachLine(const TextLines& lines, Look look) {
    std::string_view rest = lines.text();
    for (std::size_t number = 0; number < lines.count(); ++number) {
        look(number, takePart(rest, '\n'));
    }
}

} // namespace aotscope::base
