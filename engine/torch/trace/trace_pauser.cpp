#include "trace/trace_pauser.h"

#include "dispatch/failure.h"
#include "run/execution/executor.h"

#include "ir/graph_builder.h"
#include "ir/text/printer.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace aotscope::torch {

using session::Breakpoint;
using session::PauseAnswer;

namespace {

bool isBackward(const GraphRecorder& recorder) {
    const ir::PartitionerTag tag = recorder.state().partitionerTag;
    return tag == ir::PartitionerTag::Backward || tag == ir::PartitionerTag::MustBeInBackward;
}

/// The text of a node that is not in the graph yet.
std::string callOf(const ir::GraphContents& graph, const ir::Node& node) {
    if (node.op == ir::Opcode::Output) {
        return "return";
    }
    ir::GraphBuilder with(graph);
    const ir::NodeId id = with.append(ir::Node(node));
    return ir::callText(*with.finish(), id);
}

base::Error notTaken(const std::string& fact, std::string why, std::string hint) {
    return {.code = "trace.fact", .message = "\"" + fact + "\" " + std::move(why), .hint = std::move(hint)};
}

std::string hintsText(const ir::SymbolBindings& hints) {
    std::string text;
    for (const auto& [name, value] : hints) {
        text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    }
    return text;
}

/// Checks a fact that the user states for a trace whose symbols have these hints. It must be a relation of
/// known symbols that holds for the hints, because the trace takes the branches of the hints. Errors:
/// trace.fact.
base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints) {
    if (hints.empty()) {
        return notTaken(fact, "cannot apply: this trace has no symbols, every size is a number.", {});
    }
    const ir::SymExpr expression(fact);
    const std::vector<std::string> symbols = expression.symbols();
    for (const std::string& name : symbols) {
        if (!hints.contains(name)) {
            return notTaken(fact, "names " + name + ", which is not a symbol of this trace.",
                            "The symbols are " + hintsText(hints) + ".");
        }
    }
    const auto value = expression.evaluate(hints);
    if (!value) {
        return notTaken(fact, "cannot be read: " + value.error().message,
                        "Write a relation between symbols, such as Eq(s0, 8) or s0 >= 2.");
    }
    const bool* holds = std::get_if<bool>(&*value);
    if (holds == nullptr || symbols.empty()) {
        return notTaken(fact, "is not a relation between symbols.",
                        "Write a relation, such as Eq(s0, 8) or s0 >= 2.");
    }
    if (!*holds) {
        return notTaken(fact, "does not hold for the sizes in the log: " + hintsText(hints) + ".",
                        "The trace follows these sizes: write a relation that holds for them.");
    }
    return {};
}

} // namespace

void TracePauser::begin(ShapeEnvironment& environment, const ProgramPosition& position) {
    m_environment = &environment;
    m_position = &position;
    m_place = {};
    m_unwind = Unwind::No;
    m_lastLine = {};
    m_lastNode.clear();
    m_lastSize = 0;
}

ir::SourceLocation TracePauser::line() const {
    const ir::SourceLocation* source = m_position->source();
    return source == nullptr ? ir::SourceLocation{} : *source;
}

void TracePauser::advance() {
    if (m_place.entered != m_position->entered()) {
        m_place = {m_position->entered(), 0};
    }
    ++m_place.recorded;
}

void TracePauser::throwIfUnwinding() const {
    if (m_unwind == Unwind::Restart) {
        throw TraceRestart{};
    }
    if (m_unwind == Unwind::Abort) {
        throw Canceled{};
    }
}

void TracePauser::beforeNode(const GraphRecorder& recorder, const ir::Node& node) {
    throwIfUnwinding();
    advance();
    if (auto reason = reasonAt(recorder, node)) {
        pause(*std::move(reason), &recorder, &node);
        throwIfUnwinding();
    }
    m_lastLine = line();
    m_lastNode = node.name;
    m_lastSize = recorder.size();
}

void TracePauser::atStage(const aot::Action& action) {
    // Before the metadata stage there is no state to show.
    if (action.after != nullptr || action.stage == aot::StageKind::Metadata || m_returnTo) {
        return;
    }
    throwIfUnwinding();
    const auto found = std::ranges::find_if(m_breakpoints, [&](const Breakpoint& breakpoint) {
        return breakpoint.kind == Breakpoint::Kind::Stage && breakpoint.text == base::wordOf(action.stage);
    });
    if (found != m_breakpoints.end()) {
        pause("breakpoint " + found->toText(), nullptr, nullptr);
        throwIfUnwinding();
    }
}

void TracePauser::guardAdded(const aot::RetraceGuard& guard) {
    atGuard("guard " + guard.expression.text() + " added");
}

void TracePauser::guardFound(const std::string& expression) {
    atGuard("guard " + expression + " found by the previous attempt");
}

void TracePauser::atGuard(std::string reason) {
    const bool wanted = std::ranges::any_of(m_breakpoints, [](const Breakpoint& breakpoint) {
        return breakpoint.kind == Breakpoint::Kind::Guard;
    });
    if (!wanted || m_unwind != Unwind::No) {
        return;
    }
    const Place here = m_place.entered == m_position->entered() ? m_place : Place{m_position->entered(), 0};
    if (m_returnTo && here < *m_returnTo) {
        return;
    }
    m_place = here;
    m_returnTo.reset();
    pause(std::move(reason), nullptr, nullptr);
}

