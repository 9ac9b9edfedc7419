#include "base/text_lines.h"

#include "base/progress.h"
#include "base/utf16.h"

#include <algorithm>

namespace aotscope::base {

namespace {
constexpr std::size_t pieceSize = 16U << 10U;
} // namespace

Result<TextLinesPtr> TextLines::of(std::string_view text, Progress& progress) {
    std::shared_ptr<TextLines> lines(new TextLines(text));
    Mark at;
    std::size_t lineStart = 0; // In UTF-16 units.
    while (at.byte < text.size()) {
        AOTSCOPE_CHECK(progress.checkStop());
        progress.report("Finding the lines", at.byte, text.size());
        lines->m_marks.push_back(at);
        const std::size_t target = at.byte + pieceSize;
        const std::size_t end = target < text.size() ? characterStart(text, target) : text.size();
        while (at.byte < end) {
            const std::size_t found = text.substr(0, end).find('\n', at.byte);
            const std::size_t stop = std::min(found, end);
            at.units += utf16Units(text.substr(at.byte, stop - at.byte));
            at.byte = stop;
            lines->m_longest = std::max(lines->m_longest, at.units - lineStart);
            if (found != std::string_view::npos) {
                ++at.byte;
                ++at.units;
                ++at.lineFeeds;
                lineStart = at.units;
            }
        }
    }
    lines->m_lineFeeds = at.lineFeeds;
    lines->m_count = at.lineFeeds + (text.ends_with('\n') ? 0 : 1);
    lines->m_marks.shrink_to_fit();
    return TextLinesPtr(std::move(lines));
}

TextLines::Mark TextLines::lastMark(std::size_t Mark::*count, std::size_t most) const {
    const auto behind = std::ranges::upper_bound(m_marks, most, {}, count);
    return behind == m_marks.begin() ? Mark() : *(behind - 1);
}

std::size_t TextLines::behindLineFeed(std::size_t number) const {
    if (number == 0) {
        return 0;
    }
    const Mark before = lastMark(&Mark::lineFeeds, number - 1);
    std::size_t at = before.byte;
    for (std::size_t i = before.lineFeeds; i < number; ++i) {
        at = m_text.find('\n', at) + 1;
    }
    return at;
}

std::string_view TextLines::line(std::size_t line) const {
    if (line >= m_count) {
        return {};
    }
    const std::size_t begin = behindLineFeed(line);
    const std::size_t end = line < m_lineFeeds ? behindLineFeed(line + 1) - 1 : m_text.size();
    return m_text.substr(begin, end - begin);
}

std::size_t TextLines::unitsBefore(std::size_t byte) const {
    const Mark before = lastMark(&Mark::byte, byte);
    return before.units + utf16Units(m_text.substr(before.byte, byte - before.byte));
}

std::size_t TextLines::byteAtUnits(std::size_t units) const {
    const Mark before = lastMark(&Mark::units, units);
    return before.byte + bytesOfUtf16(m_text.substr(before.byte), units - before.units);
}

std::size_t TextLines::unitsIn(std::size_t line) const {
    const std::string_view content = this->line(line);
    if (content.size() < pieceSize) {
        return utf16Units(content);
    }
    const auto begin = static_cast<std::size_t>(content.data() - m_text.data());
    return unitsBefore(begin + content.size()) - unitsBefore(begin);
}

std::string_view TextLines::part(std::size_t line, std::size_t from, std::size_t to) const {
    const std::string_view content = this->line(line);
    if (content.empty() || to <= from) {
        return {};
    }
    const std::size_t begin = byteOf({line, from});
    const std::size_t end = byteOf({line, to});
    return m_text.substr(begin, end - begin);
}

TextLines::Place TextLines::placeOf(std::size_t byte) const {
    byte = std::min(byte, m_text.size());
    const Mark before = lastMark(&Mark::byte, byte);
    const std::string_view between = m_text.substr(before.byte, byte - before.byte);
    const std::size_t line = before.lineFeeds + static_cast<std::size_t>(std::ranges::count(between, '\n'));
    if (line >= m_count) {
        return {m_count - 1, unitsIn(m_count - 1)};
    }
    return {line, unitsBefore(byte) - unitsBefore(behindLineFeed(line))};
}

std::size_t TextLines::byteOf(const Place& place) const {
    if (place.line >= m_count) {
        return m_text.size();
    }
    const std::string_view content = line(place.line);
    const auto begin = static_cast<std::size_t>(content.data() - m_text.data());
    if (content.size() < pieceSize) {
        return begin + bytesOfUtf16(content, place.column);
    }
    return std::min(byteAtUnits(unitsBefore(begin) + place.column), begin + content.size());
}

} // namespace aotscope::base
