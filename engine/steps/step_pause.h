#pragma once

#include "steps/call_record.h"
#include "steps/step_breakpoint.h"

#include "base/describe.h"
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

/// A value at the current point, with statistics of its elements.
struct ValueDetails {
    ValueState state;
    /// Over the finite elements; nothing for a tensor without any, and for what is no tensor.
    std::optional<double> minimum;
    std::optional<double> mean;
    std::optional<double> maximum;
    std::int64_t nanCount = 0;
    std::int64_t infCount = 0;
    /// Counts of finite elements in equal steps from minimum to maximum. Only for results of the event before
    /// the current point and for what the next node reads; empty for others.
    std::vector<std::uint64_t> histogram;
    friend bool operator==(const ValueDetails&, const ValueDetails&) = default;
};
AOTSCOPE_MEMBERS(ValueDetails, state, minimum, mean, maximum, nanCount, infCount, histogram)

/// A call that stands still before event `next`.
struct StepPause {
    /// Unique number of the pause; an answer names it.
    std::uint64_t number = 0;
    /// "breakpoint op:mm", "step", "back", "the end"
    std::string reason;
    /// All events of the call, as far as they are known: those behind `next` are known once they have run.
    CallRecordPtr record;
    /// What breakpoints look at, of each of these events.
    std::shared_ptr<const std::vector<EventFacts>> facts;
    /// Index of the event that runs next; record->events.size(): the call has ended.
    std::size_t next = 0;
    /// The values that are alive here, by name: the caller's arguments, and the results of the nodes of the
    /// graph that is running. Tensors that `record` knows have its numbers; those of others hold in this
    /// pause.
    std::vector<ValueDetails> values;
    /// Hash of the random generator's state.
    std::uint64_t generator = 0;
    /// The events that can be reached without computing what comes before them in their graph.
    std::vector<std::size_t> checkpoints;
    /// Bytes kept for going back, and the bound.
    std::int64_t checkpointBytes = 0;
    std::int64_t checkpointLimit = 0;
    /// Why the last request could not be followed; empty: it was.
    std::string refused;
    /// What a person needs to judge the values: events that were not repeated exactly.
    std::vector<std::string> notes;
};
AOTSCOPE_MEMBERS(StepPause, number, reason, record, facts, next, values, generator, checkpoints,
                 checkpointBytes, checkpointLimit, refused, notes)
using StepPausePtr = std::shared_ptr<const StepPause>;

/// What to do at a pause.
struct StepAnswer {
    enum class Kind : std::uint8_t {
        /// To the next event, into wrappers and fused kernels.
        Into,
        /// To the next event at the same depth or outside: from a wrapper's entry to its exit, and by fused
        /// kernel from a kernel's first node to what follows it.
        Over,
        /// To the exit of the wrapper around this event; by fused kernel, from the midst of a kernel to what
        /// follows it.
        Out,
        /// The same, back in time: to the event before; to the one before at the same depth or outside; to
        /// the entry of the wrapper around this event, or the first node of the kernel.
        BackInto,
        BackOver,
        BackOut,
        /// To event `event`, forward or back, past all breakpoints.
        RunTo,
        /// To the next breakpoint, or the end. At the end: finish the command.
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
    /// Replaces StepPauses::byFusedKernel; nothing: it stays.
    std::optional<bool> byFusedKernel = {};

    /// As a person writes it: into, over, out, back, back-over, back-out, to 12, resume, resume-back, abort.
    /// Errors: step.command, which lists them.
    [[nodiscard]] static base::Result<StepAnswer> parse(std::string_view text);
};
AOTSCOPE_MEMBERS(StepAnswer, kind, event, breakpoints, byFusedKernel)
AOTSCOPE_WORDS(StepAnswer::Kind, "into", "over", "out", "back_into", "back_over", "back_out", "run_to",
               "resume", "resume_back", "abort")

/// How a call pauses. Without `onPause` it never does, at no cost.
struct StepPauses {
    std::vector<StepBreakpoint> breakpoints;
    /// Pause before the first event.
    bool atStart = false;
    /// Pause at the end too, so that a person can go back.
    bool atEnd = false;
    /// Most bytes to keep for going back, besides copies of the arguments that the call writes to.
    std::int64_t checkpointLimit = std::int64_t{1} << 30;
    /// Hash the elements of all values at each pause (ValueState::contents): a pass over all that is alive.
    bool contents = false;
    /// Steps take consecutive nodes of a fused kernel as one (EventFacts::kernel): over it, into it, out of
    /// it.
    bool byFusedKernel = false;
    /// Called on the calling thread, which continues with the returned answer.
    std::function<StepAnswer(StepPause)> onPause;

    [[nodiscard]] bool wanted() const { return onPause && (atStart || atEnd || !breakpoints.empty()); }
};
AOTSCOPE_MEMBERS(StepPauses, breakpoints, atStart, atEnd, checkpointLimit, contents, byFusedKernel, onPause)

} // namespace aotscope::steps
