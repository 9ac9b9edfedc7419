#pragma once

#include "aot/retrace_guard.h"
#include "session/breakpoint.h"
#include "session/snapshots.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// A trace that stands still: what is known at that moment, and what a person may answer.
namespace aotscope::session {

/// Which part of AOTAutograd's work is under way.
enum class TracePhase : std::uint8_t {
    /// The program is run once, recording nothing, to see what it mutates and what its outputs alias.
    Metadata,
    Forward,
    Backward
};
/// "metadata", "forward", "backward"
[[nodiscard]] std::string_view tracePhaseName(TracePhase phase);

/// A symbol as the trace sees it.
struct TraceSymbol {
    std::string name;
    /// Its value in the log.
    std::int64_t hint = 0;
    /// What a fact put in its place ("8", "s0"); empty: nothing.
    std::string replacedBy;
};

/// The world at a pause.
struct TracePause {
    /// Of this pause; answers name it, so that none is taken for another.
    std::uint64_t number = 0;
    /// "breakpoint op:mm", "step", "guard s0 < 10 added"
    std::string reason;
    TracePhase phase = TracePhase::Forward;
    /// The compile that is traced ("0/0").
    std::string name;
    /// What is recorded so far, without an output; null in the metadata pass, which records nothing. Its
    /// reference can be loaded like any graph's.
    GraphSnapshotPtr partial;
    /// The graph alone, as the engine gives it.
    ir::GraphPtr graph;
    /// The node that is recorded next ("mm_1"), and its call ("torch.ops.aten.mm.default(t, view)"); empty in
    /// the metadata pass.
    std::string node;
    std::string call;
    std::string target;
    /// The program's node that is being run; empty: none, as in the backward.
    std::string programNode;
    /// The line it comes from.
    std::optional<ir::SourceLocation> source;
    std::vector<TraceSymbol> symbols;
    std::vector<aot::RetraceGuard> guards;
    /// Why the fact given last was not taken; empty: it was, or none was given.
    std::string refused;
};
using TracePausePtr = std::shared_ptr<const TracePause>;

/// What is to be done at a pause.
struct PauseAnswer {
    enum class Kind : std::uint8_t {
        /// To the next node that is recorded.
        NextOperator,
        /// To the first node of another node of the program.
        NextProgramNode,
        /// To the first node of another source line.
        NextLine,
        /// To the next breakpoint.
        Resume,
        /// End the trace; the command ends as canceled.
        Abort,
        /// Take `fact` for granted and pause here again. The trace is made anew up to here, so that all of
        /// it knows the fact.
        AddFact
    };
    Kind kind = Kind::Resume;
    /// A relation between symbols that holds for their hints: "Eq(s0, 8)", "s0 >= 2".
    std::string fact = {};
    /// The breakpoints from now on; nothing: as before.
    std::optional<std::vector<Breakpoint>> breakpoints = {};
};

/// How a trace pauses. Without `onPause` it does not, and costs nothing.
struct TracePauses {
    std::vector<Breakpoint> breakpoints;
    /// Before the first node.
    bool atStart = false;
    /// Called on the tracing thread, which waits for the answer.
    std::function<PauseAnswer(TracePause)> onPause;

    [[nodiscard]] bool wanted() const { return onPause && (atStart || !breakpoints.empty()); }
};

/// Where tracing threads wait and others answer: the answer to a pause cannot queue behind the command that
/// is paused. Thread-safe.
class OpenPauses {
public:
    /// Called by the tracing thread before it tells of a pause: its number, from 1, which no other pause of
    /// this object gets.
    [[nodiscard]] std::uint64_t open();
    /// Waits for the answer to that pause; Abort once `stop` is requested.
    [[nodiscard]] PauseAnswer wait(std::uint64_t number, const std::stop_token& stop);
    /// False when that pause is over, or has its answer.
    bool answer(std::uint64_t number, PauseAnswer answer);

private:
    std::mutex m_mutex;
    std::condition_variable_any m_answered;
    std::uint64_t m_last = 0;
    std::map<std::uint64_t, std::optional<PauseAnswer>> m_open;
};

} // namespace aotscope::session
