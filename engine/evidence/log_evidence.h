#pragma once

#include "evidence/global_state.h"

#include "load/trace_log.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a log tells of a compile before AOTAutograd answers: all that compiling it again may look at.
namespace aotscope::evidence {

/// What compiling again may learn from a record.
enum class EvidenceUse : std::uint8_t {
    /// Nothing: AOTAutograd wrote it, or what came after it.
    None,
    /// That it is there: a backend leaves records of its own, and they name it.
    Presence,
    /// What it says: Dynamo wrote it, or it describes the process (versions, configuration).
    Content,
};

/// Decided by the record's kind, and of an artifact by its name: a kind that this program does not know says
/// nothing. Descriptions of tensors and symbols count by kind here; AOTAutograd writes such records too, and
/// LogEvidence leaves those out by their place.
[[nodiscard]] EvidenceUse evidenceUse(const load::TraceLog& log, load::RecordId record);

/// A log as if AOTAutograd had not run: one Dynamo graph of it, with the records that may be used. Whoever
/// makes a request to compile again is handed this, not the log.
class LogEvidence {
public:
    LogEvidence(load::TraceLogPtr log, load::CompileIndex compile, load::RecordId graph);

    [[nodiscard]] load::RecordId graph() const { return m_graph; }
    /// What Dynamo wrote on its way to the graph, which is the last of it: the only place where descriptions
    /// of tensors, symbols and guards are taken from.
    [[nodiscard]] std::span<const load::RecordId> before() const { return m_before; }
    /// What came after the graph, without such descriptions.
    [[nodiscard]] std::span<const load::RecordId> after() const { return m_after; }
    /// The same compile tried again: its `graph` is invalid, and all its records are in `after`. Nothing: it
    /// was not.
    [[nodiscard]] std::optional<LogEvidence> nextAttempt() const;

    [[nodiscard]] load::RecordKind kind(load::RecordId record) const { return m_log->kind(record); }
    [[nodiscard]] std::string kindName(load::RecordId record) const { return m_log->kindName(record); }
    [[nodiscard]] std::string artifactName(load::RecordId record) const {
        return m_log->artifactName(record);
    }
    /// Empty of a record whose content may not be used.
    [[nodiscard]] std::string envelope(load::RecordId record) const;
    [[nodiscard]] std::string payload(load::RecordId record) const;

    /// What held when the function was compiled, as the guard on the global state (`___check_global_state`)
    /// of this attempt or of the next that has one tells; nothing: none tells.
    [[nodiscard]] std::optional<GlobalState> globalState() const;

    // As the log's functions of these names, of the records in `before`.

    [[nodiscard]] std::vector<load::InputTensor> inputTensors() const;
    [[nodiscard]] std::vector<load::InputTensor> describedTensors() const;
    [[nodiscard]] std::vector<load::TraceLog::LoggedSymbol> loggedSymbols() const;
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> symbolValues() const;

private:
    LogEvidence(load::TraceLogPtr log, load::CompileIndex compile);
    void addAfter(std::span<const load::RecordId> records);

    load::TraceLogPtr m_log;
    load::CompileIndex m_compile;
    load::RecordId m_graph;
    std::vector<load::RecordId> m_before;
    std::vector<load::RecordId> m_after;
};

} // namespace aotscope::evidence
