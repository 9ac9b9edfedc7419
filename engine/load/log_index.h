#pragma once

#include "load/compile_repetitions.h"
#include "load/compile_tree.h"
#include "load/paged_column.h"
#include "load/scan.h"
#include "load/string_table.h"
#include "load/trace_log.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aotscope::load {

/// The index of a log: offset, line, compile, name and a few flags of each record, about 20 bytes per record.
/// Pieces are joined in file order; a copy is a snapshot.
class LogIndex {
public:
    /// Joins the next piece. `text` is the whole file, which the piece's offsets refer to.
    void join(ScannedPiece&& piece, std::string_view text);

    /// Updates everything that is derived from the records. More pieces may be joined afterwards.
    void conclude(std::string_view text);

    [[nodiscard]] std::size_t recordCount() const { return m_offsets.size(); }
    [[nodiscard]] std::uint64_t offset(std::size_t record) const { return m_offsets[record]; }
    [[nodiscard]] std::size_t line(std::size_t record) const { return m_lines[record]; }
    [[nodiscard]] CompileIndex compile(std::size_t record) const { return CompileIndex(m_compiles[record]); }
    [[nodiscard]] std::uint8_t flags(std::size_t record) const { return m_flags[record]; }
    /// Null: the name must be read from the envelope, because there are too many names or it is too long.
    [[nodiscard]] const RecordName* tryName(std::size_t record) const;
    [[nodiscard]] RecordKind kind(std::size_t record) const;
    /// The text from the record's header to the next header.
    [[nodiscard]] std::string_view region(std::size_t record, std::string_view text) const;

    [[nodiscard]] const CompileTree& tree() const { return m_tree; }
    [[nodiscard]] const StringTable& strings() const { return m_strings; }
    [[nodiscard]] const std::vector<LogProblem>& problems() const {
        return m_withTail.empty() ? m_problems.listed : m_withTail;
    }
    [[nodiscard]] const LogTotals& totals() const { return m_totals; }
    [[nodiscard]] std::optional<std::int32_t> rank() const { return m_rank; }
    /// The byte offset at which reading continues when the file has grown.
    [[nodiscard]] std::uint64_t resumeOffset() const { return m_end; }
    /// Number of complete lines.
    [[nodiscard]] std::uint64_t lineCount() const { return m_lineCount; }
    [[nodiscard]] bool endsInsideLine() const { return m_endsInsideLine; }

    void addProblem(LogProblem problem) { m_problems.add(std::move(problem)); }
    void verifyPayloads(std::string_view text, const base::Progress& progress);

private:
    /// What a name says of its records, and how many there are.
    struct KnownName {
        RecordName name;
        RecordKind kind = RecordKind::Other;
        CompileMarks marks = 0;
        RecordRole role = RecordRole::Part;
        std::uint64_t count = 0;
    };
    /// A payload for the compile tree whose record is not complete yet.
    struct Note {
        std::uint32_t record = 0;
        CompileMarks marks = 0;
    };

    /// The ids of records of one piece, and the row of the last such record.
    struct Owner {
        RecordOwner ids;
        std::optional<std::uint32_t> compile;
        CompileIndex row;
        std::uint32_t repetition = 0;
    };

    void joinLeading(const ScannedPiece& piece);
    std::vector<std::uint16_t> joinNames(const std::vector<RecordName>& names);
    std::vector<Owner> joinOwners(const std::vector<RecordOwner>& owners);
    CompileIndex place(Owner& owner, std::uint16_t name, std::uint32_t record);
    void move(const CompileRepetitions::Move& move);
    void settleBackward(std::uint32_t record, std::string_view text);
    /// By the number that m_nameNumbers has.
    [[nodiscard]] const KnownName& known(std::uint16_t number) const;
    [[nodiscard]] CompileMarks marksOfRecords(CompileIndex row) const;
    [[nodiscard]] std::string payload(std::size_t record, std::string_view text) const;
    [[nodiscard]] LogProblem problemOf(std::size_t record, std::string code, std::string message) const;
    /// Notes the problem of the last record.
    void blameLast(std::string code, std::string message);
    void checkOwnRank(const RecordOwner& owner);
    void joinFact(ScannedPiece::Fact&& fact, std::size_t firstRecord);
    void joinProblems(ScannedPiece& piece, std::size_t firstRecord);
    void closeRecord(std::size_t record);
    [[nodiscard]] std::optional<LogProblem> payloadProblem(std::size_t record) const;
    [[nodiscard]] std::vector<LogProblem> tailProblems(std::string_view text) const;
    void takeNote(const Note& note, std::string_view text);
    void takeNotes(std::string_view text);
    void countRecords(std::size_t tailProblems);

    PagedColumn<std::uint64_t> m_offsets;
    PagedColumn<std::uint32_t> m_lines;
    PagedColumn<std::uint32_t> m_compiles;
    PagedColumn<std::uint16_t> m_nameNumbers;
    PagedColumn<std::uint8_t> m_flags;

    std::vector<KnownName> m_names;
    std::unordered_map<RecordName, std::uint16_t, RecordNameHash> m_nameOf;

    CompileTree m_tree;
    CompileRepetitions m_repetitions;
    /// CompileRepetitions::compileOf of the last record; nothing: it has no ids.
    std::optional<std::uint32_t> m_lastCompile;
    StringTable m_strings;
    std::vector<Note> m_notes;
    ProblemList m_problems;
    /// `m_problems` and the problems at the end of the file, which may still change; empty: no such problems.
    std::vector<LogProblem> m_withTail;
    LogTotals m_totals;
    std::uint64_t m_payloads = 0;
    std::uint64_t m_lineCount = 0;
    std::optional<std::int32_t> m_rank;
    std::uint64_t m_end = 0;
    std::optional<LogProblem> m_unfinished;
    bool m_unfinishedPayload = false;
    bool m_endsInsideLine = false;
};

} // namespace aotscope::load
