#pragma once

#include "steps/call_record.h"

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Stepping through a call of a compiled function, forward and back in time: where it stands, and what a
/// person can ask for next.
namespace aotscope::steps {

/// Where a call is to pause. A person writes it as text:
///
///   wrapper:AOTDedupeWrapper   before a wrapper's entry
///   node:mm_1                  before the node of that name, in the forward or backward graph
///   op:mm                      before each call of an operator: `mm`, `aten.mm`, `aten.mm.default`
///   model.py:41                before the first node that comes from this source line
///   nan, inf                   after the first node whose result has a NaN, or an infinity
///   above:1e4                  after the first node whose result has a magnitude above the number
///   shape                      after the first node whose result has other sizes than the graph says
///   mutated:arg 2              after the event that writes to that argument of the caller
///   memory:64MB                after the first node at which more bytes are alive
struct StepBreakpoint {
    enum class Kind : std::uint8_t {
        Wrapper,
        Node,
        Operator,
        Line,
        NaN,
        Infinity,
        Above,
        Shape,
        Mutated,
        Memory
    };
    Kind kind = Kind::NaN;
    /// Wrapper, node, operator, file or argument.
    std::string text = {};
    /// A line, or the number of `above` and `memory` (in bytes).
    double number = 0;

    /// Errors: step.breakpoint, which lists the valid forms.
    [[nodiscard]] static base::Result<StepBreakpoint> parse(std::string_view text);
    /// The text form; parses back to the same breakpoint.
    [[nodiscard]] std::string toText() const;
    friend bool operator==(const StepBreakpoint&, const StepBreakpoint&) = default;
};

/// Statistics and a sample of one tensor at the current point.
struct ValueDetails {
    ValueState state;
    std::optional<double> minimum;
    std::optional<double> mean;
    std::optional<double> maximum;
    std::int64_t nanCount = 0;
    std::int64_t infCount = 0;
    /// Counts of finite elements in equal steps from minimum to maximum.
    std::vector<std::uint64_t> histogram;
};

/// A call that stands still before event `next`.
struct StepPause {
    /// Unique number of the pause; an answer names it.
    std::uint64_t number = 0;
    /// "breakpoint op:mm", "step", "back"
    std::string reason;
    /// All events of the call, as far as they are known: those behind `next` are known once they have run.
    CallRecordPtr record;
    /// Index of the event that runs next; record->events.size(): the call has ended.
    std::size_t next = 0;
    /// The values that are alive here: arguments and results around it, and the nodes' results, by name.
    std::vector<ValueDetails> values;
    /// Bytes kept for going back, and the bound.
    std::int64_t checkpointBytes = 0;
    std::int64_t checkpointLimit = 0;
    /// Why the last request could not be followed; empty: it was.
    std::string refused;
};
using StepPausePtr = std::shared_ptr<const StepPause>;

/// What to do at a pause.
struct StepAnswer {
    enum class Kind : std::uint8_t {
        /// To the next event, into wrappers.
        Into,
        /// To the next event at the same depth or outside.
        Over,
        /// To the exit of the wrapper around this event.
        Out,
        /// The same, back in time.
        BackInto,
        BackOver,
        BackOut,
        /// To event `event`, forward or back.
        RunTo,
        /// To the next breakpoint, or the end.
        Resume,
        /// To the breakpoint before, or the start.
        ResumeBack,
        /// End the call; the command ends with Canceled.
        Abort,
    };
    Kind kind = Kind::Into;
    std::size_t event = 0;
    /// Replaces the breakpoints; nothing: they stay.
    std::optional<std::vector<StepBreakpoint>> breakpoints = {};
};

/// How a call pauses. Without `onPause` it never does, at no cost.
struct StepPauses {
    std::vector<StepBreakpoint> breakpoints;
    /// Pause before the first event.
    bool atStart = false;
    /// Pause at the end too, so that a person can go back.
    bool atEnd = false;
    /// Called on the calling thread, which continues with the returned answer.
    std::function<StepAnswer(StepPause)> onPause;

    [[nodiscard]] bool wanted() const { return onPause && (atStart || atEnd || !breakpoints.empty()); }
};

} // namespace aotscope::steps
