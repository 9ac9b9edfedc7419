#pragma once

#include <cstdint>
#include <string_view>

namespace aotscope::load {

/// The extent of the payload lines (those that start with a tab) at the beginning of a text.
struct PayloadLines {
    /// Bytes of the counted lines: up to the first that is not payload, or may end after the text.
    std::size_t bytes = 0;
    std::uint64_t lines = 0;
    /// Whether all bytes of the lines are ASCII; false may also mean not checked.
    bool ascii = true;
};

/// Counts payload lines, which are nearly all lines of a log, in blocks instead of one by one. `text` starts
/// at the beginning of a line; lines that end in its last 257 bytes may not be counted.
[[nodiscard]] PayloadLines countPayloadLines(std::string_view text);

} // namespace aotscope::load
