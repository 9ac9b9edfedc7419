#pragma once

#include "load/envelope.h"
#include "load/scan.h"
#include "load/string_table.h"
#include "load/trace_log.h"

#include <unordered_map>
#include <vector>

namespace aotscope::load {

/// What the presence of a record says about its compile; a set of bits.
using CompileMarks = std::uint32_t;

[[nodiscard]] CompileMarks marksOf(const RecordName& name);
/// Whether the tree shows the payload of such a record, so that it is decoded while reading.
[[nodiscard]] bool isNote(CompileMarks marks);

/// The compiles of a log, built record by record. A row's index never changes.
class CompileTree {
public:
    /// The row of these ids; a new one if there is none.
    CompileIndex rowOf(const RecordOwner& owner);
    /// The row of the same ids in another repetition.
    CompileIndex rowIn(CompileIndex row, std::uint32_t repetition);
    void addRecord(CompileIndex row, RecordId record, CompileMarks marks) {
        m_compiles[row.index()].records.push_back(record);
        m_marks[row.index()] |= marks;
    }
    /// Moves records that have no facts from one row to another, with their marks. The marks of the first
    /// row's records have to be set anew.
    void moveRecords(std::vector<RecordId> records, CompileIndex from, CompileIndex to, CompileMarks marks);
    void setMarks(CompileIndex row, CompileMarks marks) { m_marks[row.index()] = marks; }
    void addStart(CompileIndex row, const CompileStart& start, std::uint32_t record,
                  const StringTable& strings);
    void addMetrics(CompileIndex row, MetricsFacts&& facts, RecordId record);
    /// Adds a payload for which `isNote` holds.
    void addNote(CompileIndex row, CompileMarks marks, const std::string& payload);

    /// Derives each row's status; `records` is the number of records in the log.
    void conclude(std::size_t records);

    [[nodiscard]] const std::vector<Compile>& compiles() const { return m_compiles; }
    [[nodiscard]] std::optional<CompileIndex> tryFind(const CompileId& id,
                                                      std::optional<std::int32_t> rank) const;
    /// See TraceLog::tryNextAttempt.
    [[nodiscard]] std::optional<CompileIndex> tryNextAttempt(CompileIndex row) const;
    [[nodiscard]] const std::string& torchVersion() const { return m_torchVersion; }

private:
    struct Details {
        std::vector<std::string> restartReasons;
        std::string failure;
    };

    void concludeRow(std::size_t row, std::size_t records);
    [[nodiscard]] CompileStatus statusOf(const Compile& compile, CompileMarks marks,
                                         std::size_t records) const;
    void concludeRestarts();

    std::vector<Compile> m_compiles;
    /// Marks of each row's records, and of the facts in them.
    std::vector<CompileMarks> m_marks;
    std::vector<CompileMarks> m_factMarks;
    std::vector<RecordOwner> m_owners;
    /// Only for rows that have any.
    std::unordered_map<std::uint32_t, Details> m_details;
    std::unordered_map<RecordOwner, std::uint32_t, RecordOwnerHash> m_rows;
    std::string m_torchVersion;
};

} // namespace aotscope::load
