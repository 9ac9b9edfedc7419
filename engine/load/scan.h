#pragma once

#include "load/envelope.h"
#include "load/trace_log.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::load {

/// What is known of a record without looking at it again.
enum RecordFlag : std::uint8_t {
    /// The envelope says that a payload follows.
    PayloadAnnounced = 1,
    /// Lines behind a tab follow.
    PayloadPresent = 2,
    /// Other lines lie between or behind them.
    LinesMixed = 4,
    /// The header ends in CR LF.
    CarriageReturn = 8,
    /// A fault of this record is in the list.
    Faulty = 16,
};

/// Ids of a record as one comparable value; absent ones are -1.
struct RecordOwner {
    std::int32_t rank = -1;
    std::int32_t autograd = -1;
    std::int32_t frame = -1;
    std::int32_t frameCompile = -1;
    std::int32_t attempt = -1;
    friend bool operator==(const RecordOwner&, const RecordOwner&) = default;
};

struct RecordOwnerHash {
    std::size_t operator()(const RecordOwner& owner) const noexcept;
};

/// Envelope key and artifact name.
struct RecordName {
    std::string key;
    std::string artifact;
    friend bool operator==(const RecordName&, const RecordName&) = default;
};

/// One piece of a log, scanned on its own: numbers are relative to the piece until it is joined to the index.
struct ScannedPiece {
    struct Record {
        std::uint64_t offset = 0;
        std::uint32_t line = 0;
        std::uint32_t owner = 0;
        std::uint32_t name = 0;
        std::uint8_t flags = 0;
    };
    struct Fact {
        std::uint32_t record = 0;
        EnvelopeFacts value;
    };

    std::vector<Record> records;
    std::vector<RecordOwner> owners;
    std::vector<RecordName> names;
    std::vector<Fact> facts;
    /// Lines and records count from 0 within the piece here.
    std::vector<LogProblem> problems;
    std::uint64_t problemCount = 0;
    std::uint32_t lines = 0;
    /// No line starts in it.
    bool empty = false;
    /// What lies before the first header: it belongs to the last record of the piece before.
    std::uint8_t leadingFlags = 0;
    /// Where the next piece begins: behind the last complete line that was taken in.
    std::uint64_t end = 0;
    /// A last line without its line feed that cannot be told yet: what it would be a problem of.
    std::optional<LogProblem> unfinished;
    /// It is a payload's line.
    bool unfinishedPayload = false;
    /// The last line is complete but for its line feed.
    bool endsInsideLine = false;
};

/// Finds the records of the lines that start in [begin, end) of `text`. Keeps its buffers from piece to
/// piece; one per thread.
class PieceScanner {
public:
    ScannedPiece scan(std::string_view text, std::uint64_t begin, std::uint64_t end);

private:
    EnvelopeReader m_reader;
};

/// Problems beyond this many are counted, not listed.
constexpr std::size_t problemLimit = 20'000;

} // namespace aotscope::load
