#pragma once

#include <cstdint>
#include <string_view>

namespace aotscope::load {

/// How far the payload lines (those behind a tab) at the beginning of a text go.
struct PayloadLines {
    /// Bytes of the whole lines counted: up to the first line that is no payload, or to one that may end
    /// behind the text.
    std::size_t bytes = 0;
    std::uint64_t lines = 0;
    /// Whether all bytes of the lines are ASCII; false also when that was not found out.
    bool ascii = true;
};

/// Counts payload lines, which are nearly all lines of a log, without looking at each one. `text` begins with
/// a line; lines that end in its last 257 bytes may be left uncounted.
[[nodiscard]] PayloadLines countPayloadLines(std::string_view text);

} // namespace aotscope::load
