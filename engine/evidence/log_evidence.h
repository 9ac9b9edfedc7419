#pragma once

#include "aot/global_state.h"

#include "load/trace_log.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::passes {
struct GuardedFunction;
} // namespace aotscope::passes

/// What a log contains of a compile before AOTAutograd's results. A re-trace may use nothing else, so that
/// comparing its graph with the log's is a fair test.
namespace aotscope::evidence {

/// How far a re-trace may use a record.
enum class EvidenceUse : std::uint8_t {
    /// Not at all: AOTAutograd, or something after it, wrote the record.
    None,
    /// Only its presence: a backend's records show which backend it is.
    Presence,
    /// Its content: Dynamo wrote it, or it describes the process (versions, configuration).
    Content,
};

/// Decided by the record's kind, for artifacts by name; unknown kinds may not be used. Descriptions of
/// tensors and symbols count as content here although AOTAutograd writes some too: LogEvidence excludes those
/// by their position.
[[nodiscard]] EvidenceUse evidenceUse(const load::TraceLog& log, load::RecordId record);

/// One Dynamo graph of a log with the records that a re-trace may use. Functions that make a re-trace request
/// take this instead of the log.
class LogEvidence {
public:
    LogEvidence(load::TraceLogPtr log, load::CompileIndex compile, load::RecordId graph);

    [[nodiscard]] load::RecordId graph() const { return m_graph; }
    /// Dynamo's records up to and including the graph: the only source for descriptions of tensors, symbols
    /// and guards.
    [[nodiscard]] std::span<const load::RecordId> before() const { return m_before; }
    /// Records after the graph, without such descriptions.
    [[nodiscard]] std::span<const load::RecordId> after() const { return m_after; }
    /// The next attempt at the same compile: its `graph` is invalid and all its records are in `after`.
    /// Nothing: there is none.
    [[nodiscard]] std::optional<LogEvidence> nextAttempt() const;

    [[nodiscard]] load::RecordKind kind(load::RecordId record) const { return m_log->kind(record); }
    [[nodiscard]] std::string kindName(load::RecordId record) const { return m_log->kindName(record); }
    [[nodiscard]] std::string artifactName(load::RecordId record) const {
        return m_log->artifactName(record);
    }
    /// Empty for a record whose content may not be used.
    [[nodiscard]] std::string envelope(load::RecordId record) const;
    [[nodiscard]] std::string payload(load::RecordId record) const;

    /// Global state while the function was compiled, from the guard `___check_global_state` of this attempt
    /// or the next one that has it; nothing: no attempt has it.
    [[nodiscard]] std::optional<aot::GlobalState> globalState() const;

    // Like the functions of the same names in load::TraceLog, for the records in `before`.

    [[nodiscard]] std::vector<load::InputTensor> inputTensors() const {
        return m_log->inputTensors(m_compile, m_graph);
    }
    [[nodiscard]] std::vector<load::InputTensor> describedTensors() const {
        return m_log->describedTensors(m_compile, m_graph);
    }
    [[nodiscard]] std::vector<load::TraceLog::LoggedSymbol> loggedSymbols() const {
        return m_log->loggedSymbols(m_compile, m_graph);
    }
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> symbolValues() const {
        return m_log->symbolValues(m_compile, m_graph);
    }

    /// All records of one attempt at a compile, with `graph` invalid and nothing in `before`.
    LogEvidence(load::TraceLogPtr log, load::CompileIndex compile);

private:
    void addAfter(std::span<const load::RecordId> records);

    load::TraceLogPtr m_log;
    load::CompileIndex m_compile;
    load::RecordId m_graph;
    std::vector<load::RecordId> m_before;
    std::vector<load::RecordId> m_after;
};

/// The state that a text of guards tells: the JSON after `___check_global_state` (torch 2.11 and 2.15;
/// GlobalStateGuard in torch/csrc/dynamo/guards.cpp), and inference mode from the keys of its tensors. A
/// member that is missing or malformed has PyTorch's default. Nothing: there is no such guard.
[[nodiscard]] std::optional<aot::GlobalState> guardedGlobalState(std::string_view guards);

/// LogEvidence::globalState of a compile. Nothing: no attempt at it tells, or there is no such compile.
[[nodiscard]] std::optional<aot::GlobalState>
compileState(const load::TraceLogPtr& log, const load::CompileId& compile, std::optional<std::int32_t> rank);

/// The classes derived from torch.autograd.Function among the first guards after a Dynamo graph, with the
/// line that applies each first. Dynamo guards their `forward` whether it records a call of the Function or
/// traces into it.
[[nodiscard]] std::vector<passes::GuardedFunction> guardedFunctions(const LogEvidence& evidence);

/// What Dynamo learned about a compile's symbols before it passed its graph to the backend. The records are
/// written by torch/fx/experimental/symbolic_shapes.py: ShapeEnv.
struct SymbolFacts {
    /// "s77 <= 25"
    std::vector<std::string> guards;
    /// Values of the symbols that stand for floats ("zf0").
    std::map<std::string, double> floats;
    /// Symbols for integer arguments of the program; they may have any sign.
    std::set<std::string> numbers;
    /// Number of unbacked symbols created for integers and floats ("u0", "zuf0").
    std::size_t unbackedNumbers = 0;
    std::size_t unbackedFloats = 0;
};

/// From the records of the same attempt before the graph.
[[nodiscard]] SymbolFacts loggedSymbolFacts(const LogEvidence& evidence);

} // namespace aotscope::evidence
