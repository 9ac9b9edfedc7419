#pragma once

#include <cstddef>
#include <string_view>

namespace aotscope::load {

enum class HeaderShape : unsigned char {
    /// Not the start of a record.
    None,
    /// The start of a record, but the line ends before the envelope.
    Cut,
    Whole,
};

struct HeaderLine {
    HeaderShape shape = HeaderShape::None;
    /// Byte offset of the envelope's "{" in a whole line.
    std::size_t envelope = 0;
};

/// Whether a text starts like "V1121 00:13:53", with one of these letters for the level.
[[nodiscard]] bool startsWithTime(std::string_view text, std::string_view levels = "VIWEC");

/// Recognises "V1121 00:13:53.025000 22725 path:line] {…": level, month and day, time, thread, source
/// location, envelope. A launcher's prefix ("[rank0]:") is skipped. `line` has no line feed. Follows
/// torch 2.11, torch/_logging/_internal.py: TorchLogsFormatter.format.
[[nodiscard]] HeaderLine recogniseHeader(std::string_view line);

/// The thread that wrote the line, "22725"; empty: none.
[[nodiscard]] std::string_view headerThread(std::string_view line);

} // namespace aotscope::load
