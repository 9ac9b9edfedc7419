#pragma once

#include "fake/shape_environment.h"
#include "trace/graph_recorder.h"
#include "trace/program_position.h"

#include "aot/compile.h"
#include "contract/trace_pause.h"

#include <chrono>
#include <exception>

namespace aotscope::torch {

/// Thrown to restart the trace with the pauser's facts.
struct TraceRestart : std::exception {};

/// Compile-time breakpoints: decides before each recorded node and at each guard whether the trace pauses,
/// reports the state there, and carries out the person's answer.
///
/// A fact changes what was already traced, so the trace restarts with it and runs without pauses to the place
/// where the person added the fact.
class TracePauser {
public:
    explicit TracePauser(const session::TracePauses& pauses)
        : m_onPause(pauses.onPause), m_breakpoints(pauses.breakpoints), m_atStart(pauses.atStart) {}

    /// Called when a trace begins. Both arguments must outlive the trace.
    void begin(ShapeEnvironment& environment, const ProgramPosition& position);
    /// atStage and beforeNode throw TraceRestart, or Canceled when the person aborts.
    void atStage(const aot::Action& action);
    void beforeNode(const GraphRecorder& recorder, const ir::Node& node);
    /// Does not throw: the answer takes effect before the next node.
    void guardAdded(const aot::RetraceGuard& guard);
    /// Like guardAdded, for a guard that the trace starts with because an earlier attempt found it.
    void guardFound(const std::string& expression);

    [[nodiscard]] const std::vector<std::string>& facts() const { return m_facts; }
    [[nodiscard]] std::chrono::nanoseconds waited() const { return m_waited; }

private:
    /// A position that can be found again after a restart: nodes of the program entered, and nodes recorded
    /// since. Symbolic arithmetic is not counted, because it may differ between traces of one program.
    struct Place {
        std::uint64_t entered = 0;
        std::uint64_t recorded = 0;
        friend auto operator<=>(const Place&, const Place&) = default; // NOLINT
    };
    /// The position at which a step began.
    struct AdvanceStart {
        session::PauseAnswer::Kind kind = session::PauseAnswer::Kind::NextOperator;
        std::uint64_t entered = 0;
        std::optional<std::int64_t> gradSequenceNumber;
        ir::SourceLocation line;
    };
    enum class Unwind : std::uint8_t { No, Restart, Abort };

    void atGuard(std::string reason);
    void advance();
    void throwIfUnwinding() const;
    [[nodiscard]] std::optional<std::string> reasonAt(const GraphRecorder& recorder, const ir::Node& node);
    [[nodiscard]] bool stepEnds(const GraphRecorder& recorder) const;
    [[nodiscard]] bool breaksAt(const session::Breakpoint& breakpoint, const GraphRecorder& recorder,
                                const ir::Node& node) const;
    [[nodiscard]] ir::SourceLocation line() const;
    void pause(std::string reason, const GraphRecorder* recorder, const ir::Node* node);
    [[nodiscard]] session::TracePause describe(const GraphRecorder* recorder, const ir::Node* node) const;
    void obey(const session::PauseAnswer& answer, const GraphRecorder* recorder);
    [[nodiscard]] base::Result<void> take(const std::string& fact);

    std::function<session::PauseAnswer(session::TracePause)> m_onPause;
    std::vector<session::Breakpoint> m_breakpoints;
    bool m_atStart = false;
    std::vector<std::string> m_facts;
    std::chrono::nanoseconds m_waited{0};

    ShapeEnvironment* m_environment = nullptr;
    const ProgramPosition* m_position = nullptr;
    Place m_place;
    /// The place to pause at after a restart; no pauses before it.
    std::optional<Place> m_returnTo;
    std::optional<AdvanceStart> m_step;
    Unwind m_unwind = Unwind::No;
    /// The state before the last recorded node.
    ir::SourceLocation m_lastLine;
    std::string m_lastNode;
    std::size_t m_lastSize = 0;
};

} // namespace aotscope::torch
