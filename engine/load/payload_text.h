#pragma once

#include "load/trace_log.h"

#include <string>
#include <string_view>

namespace aotscope::load {

/// A record as it lies in the file: its header line, and every line up to the next header.
struct RecordText {
    std::string_view header;
    std::string_view lines;
    /// Lines without a tab lie among or behind the payload's.
    bool mixed = false;
    /// The file has CR LF line ends.
    bool carriageReturn = false;
};

/// Cuts `region` (from a header to the next) into its parts.
[[nodiscard]] RecordText cutRecord(std::string_view region, std::uint8_t flags);

/// The envelope's JSON text; empty when the header has none.
[[nodiscard]] std::string_view envelopeText(const RecordText& record);

/// The md5 that the record's envelope tells of its payload; empty: none.
[[nodiscard]] std::string digestOf(const RecordText& record);

/// The payload without its tabs, as it most probably was. Where lines are mixed with others the reading that
/// `digest` confirms is taken, if there is one.
[[nodiscard]] std::string payloadText(const RecordText& record, std::string_view digest);

/// The payload and whether `digest` is true of it; anything once `progress` was told to stop.
[[nodiscard]] CheckedPayload checkPayload(const RecordText& record, std::string_view digest,
                                          base::Progress& progress);

} // namespace aotscope::load
