#pragma once

#include "base/text_lines.h"

#include <QRegularExpression>
#include <QString>

#include <atomic>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace aotscope::views {

/// UTF-8 as QString; invalid bytes are replaced. Columns of base::TextLines are positions in the result.
[[nodiscard]] QString wordsOf(std::string_view text);

/// Splits a text into lines on this thread, so only for short texts. The result owns the text.
[[nodiscard]] base::TextLinesPtr linesOf(std::string text);

/// A range of bytes in a text.
struct TextMatch {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct TextQuery {
    QRegularExpression pattern;
    /// Byte offset where the search starts.
    std::size_t from = 0;
    bool backwards = false;
};
/// A search in progress, readable from other threads.
struct TextSearch {
    std::stop_source stop;
    /// Number of bytes searched.
    std::atomic<std::size_t> looked = 0;
};

/// The next match that begins at or after `from`, wrapping around the end; backwards, the last one that
/// begins before `from`, wrapping around the start. "^" and "$" match at lines. Searches a megabyte at a
/// time, so a match longer than some kilobytes may be cut. Nothing if stopped.
[[nodiscard]] std::optional<TextMatch> findInText(std::string_view text, TextQuery query, TextSearch& search);

} // namespace aotscope::views
