#pragma once

#include "load/trace_log.h"

#include <string>
#include <string_view>

namespace aotscope::load {

/// A record's text in the file: its header line, and all lines up to the next header.
struct RecordText {
    std::string_view header;
    std::string_view lines;
    /// There are lines without a tab between or after the payload lines.
    bool mixed = false;
    /// The file has CR LF line ends.
    bool carriageReturn = false;
};

/// Splits `region` (from a header to the next one); `flags` are RecordFlags. The views point into `region`.
[[nodiscard]] RecordText cutRecord(std::string_view region, std::uint8_t flags);

/// The envelope's JSON text; empty: the header has none.
[[nodiscard]] std::string_view envelopeText(const RecordText& record);

/// The payload's MD5 digest in the record's envelope; empty: none.
[[nodiscard]] std::string digestOf(const RecordText& record);

/// The payload without its tabs. If other lines are mixed into it, the selection of lines that matches
/// `digest`; without a match the most likely one.
[[nodiscard]] std::string payloadText(const RecordText& record, std::string_view digest);

/// The payload and whether it matches `digest`; unspecified after a stop was requested of `progress`.
[[nodiscard]] CheckedPayload checkPayload(const RecordText& record, std::string_view digest,
                                          base::Progress& progress);

} // namespace aotscope::load
