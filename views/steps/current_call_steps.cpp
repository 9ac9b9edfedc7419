// How CurrentCall moves the current point: in a paused call through the engine, in a recorded one by itself.
#include "steps/current_call.h"

#include "common/engine_client.h"
#include "common/log_list.h"
#include "common/selection_hub.h"
#include "common/shown_kernels.h"
#include "partition/current_partition.h"
#include "steps/event_tree.h"
#include "steps/step_controller.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

using steps::EventKind;
using steps::StepAnswer;

void CurrentCall::takePause(const steps::StepPausePtr& pause) {
    if (!m_called) {
        return;
    }
    m_open = pause;
    m_called->pause = pause;
    if (m_called == m_shown) {
        Q_EMIT callChanged();
    }
    Q_EMIT stateChanged();
    moveTo(*m_called, pause->next);
    if (m_wanted && !pause->refused.empty()) {
        m_wanted.reset(); // It would be refused again.
    }
    goToWanted();
}

/// Shows where a function's call stands.
void CurrentCall::moveTo(CalledFunction& function, std::size_t event) {
    function.event = event;
    selectNode(function);
    if (&function == m_shown) {
        Q_EMIT pointChanged();
    }
}

bool CurrentCall::canStep() const {
    return m_open || (m_shown && !isCallShown() && m_shown->record() && !m_shown->record()->events.empty());
}

void CurrentCall::step(StepAnswer::Kind kind, std::size_t event) {
    if (m_open) {
        m_wanted.reset();
        answer({kind, event, m_breakpoints});
    } else if (canStep()) {
        stepInRecord(*m_shown, kind, event);
    }
}

void CurrentCall::answer(StepAnswer answer) {
    const std::uint64_t number = m_open->number;
    answer.byFusedKernel = m_kernels->wanted();
    m_open = nullptr;
    Q_EMIT stateChanged();
    m_engine->answerStep(number, std::move(answer));
}

void CurrentCall::goTo(std::size_t event) {
    if (isCallShown()) {
        m_wanted = event;
        goToWanted();
    } else if (m_shown && m_shown->record()) {
        moveTo(*m_shown, std::min(event, m_shown->record()->events.size()));
    }
}

bool CurrentCall::stepping() const {
    return calling() && m_called && m_called->pause;
}

void CurrentCall::goToNode(const std::string& node) {
    const steps::CallRecordPtr record = m_shown ? m_shown->record() : nullptr;
    if (!record) {
        return;
    }
    std::optional<std::size_t> event = eventOfNode(*record, node, false, m_shown->event);
    event = event ? event : eventOfNode(*record, node, true, m_shown->event);
    if (event) {
        goTo(*event);
    } else if (m_open && isCallShown()) {
        std::vector<steps::StepBreakpoint> breakpoints = m_breakpoints;
        breakpoints.push_back({steps::StepBreakpoint::Kind::Node, node, 0});
        m_wanted.reset();
        answer({StepAnswer::Kind::Resume, 0, std::move(breakpoints)});
    }
}

/// One answer at a time; whatever is wanted by the time of the next pause is then the newest.
void CurrentCall::goToWanted() {
    if (!m_wanted || !m_open) {
        return;
    }
    const std::size_t event = *std::exchange(m_wanted, std::nullopt);
    if (event != m_open->next) {
        answer({StepAnswer::Kind::RunTo, event, m_breakpoints});
    }
}

/// What the same answer would do in a paused call, among events that have all happened.
void CurrentCall::stepInRecord(CalledFunction& function, StepAnswer::Kind kind, std::size_t event) {
    const steps::CallRecordPtr record = function.record();
    const std::vector<steps::EventFacts> facts = factsOf(function);
    const steps::KnownEvents known{record->events, facts, true};
    steps::StepPauses pauses;
    pauses.byFusedKernel = m_kernels->wanted();
    pauses.breakpoints = m_breakpoints;
    pauses.atEnd = true;
    steps::StepController controller(pauses);
    const steps::StepMove move = controller.follow({kind, event, std::nullopt}, function.event, known);
    using Move = steps::StepMove::Kind;
    if (move.kind == Move::Back) {
        moveTo(function, move.event);
    } else if (move.kind == Move::Forward) {
        std::size_t next = function.event + 1;
        while (next < record->events.size() && !controller.pauseAt(next, known)) {
            ++next;
        }
        moveTo(function, next);
    }
}

