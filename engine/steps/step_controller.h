#pragma once

#include "steps/step_pause.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::steps {

/// The events that are known of a call, with the facts about them. Those before the current point have run;
/// later ones are known when the call went further before and came back.
struct KnownEvents {
    std::span<const CallEvent> events;
    std::span<const EventFacts> facts;
    /// Whether these are all events that the call has.
    bool complete = false;
};

/// What an answer to a pause means for the call.
struct StepMove {
    enum class Kind : std::uint8_t {
        /// Go on from here; StepController::pauseAt says where it ends.
        Forward,
        /// Restore the state before event `event`, which is an earlier one.
        Back,
        /// The answer cannot be followed: pause here again, with `refused`.
        Stay,
        /// The call has ended and nothing more is wanted.
        Finish,
        /// End the call now.
        Abort
    };
    Kind kind = Kind::Forward;
    std::size_t event = 0;
    std::string refused = {};
};

/// Decides where a call pauses, from answers and breakpoints alone: it knows nothing of tensors. The call
/// asks before each event, at the end, and after each answer.
class StepController {
public:
    explicit StepController(const StepPauses& pauses);

    /// Why the call pauses before event `next`; nothing: it continues. `next` may be the number of events:
    /// the end.
    [[nodiscard]] std::optional<std::string> pauseAt(std::size_t next, const KnownEvents& known) const;

    /// Follows the answer to a pause before event `next`.
    [[nodiscard]] StepMove follow(const StepAnswer& answer, std::size_t next, const KnownEvents& known);

    [[nodiscard]] const std::vector<StepBreakpoint>& breakpoints() const { return m_breakpoints; }

    /// The event at which the last answer ends the way forward, where that is certain; nothing: it depends
    /// on what happens.
    [[nodiscard]] std::optional<std::size_t> certainTarget() const;

private:
    /// What ends the way that the last answer began.
    struct Goal {
        enum class Kind : std::uint8_t {
            /// Only a breakpoint or the end.
            Nothing,
            /// That event.
            Event,
            /// The first event at that depth or outside.
            Depth,
            /// The first exit from a wrapper outside of that depth.
            Exit,
            /// The first event that is not of the kernel.
            AfterKernel
        };
        Kind kind = Kind::Nothing;
        std::size_t number = 0;
        std::string reason = {};
        bool stopsAtBreakpoints = true;
        std::string kernel = {};
    };
    [[nodiscard]] bool isMet(std::size_t next, const KnownEvents& known) const;
    [[nodiscard]] StepMove forward(StepAnswer::Kind kind, std::size_t next, const KnownEvents& known);
    [[nodiscard]] StepMove back(StepAnswer::Kind kind, std::size_t next, const KnownEvents& known);
    [[nodiscard]] StepMove runTo(std::size_t event, std::size_t next, const KnownEvents& known);
    [[nodiscard]] StepMove goBack(std::size_t event, std::string reason);
    [[nodiscard]] std::string kernelAt(std::size_t event, const KnownEvents& known) const;
    [[nodiscard]] bool isInKernel(std::size_t event, const KnownEvents& known) const;
    [[nodiscard]] std::size_t firstOfKernel(std::size_t event, const KnownEvents& known) const;

    std::vector<StepBreakpoint> m_breakpoints;
    bool m_atEnd;
    bool m_byFusedKernel;
    Goal m_goal;
};

} // namespace aotscope::steps
