#pragma once

#include "answer.h"

#include "steps/step_pause.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What the command `step` shows of a pause.
namespace aotscope::cli {

/// Where a call stands.
struct StepStand {
    std::size_t next = 0;
    /// Nothing: the end.
    std::optional<steps::CallEvent> event;
    /// The fused kernel that the event is a part of.
    std::string kernel;
    std::string reason;
    std::string refused;
    std::size_t knownEvents = 0;
    /// Their number.
    std::size_t values = 0;
    std::vector<std::size_t> checkpoints;
    std::int64_t checkpointBytes = 0;
    std::int64_t checkpointLimit = 0;
    std::uint64_t generator = 0;
    std::vector<std::string> notes;
};
AOTSCOPE_MEMBERS(StepStand, next, event, kernel, reason, refused, knownEvents, values, checkpoints,
                 checkpointBytes, checkpointLimit, generator, notes)

/// A wrapper around the current event, or that it enters, and what changed in it; nothing: not yet.
struct WrapperAround {
    std::string wrapper;
    bool backward = false;
    /// Their number.
    std::size_t arguments = 0;
    std::optional<std::vector<std::string>> passedOn = {};
    std::optional<std::vector<std::string>> returned = {};
    std::optional<std::vector<std::string>> argumentsAfter = {};
};
AOTSCOPE_MEMBERS(WrapperAround, wrapper, backward, arguments, passedOn, returned, argumentsAfter)

/// What a command at a pause shows.
using StepResult =
    std::variant<std::optional<steps::ValueDetails>, std::vector<steps::ValueDetails>,
                 std::vector<steps::CallEvent>, std::vector<WrapperAround>, std::string, base::Error>;

struct StepEntry {
    /// Empty: the start, or the end of the commands.
    std::string command;
    /// From the command to where the call stands.
    std::int64_t nanoseconds = 0;
    /// After a step; else `result`.
    std::optional<StepStand> stands = {};
    StepResult result = {};
};
AOTSCOPE_MEMBERS(StepEntry, command, nanoseconds, stands, result)

struct StepsAnswer {
    std::string function;
    std::vector<StepEntry> steps;
    /// Their number; nothing: the call was ended.
    std::optional<std::size_t> events;
    bool aborted = false;
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(StepsAnswer, function, steps, events, aborted, error)
AOTSCOPE_ANSWER(StepsAnswer, "aotscope.step/2")

/// Where a call stands: the event that runs next, the wrappers around it, why it paused, what is kept.
[[nodiscard]] std::string standText(const steps::StepPause& pause);
/// The events around the current one, which is marked.
[[nodiscard]] std::string eventsText(const steps::StepPause& pause);
/// The wrappers around the current event, outermost first, with what each did to its arguments so far.
[[nodiscard]] std::string wrapperStackText(const steps::StepPause& pause);
/// A table of all values that are alive.
[[nodiscard]] std::string valuesText(const steps::StepPause& pause);
/// All that is known of one value; where there is none of that name, which there are.
[[nodiscard]] std::string valueText(const steps::StepPause& pause, std::string_view name);

[[nodiscard]] StepStand standAnswer(const steps::StepPause& pause);
[[nodiscard]] std::vector<WrapperAround> wrapperStack(const steps::StepPause& pause);
/// Nothing: there is none of that name.
[[nodiscard]] std::optional<steps::ValueDetails> tryValue(const steps::StepPause& pause,
                                                          std::string_view name);

} // namespace aotscope::cli
