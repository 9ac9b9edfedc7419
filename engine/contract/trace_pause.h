#pragma once

#include "aot/retrace_guard.h"
#include "contract/breakpoint.h"
#include "contract/snapshots.h"

#include "base/describe.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A paused trace: what is known at that moment, and what a person can answer.
namespace aotscope::session {

/// The part of AOTAutograd's work that is running.
enum class TracePhase : std::uint8_t {
    /// Runs the program once without recording, to see what it mutates and what its outputs alias.
    Metadata,
    Forward,
    Backward
};
AOTSCOPE_WORDS(TracePhase, "metadata", "forward", "backward")

/// A symbol as the trace sees it.
struct TraceSymbol {
    std::string name;
    /// Its example value in the log.
    std::int64_t hint = 0;
    /// What an added fact replaced it with ("8", "s0"); empty: nothing.
    std::string replacedBy;
};
AOTSCOPE_MEMBERS(TraceSymbol, name, hint, replacedBy)

/// The state of a trace at a pause.
struct TracePause {
    /// Unique number of the pause; an answer names it.
    std::uint64_t number = 0;
    /// "breakpoint op:mm", "step", "guard s0 < 10 added"
    std::string reason;
    TracePhase phase = TracePhase::Forward;
    /// The compile being traced ("0/0").
    std::string name;
    /// The graph so far, without an output; null in the metadata phase, which records nothing. Can be loaded
    /// by its reference like any graph.
    GraphSnapshotPtr partial;
    /// The same graph as the backend passes it, before it is described.
    ir::GraphPtr graph;
    /// The node to be recorded next ("mm_1"), and its call ("torch.ops.aten.mm.default(t, view)"); empty in
    /// the metadata phase.
    std::string node;
    std::string call;
    std::string target;
    /// The program's node being executed; empty if there is none, as in the backward.
    std::string programNode;
    /// The source line of that node.
    std::optional<ir::SourceLocation> source;
    std::vector<TraceSymbol> symbols;
    std::vector<aot::RetraceGuard> guards;
    /// Why the last added fact was refused; empty if it was accepted or none was added.
    std::string refused;
};
AOTSCOPE_MEMBERS(TracePause, number, reason, phase, name, partial, graph, node, call, target, programNode,
                 source, symbols, guards, refused)
using TracePausePtr = std::shared_ptr<const TracePause>;

/// What to do at a pause.
struct PauseAnswer {
    enum class Kind : std::uint8_t {
        /// Run to the next recorded node.
        NextOperator,
        /// Run to the first recorded node of another program node.
        NextProgramNode,
        /// Run to the first recorded node of another source line.
        NextLine,
        /// Run to the next breakpoint.
        Resume,
        /// End the trace; the command ends with Canceled.
        Abort,
        /// Assume `fact` and pause here again. The trace restarts and runs up to here, so that the fact holds
        /// for all of it.
        AddFact
    };
    Kind kind = Kind::Resume;
    /// A relation between symbols that holds for their hints: "Eq(s0, 8)", "s0 >= 2".
    std::string fact = {};
    /// Replaces the breakpoints; nothing: they stay.
    std::optional<std::vector<Breakpoint>> breakpoints = {};
};
AOTSCOPE_MEMBERS(PauseAnswer, kind, fact, breakpoints)
AOTSCOPE_WORDS(PauseAnswer::Kind, "next_operator", "next_program_node", "next_line", "resume", "abort",
               "add_fact")

/// How a trace pauses. Without `onPause` it never does, at no cost.
struct TracePauses {
    std::vector<Breakpoint> breakpoints;
    /// Pause before the first node.
    bool atStart = false;
    /// Called on the tracing thread, which continues with the returned answer.
    std::function<PauseAnswer(TracePause)> onPause;

    [[nodiscard]] bool wanted() const { return onPause && (atStart || !breakpoints.empty()); }
};
AOTSCOPE_MEMBERS(TracePauses, breakpoints, atStart, onPause)

} // namespace aotscope::session
