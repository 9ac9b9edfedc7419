#pragma once

#include "load/envelope.h"
#include "load/scan.h"
#include "load/string_table.h"
#include "load/trace_log.h"

#include <unordered_map>
#include <vector>

namespace aotscope::load {

/// What a record says about its compile by being there; a set of bits.
using CompileMarks = std::uint16_t;

[[nodiscard]] CompileMarks marksOf(const RecordName& name);
/// Whether the payload of such a record is part of the tree, and so is decoded while reading.
[[nodiscard]] bool isNote(CompileMarks marks);

/// The compiles of a log, as they grow record by record. Rows keep their places.
class CompileTree {
public:
    /// Row of these ids, made when they are new.
    CompileIndex rowOf(const RecordOwner& owner);
    void addRecord(CompileIndex row, RecordId record, CompileMarks marks) {
        m_compiles[row.index()].records.push_back(record);
        m_marks[row.index()] |= marks;
    }
    void addStart(CompileIndex row, const CompileStart& start, std::uint32_t record,
                  const StringTable& strings);
    void addMetrics(CompileIndex row, MetricsFacts&& facts, RecordId record);
    /// The text of a payload for which `isNote` holds.
    void addNote(CompileIndex row, CompileMarks marks, const std::string& payload);

    /// Derives each row's status from what was seen.
    /// `records`: how many there are, to tell a compile that goes on from one that ended without saying so.
    void conclude(std::size_t records);

    [[nodiscard]] const std::vector<Compile>& compiles() const { return m_compiles; }
    [[nodiscard]] std::optional<CompileIndex> tryFind(const CompileId& id,
                                                      std::optional<std::int32_t> rank) const;
    /// As TraceLog::tryNextAttempt.
    [[nodiscard]] std::optional<CompileIndex> tryNextAttempt(CompileIndex row) const;
    [[nodiscard]] const std::string& torchVersion() const { return m_torchVersion; }

private:
    struct Details {
        std::vector<std::string> restartReasons;
        std::string failure;
    };

    void concludeRow(std::size_t row, std::size_t records);
    void concludeRestarts();

    std::vector<Compile> m_compiles;
    std::vector<CompileMarks> m_marks;
    std::vector<RecordOwner> m_owners;
    /// Only of the rows that have some.
    std::unordered_map<std::uint32_t, Details> m_details;
    std::unordered_map<RecordOwner, std::uint32_t, RecordOwnerHash> m_rows;
    std::string m_torchVersion;
};

} // namespace aotscope::load
