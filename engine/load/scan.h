#pragma once

#include "load/envelope.h"
#include "load/trace_log.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::load {

/// Facts about a record that are kept in the index.
enum RecordFlag : std::uint8_t {
    /// The envelope says that a payload follows.
    PayloadAnnounced = 1,
    /// Payload lines (with a tab) follow.
    PayloadPresent = 2,
    /// There are other lines between or after them.
    LinesMixed = 4,
    /// The header ends in CR LF.
    CarriageReturn = 8,
    /// A problem of this record is in the list of problems.
    Faulty = 16,
};

/// The ids of a record as one comparable value; -1: the id is absent.
struct RecordOwner {
    std::int32_t rank = -1;
    std::int32_t autograd = -1;
    std::int32_t frame = -1;
    std::int32_t frameCompile = -1;
    std::int32_t attempt = -1;
    /// CompileId::repetition; follows from the order of the records, so a piece does not know it.
    std::uint32_t repetition = 0;
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

struct RecordNameHash {
    std::size_t operator()(const RecordName& name) const noexcept;
};

/// One piece of a log, scanned separately: line and record numbers are relative to the piece until it is
/// joined to the index.
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
    /// Their lines and records count from 0 in this piece.
    std::vector<LogProblem> problems;
    std::uint64_t problemCount = 0;
    std::uint32_t lines = 0;
    /// No line starts in the piece.
    bool empty = false;
    /// RecordFlags of the lines before the first header, which belong to the previous piece's last record.
    std::uint8_t leadingFlags = 0;
    /// Byte offset of the next piece: after the last line that was read.
    std::uint64_t end = 0;
    /// The problem of a last line without a line feed, if the line stays as it is.
    std::optional<LogProblem> unfinished;
    /// The last line is a payload line without a line feed.
    bool unfinishedPayload = false;
    /// The last line is a complete header without a line feed.
    bool endsInsideLine = false;
};

/// Finds the records of the lines that start in [begin, end) of `text`. Use one per thread.
class PieceScanner {
public:
    ScannedPiece scan(std::string_view text, std::uint64_t begin, std::uint64_t end);

private:
    EnvelopeReader m_reader;
};

/// Problems beyond this number are counted but not listed.
constexpr std::size_t problemLimit = 20'000;

} // namespace aotscope::load
