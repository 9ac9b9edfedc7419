#pragma once

#include <cstddef>
#include <string_view>

namespace aotscope::load {

enum class HeaderShape : unsigned char {
    /// Not the start of a record.
    None,
    /// Starts like one, but ends before its envelope.
    Cut,
    Whole,
};

struct HeaderLine {
    HeaderShape shape = HeaderShape::None;
    /// Where the envelope's "{" is in the line, for a whole one.
    std::size_t envelope = 0;
};

/// Recognises "V1121 00:13:53.025000 22725 path:line] {…": level, month and day, time, process, place,
/// envelope. What launchers put before it ("[rank0]:") is skipped. `line` is without its line feed.
[[nodiscard]] HeaderLine recogniseHeader(std::string_view line);

/// "22725" of such a line: the thread that wrote it; empty when there is none.
[[nodiscard]] std::string_view headerThread(std::string_view line);

} // namespace aotscope::load
