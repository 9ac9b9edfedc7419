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

/// What a record belongs to. Of the id, the repetition follows from the order of the records, so a piece does
/// not know it.
struct RecordOwner {
    std::optional<std::int32_t> rank;
    CompileId id;
    friend bool operator==(const RecordOwner&, const RecordOwner&) = default;
};
/// Records written at run time have a compile id but no attempt; they are assigned to the first attempt.
[[nodiscard]] RecordOwner ownerOf(CompileId id, std::optional<std::int32_t> rank);

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

/// Problems beyond this number are counted but not listed.
constexpr std::size_t problemLimit = 20'000;

struct ProblemList {
    std::vector<LogProblem> listed;
    std::uint64_t count = 0;

    void add(LogProblem problem) {
        ++count;
        if (listed.size() < problemLimit) {
            listed.push_back(std::move(problem));
        }
    }
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
    ProblemList problems;
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

} // namespace aotscope::load
