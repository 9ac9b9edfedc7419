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

/// UTF-8 as the window's words; columns of base::TextLines are places in it, whatever the bytes are.
[[nodiscard]] QString wordsOf(std::string_view text);

/// A text of its own with its lines found, which takes its time: for what is known to be short. The lines
/// keep the text alive.
[[nodiscard]] base::TextLinesPtr linesOf(std::string text);

/// Bytes of a text.
struct TextMatch {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct TextQuery {
    QRegularExpression pattern;
    /// A byte of the text.
    std::size_t from = 0;
    bool backwards = false;
};
/// A search that goes on, seen from other threads.
struct TextSearch {
    std::stop_source stop;
    /// Bytes looked through.
    std::atomic<std::size_t> looked = 0;
};

/// The next match that begins at `from` or behind it, and then from the beginning; backwards the last one
/// that begins before it, and then from the end. "^" and "$" mean lines. Looks at a megabyte at a time, so
/// that a match is found wherever it is but no longer than some kilobytes. Nothing too when stopped.
[[nodiscard]] std::optional<TextMatch> findInText(std::string_view text, TextQuery query, TextSearch& search);

} // namespace aotscope::views