/// What steps need to know of a recorded call: the kernels of the half that is shown, as steps do not lead
/// from one half into a kernel of the other.
std::vector<steps::EventFacts> CurrentCall::factsOf(const CalledFunction& function) const {
    const std::vector<steps::CallEvent>& events = function.record()->events;
    std::vector<steps::EventFacts> facts(events.size());
    const session::KernelPlanSnapshotPtr& plan = m_kernels->plan();
    for (const EventKind half : {EventKind::ForwardNode, EventKind::BackwardNode}) {
        const auto first = std::ranges::find(events, half, &steps::CallEvent::kind);
        if (!plan || first == events.end() ||
            graphWith(function, first->title, first->backward) != plan->graph->reference) {
            continue;
        }
        for (std::size_t event = 0; event < events.size(); ++event) {
            const auto kernel = plan->kernelOf.find(events[event].title);
            if (events[event].kind == half && kernel != plan->kernelOf.end()) {
                facts[event].kernel = kernel->second;
            }
        }
    }
    return facts;
}

std::string CurrentCall::kernelAt(std::size_t event) const {
    const steps::CallRecordPtr record = m_shown ? m_shown->record() : nullptr;
    if (!m_kernels->wanted() || !record || event >= record->events.size()) {
        return {};
    }
    if (m_shown->pause && m_shown->pause->facts && event < m_shown->pause->facts->size()) {
        return (*m_shown->pause->facts)[event].kernel;
    }
    return m_shown->pause ? std::string() : factsOf(*m_shown)[event].kernel;
}

/// The half of the graph that runs at the current point. Of several that have the node, the one that the
/// other panels know best.
std::optional<session::ArtifactReference>
CurrentCall::graphWith(const CalledFunction& function, const std::string& node, bool backward) const {
    const auto& program = function.target.logged ? function.target.logged : function.target.program;
    if (!program) {
        return std::nullopt;
    }
    const session::PartitionSnapshotPtr& split = m_partition->snapshot();
    if (split) {
        const session::ArtifactReference& joint = split->joint->reference;
        const ir::GraphPtr half = backward ? split->function.backward() : split->function.forward();
        const bool isOfCompile =
            joint.log == program->log && joint.compile == program->compile && joint.rank == program->rank;
        if (isOfCompile && half && half->tryFind(node)) {
            return backward ? split->backward : split->forward;
        }
    }
    if (function.retraced) {
        for (const session::GraphSnapshotPtr& graph : {function.retraced->logged, function.retraced->made}) {
            if (graph && graph->graph && graph->graph->tryFind(node)) {
                return graph->reference;
            }
        }
    }
    return function.target.logged;
}

void CurrentCall::selectNode(const CalledFunction& function) {
    const steps::CallRecordPtr record = function.record();
    if (!record || function.event >= record->events.size()) {
        return;
    }
    const steps::CallEvent& event = record->events[function.event];
    if (event.kind != EventKind::ForwardNode && event.kind != EventKind::BackwardNode) {
        return;
    }
    if (const auto graph = graphWith(function, event.title, event.backward)) {
        m_selection->select({*graph, event.title}, this);
    }
}

void CurrentCall::setBreakpoints(std::vector<steps::StepBreakpoint> breakpoints) {
    if (breakpoints != m_breakpoints) {
        m_breakpoints = std::move(breakpoints);
        Q_EMIT breakpointsChanged();
    }
}

void CurrentCall::toggleBreakpoint(const steps::StepBreakpoint& breakpoint) {
    std::vector<steps::StepBreakpoint> all = m_breakpoints;
    if (std::erase(all, breakpoint) == 0) {
        all.push_back(breakpoint);
    }
    setBreakpoints(std::move(all));
}

bool CurrentCall::hasBreakpoint(const steps::StepBreakpoint& breakpoint) const {
    return std::ranges::find(m_breakpoints, breakpoint) != m_breakpoints.end();
}

std::optional<steps::StepBreakpoint> CurrentCall::breakpointAt(const steps::CallEvent& event) {
    using Kind = steps::StepBreakpoint::Kind;
    switch (event.kind) {
    case EventKind::WrapperEntry:
        return steps::StepBreakpoint{Kind::Wrapper, event.title, 0};
    case EventKind::ForwardNode:
    case EventKind::BackwardNode:
        return steps::StepBreakpoint{Kind::Node, event.title, 0};
    default:
        return std::nullopt;
    }
}

} // namespace aotscope::views
