#include "load/payload_text.h"

#include "load/envelope.h"
#include "load/header_line.h"
#include "load/md5.h"
#include "load/scan.h"

#include "base/text_search.h"

#include <algorithm>
#include <array>

namespace aotscope::load {

namespace {

constexpr std::size_t pieceSize = 1U << 20U;

/// Which lines of a record count as its payload.
enum class Reading : std::uint8_t {
    /// Lines that start with a tab.
    Tabs,
    /// These and the empty lines between them, which may have lost their tabs.
    TabsAndBlanks,
    /// Every line up to the last one with a tab, because lines may have lost their tabs.
    ToLastTab,
    /// Every line.
    All,
};

/// End of the last line that starts with a tab.
std::size_t endOfTabs(std::string_view lines) {
    std::size_t end = 0;
    for (std::string_view left = lines; !left.empty();) {
        const std::string_view line = base::takePart(left, '\n');
        if (line.starts_with('\t')) {
            end = static_cast<std::size_t>(line.data() + line.size() - lines.data());
        }
    }
    return end;
}

bool belongs(std::string_view line, Reading reading) {
    switch (reading) {
    case Reading::Tabs:
        return line.starts_with('\t');
    case Reading::TabsAndBlanks:
        return line.starts_with('\t') || line.empty() || line == "\r";
    default:
        return true;
    }
}

std::string join(std::string_view lines, Reading reading, bool stripCarriageReturn,
                 base::Progress& progress) {
    if (reading == Reading::TabsAndBlanks || reading == Reading::ToLastTab) {
        lines = lines.substr(0, endOfTabs(lines));
    }
    std::string out;
    out.reserve(lines.size());
    bool first = true;
    const std::size_t all = lines.size();
    std::size_t told = all;
    while (!lines.empty()) {
        if (lines.size() <= told) {
            if (progress.stopRequested()) {
                break;
            }
            progress.report("Reading the payload", all - lines.size(), all);
            told = lines.size() - std::min(lines.size(), pieceSize);
        }
        std::string_view line = base::takePart(lines, '\n');
        if (!belongs(line, reading)) {
            continue;
        }
        if (line.starts_with('\t')) {
            line.remove_prefix(1);
        }
        if (stripCarriageReturn && line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (!first) {
            out += '\n';
        }
        out += line;
        first = false;
    }
    return out;
}

bool confirms(std::string_view digest, std::string_view text, base::Progress& progress) {
    Md5 md5;
    for (std::size_t at = 0; at < text.size(); at += pieceSize) {
        if (progress.stopRequested()) {
            return false;
        }
        progress.report("Checking the payload", at, text.size());
        md5.update(text.substr(at, pieceSize));
    }
    const std::string own = md5.hexDigest();
    return std::equal(own.begin(), own.end(), digest.begin(), digest.end(), [](char a, char b) {
        return a == (b >= 'A' && b <= 'F' ? static_cast<char>(b + ('a' - 'A')) : b);
    });
}

Reading likelyReading(const RecordText& record) {
    return record.mixed ? Reading::TabsAndBlanks : Reading::Tabs;
}

} // namespace

RecordText cutRecord(std::string_view region, std::uint8_t flags) {
    RecordText record;
    record.lines = region;
    record.header = base::takePart(record.lines, '\n');
    record.mixed = (flags & LinesMixed) != 0;
    record.carriageReturn = (flags & CarriageReturn) != 0;
    if (record.header.ends_with('\r')) {
        record.header.remove_suffix(1);
    }
    return record;
}

std::string_view envelopeText(const RecordText& record) {
    const HeaderLine header = recogniseHeader(record.header);
    return header.shape == HeaderShape::Whole ? record.header.substr(header.envelope) : std::string_view();
}

std::string digestOf(const RecordText& record) {
    EnvelopeReader reader;
    return std::string(reader.read(envelopeText(record)).digest);
}

std::string payloadText(const RecordText& record, std::string_view digest) {
    base::Progress progress;
    if (record.mixed && !digest.empty()) {
        return checkPayload(record, digest, progress).text;
    }
    return join(record.lines, likelyReading(record), record.carriageReturn, progress);
}

CheckedPayload checkPayload(const RecordText& record, std::string_view digest, base::Progress& progress) {
    static constexpr std::array mixedReadings = {Reading::TabsAndBlanks, Reading::Tabs, Reading::ToLastTab,
                                                 Reading::All};
    const std::size_t readings = record.mixed ? mixedReadings.size() : 1;
    // The line ends of the file are tried first.
    for (const bool strip : {record.carriageReturn, !record.carriageReturn}) {
        for (std::size_t i = 0; i < readings; ++i) {
            std::string text =
                join(record.lines, record.mixed ? mixedReadings[i] : Reading::Tabs, strip, progress);
            if (confirms(digest, text, progress)) {
                return {std::move(text), strip ? PayloadState::GoodAfterLineEndings : PayloadState::Good};
            }
        }
    }
    return {join(record.lines, likelyReading(record), record.carriageReturn, progress), PayloadState::Bad};
}

} // namespace aotscope::load