std::optional<std::string> TracePauser::reasonAt(const GraphRecorder& recorder, const ir::Node& node) {
    if (m_returnTo) {
        if (m_place < *m_returnTo) {
            return std::nullopt;
        }
        m_returnTo.reset();
        return "fact " + m_facts.back() + " taken";
    }
    if (m_atStart) {
        m_atStart = false;
        return "start";
    }
    const auto found = std::ranges::find_if(
        m_breakpoints, [&](const Breakpoint& breakpoint) { return breaksAt(breakpoint, recorder, node); });
    if (found != m_breakpoints.end()) {
        return "breakpoint " + found->toText();
    }
    return stepEnds(recorder) ? std::optional<std::string>("step") : std::nullopt;
}

bool TracePauser::stepEnds(const GraphRecorder& recorder) const {
    if (!m_step) {
        return false;
    }
    switch (m_step->kind) {
    case PauseAnswer::Kind::NextProgramNode:
        return m_step->entered != m_position->entered() ||
               m_step->gradSequenceNumber != recorder.state().gradSequenceNumber;
    case PauseAnswer::Kind::NextLine: {
        const ir::SourceLocation now = line();
        return now.file != m_step->line.file || now.line != m_step->line.line;
    }
    default:
        return true;
    }
}

bool TracePauser::breaksAt(const Breakpoint& breakpoint, const GraphRecorder& recorder,
                           const ir::Node& node) const {
    switch (breakpoint.kind) {
    case Breakpoint::Kind::Line: {
        const ir::SourceLocation now = line();
        return breakpoint.isAt(now) && (now.file != m_lastLine.file || now.line != m_lastLine.line);
    }
    case Breakpoint::Kind::Operator:
        return breakpoint.isOperator(node.target);
    case Breakpoint::Kind::Node: {
        // Symbolic arithmetic is recorded just before the node that needs it, without a call of beforeNode.
        const auto recorded = recorder.graph().order().subspan(std::min(m_lastSize, recorder.size()));
        return node.name == breakpoint.text || std::ranges::any_of(recorded, [&](ir::NodeId id) {
                   const std::string& name = recorder.graph().node(id).name;
                   return name == breakpoint.text && name != m_lastNode &&
                          recorder.graph().node(id).op != ir::Opcode::Placeholder;
               });
    }
    case Breakpoint::Kind::ProgramNode:
        return !isBackward(recorder) && m_position->node() != nullptr && m_place.recorded == 1 &&
               m_position->node()->name == breakpoint.text;
    case Breakpoint::Kind::Guard:
    case Breakpoint::Kind::Stage:
        return false;
    }
    return false;
}

session::TracePause TracePauser::describe(const GraphRecorder* recorder, const ir::Node* node) const {
    session::TracePause pause;
    pause.phase = recorder == nullptr     ? session::TracePhase::Metadata
                  : isBackward(*recorder) ? session::TracePhase::Backward
                                          : session::TracePhase::Forward;
    if (recorder != nullptr) {
        pause.graph = ir::GraphBuilder(recorder->graph()).finish();
    }
    if (node != nullptr) {
        pause.node = node->name;
        pause.target = node->target;
        pause.call = callOf(recorder->graph(), *node);
    }
    if (pause.phase != session::TracePhase::Backward && m_position->node() != nullptr) {
        pause.programNode = m_position->node()->name;
    }
    if (const ir::SourceLocation* source = m_position->source()) {
        pause.source = *source;
    }
    for (const auto& [name, hint] : m_environment->bindings(0)) {
        pause.symbols.push_back({name, hint, m_environment->replacementOf(name)});
    }
    pause.guards = m_environment->guards();
    return pause;
}

void TracePauser::pause(std::string reason, const GraphRecorder* recorder, const ir::Node* node) {
    const auto start = std::chrono::steady_clock::now();
    m_step.reset();
    session::TracePause described = describe(recorder, node);
    described.reason = std::move(reason);
    for (;;) {
        PauseAnswer answer = m_onPause(described);
        if (answer.breakpoints) {
            m_breakpoints = *std::move(answer.breakpoints);
        }
        if (answer.kind != PauseAnswer::Kind::AddFact) {
            obey(answer, recorder);
            break;
        }
        const base::Result<void> taken = take(answer.fact);
        if (taken) {
            break;
        }
        described.refused = taken.error().text();
    }
    m_waited += std::chrono::steady_clock::now() - start;
}

void TracePauser::obey(const PauseAnswer& answer, const GraphRecorder* recorder) {
    if (answer.kind == PauseAnswer::Kind::Abort) {
        m_unwind = Unwind::Abort;
    } else if (answer.kind != PauseAnswer::Kind::Resume) {
        m_step =
            AdvanceStart{answer.kind, m_position->entered(),
                         recorder == nullptr ? std::nullopt : recorder->state().gradSequenceNumber, line()};
    }
}

base::Result<void> TracePauser::take(const std::string& fact) {
    AOTSCOPE_CHECK(checkFact(fact, m_environment->bindings(0)));
    m_facts.push_back(fact);
    m_returnTo = m_place;
    m_unwind = Unwind::Restart;
    return {};
}

} // namespace aotscope::torch
