#include "steps/step_controller.h"

#include <utility>

namespace aotscope::steps {

namespace {

using Answer = StepAnswer::Kind;
using Move = StepMove::Kind;

StepMove stay(std::string why) {
    return {.kind = Move::Stay, .refused = std::move(why)};
}

bool isBack(Answer kind) {
    return kind == Answer::BackInto || kind == Answer::BackOver || kind == Answer::BackOut ||
           kind == Answer::ResumeBack;
}

/// At the end of the call nothing is around.
std::size_t depthAt(std::size_t next, const KnownEvents& known) {
    return next < known.events.size() ? known.events[next].depth : 0;
}

/// The last event before `next` for which `wanted` holds.
template<typename Wanted>
std::optional<std::size_t> lastBefore(std::size_t next, Wanted&& wanted) {
    for (std::size_t event = next; event-- > 0;) {
        if (wanted(event)) {
            return event;
        }
    }
    return std::nullopt;
}

} // namespace

StepController::StepController(const StepPauses& pauses)
    : m_breakpoints(pauses.breakpoints),
      m_atEnd(pauses.atEnd),
      m_byFusedKernel(pauses.byFusedKernel),
      m_goal(pauses.atStart ? Goal{Goal::Kind::Event, 0, "the start"} : Goal{}) {}

bool StepController::isMet(std::size_t next, const KnownEvents& known) const {
    switch (m_goal.kind) {
    case Goal::Kind::Event:
        return next == m_goal.number;
    case Goal::Kind::Depth:
        return next < known.events.size() && known.events[next].depth <= m_goal.number;
    case Goal::Kind::Exit:
        return next < known.events.size() && known.events[next].kind == EventKind::WrapperExit &&
               known.events[next].depth < m_goal.number;
    case Goal::Kind::AfterKernel:
        return next < known.events.size() && kernelAt(next, known) != m_goal.kernel;
    case Goal::Kind::Nothing:
        break;
    }
    return false;
}

std::optional<std::string> StepController::pauseAt(std::size_t next, const KnownEvents& known) const {
    if (m_goal.stopsAtBreakpoints) {
        if (const auto* met = breakpointAt(m_breakpoints, next, known.events, known.facts)) {
            return "breakpoint " + met->toText();
        }
    }
    if (isMet(next, known)) {
        return m_goal.reason;
    }
    const bool ended = known.complete && next == known.events.size();
    return ended && m_atEnd ? std::optional<std::string>("the end") : std::nullopt;
}

std::optional<std::size_t> StepController::certainTarget() const {
    const bool certain = m_goal.kind == Goal::Kind::Event && !m_goal.stopsAtBreakpoints;
    return certain ? std::optional(m_goal.number) : std::nullopt;
}

StepMove StepController::follow(const StepAnswer& answer, std::size_t next, const KnownEvents& known) {
    if (answer.breakpoints) {
        m_breakpoints = *answer.breakpoints;
    }
    m_byFusedKernel = answer.byFusedKernel.value_or(m_byFusedKernel);
    if (answer.kind == Answer::Abort) {
        return {.kind = Move::Abort};
    }
    if (answer.kind == Answer::RunTo) {
        return runTo(answer.event, next, known);
    }
    return isBack(answer.kind) ? back(answer.kind, next, known) : forward(answer.kind, next, known);
}

StepMove StepController::forward(Answer kind, std::size_t next, const KnownEvents& known) {
    if (known.complete && next == known.events.size()) {
        return kind == Answer::Resume ? StepMove{.kind = Move::Finish}
                                      : stay("The call has ended: there is no next event.");
    }
    const std::string kernel = kernelAt(next, known);
    const auto afterKernel = [&](const char* how) {
        return Goal{Goal::Kind::AfterKernel, 0, how + kernel, true, kernel};
    };
    switch (kind) {
    case Answer::Over:
        m_goal = kernel.empty() || isInKernel(next, known)
                     ? Goal{Goal::Kind::Depth, depthAt(next, known), "over"}
                     : afterKernel("over ");
        break;
    case Answer::Out:
        m_goal = isInKernel(next, known) ? afterKernel("out of ")
                                         : Goal{Goal::Kind::Exit, depthAt(next, known), "out"};
        break;
    case Answer::Resume:
        m_goal = {};
        break;
    default:
        m_goal = {Goal::Kind::Event, next + 1, "step"};
        break;
    }
    return {.kind = Move::Forward};
}

/// The fused kernel that a step takes the event as a part of; empty: none.
std::string StepController::kernelAt(std::size_t event, const KnownEvents& known) const {
    return m_byFusedKernel && event < known.facts.size() ? known.facts[event].kernel : std::string();
}

/// Whether the event follows another one of its kernel. A call that stands before the kernel's first event
/// is outside.
bool StepController::isInKernel(std::size_t event, const KnownEvents& known) const {
    const std::string kernel = kernelAt(event, known);
    return !kernel.empty() && event > 0 && kernelAt(event - 1, known) == kernel;
}

std::size_t StepController::firstOfKernel(std::size_t event, const KnownEvents& known) const {
    while (isInKernel(event, known)) {
        --event;
    }
    return event;
}

StepMove StepController::goBack(std::size_t event, std::string reason) {
    m_goal = {Goal::Kind::Event, event, std::move(reason), false};
    return {.kind = Move::Back, .event = event};
}

StepMove StepController::back(Answer kind, std::size_t next, const KnownEvents& known) {
    if (next == 0) {
        return stay("This is the start of the call: there is no event before it.");
    }
    const std::size_t depth = depthAt(next, known);
    switch (kind) {
    case Answer::BackOver: {
        const auto found =
            lastBefore(next, [&](std::size_t event) { return known.events[event].depth <= depth; });
        const std::size_t first =
            isInKernel(next, known) ? found.value_or(0) : firstOfKernel(found.value_or(0), known);
        return goBack(first, "back over");
    }
    case Answer::BackOut: {
        if (isInKernel(next, known)) {
            return goBack(firstOfKernel(next, known), "back out");
        }
        const auto found = lastBefore(next, [&](std::size_t event) {
            return known.events[event].kind == EventKind::WrapperEntry && known.events[event].depth < depth;
        });
        return found ? goBack(*found, "back out") : goBack(0, "the start");
    }
    case Answer::ResumeBack: {
        const StepBreakpoint* met = nullptr;
        const auto found = lastBefore(next, [&](std::size_t event) {
            met = breakpointAt(m_breakpoints, event, known.events, known.facts);
            return met != nullptr;
        });
        return found ? goBack(*found, "breakpoint " + met->toText()) : goBack(0, "the start");
    }
    default:
        return goBack(next - 1, "back");
    }
}

StepMove StepController::runTo(std::size_t event, std::size_t next, const KnownEvents& known) {
    if (known.complete && event > known.events.size()) {
        return stay("The call has " + std::to_string(known.events.size()) + " events: there is no event " +
                    std::to_string(event) + ".");
    }
    if (event == next) {
        return stay("The call stands before event " + std::to_string(event) + " already.");
    }
    if (event < next) {
        return goBack(event, "event " + std::to_string(event));
    }
    m_goal = {Goal::Kind::Event, event, "event " + std::to_string(event), false};
    return {.kind = Move::Forward};
}

} // namespace aotscope::steps
