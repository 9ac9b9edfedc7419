#include "trace_debugger.h"

#include "retrace_report.h"

#include <algorithm>
#include <array>

namespace aotscope::cli {

using session::PauseAnswer;

namespace {

constexpr std::string_view helpText = "n  to the next recorded node\n"
                                      "o  over: to the next node of the program\n"
                                      "s  step to the next source line\n"
                                      "c  continue to the next breakpoint\n"
                                      "p  print the graph so far\n"
                                      "v  values of the symbols, with the facts about them\n"
                                      "g  guards so far\n"
                                      "f RELATION  assume a fact: f Eq(s0, 8), f s0 >= 2\n"
                                      "b PLACE  pause there too: b model.py:41, b op:mm, b node:add_3, "
                                      "b program:linear, b guard\n"
                                      "q  end the trace\n"
                                      "An empty line repeats the last n, o or s.\n";

struct Step {
    std::string_view shortName;
    std::string_view name;
    PauseAnswer::Kind kind;
};
constexpr std::array<Step, 4> steps = {{{"n", "next", PauseAnswer::Kind::NextOperator},
                                        {"o", "over", PauseAnswer::Kind::NextProgramNode},
                                        {"s", "step", PauseAnswer::Kind::NextLine},
                                        {"c", "continue", PauseAnswer::Kind::Resume}}};

std::string_view lineOf(const ir::PrintedGraph& printed, int number) {
    std::size_t start = 0;
    for (int i = 0; i < number; ++i) {
        start = printed.text.find('\n', start) + 1;
    }
    std::string_view line = std::string_view(printed.text).substr(start);
    line = line.substr(0, line.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line;
}

/// The lines of the last recorded operators. Arithmetic on symbols is left out; `print` shows it.
std::string tailText(const session::GraphSnapshot& graph) {
    constexpr std::size_t shown = 5;
    std::vector<std::string_view> lines;
    const auto order = graph.graph->order();
    for (auto id = order.rbegin(); id != order.rend() && lines.size() < shown; ++id) {
        const ir::Node& node = graph.graph->node(*id);
        const int line = graph.printed.lineOfNode[id->index()];
        const bool isNumber = std::holds_alternative<ir::SymbolicMeta>(node.value);
        if (line >= 0 && node.op != ir::Opcode::Placeholder && !isNumber) {
            lines.push_back(lineOf(graph.printed, line));
        }
    }
    std::string text;
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        text += "     " + std::string(*line) + "\n";
    }
    return text;
}

std::string symbolsText(const session::TracePause& pause) {
    if (pause.symbols.empty()) {
        return "No symbols: every size is a number.\n";
    }
    std::string text;
    for (const session::TraceSymbol& symbol : pause.symbols) {
        text += symbol.name + " is " + std::to_string(symbol.hint) + " in the log";
        text += symbol.replacedBy.empty() ? "\n" : "; a fact replaces it with " + symbol.replacedBy + "\n";
    }
    return text;
}

} // namespace

void TraceDebugger::say(const std::string& text) {
    if (m_toMessages) {
        m_console.message(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text);
    } else {
        m_console.result(text);
    }
}

void TraceDebugger::show(const session::TracePause& pause) {
    std::string text = "Paused: " + pause.reason + " (" + std::string(base::wordOf(pause.phase)) +
                       (pause.phase == session::TracePhase::Metadata ? " pass of " : " of ") + pause.name +
                       (pause.graph ? ", " + std::to_string(pause.graph->size()) + " nodes so far)" : ")") +
                       "\n";
    if (pause.source) {
        text += "  " + placeText(*pause.source) + "\n";
    }
    if (!pause.programNode.empty()) {
        text += "  program node " + pause.programNode + "\n";
    }
    if (pause.partial) {
        text += tailText(*pause.partial);
    }
    if (!pause.node.empty()) {
        text += "  -> " + pause.node + " = " + pause.call + "\n";
    }
    std::string symbols;
    for (const session::TraceSymbol& symbol : pause.symbols) {
        symbols += (symbols.empty() ? "  symbols " : ", ") + symbol.name + " = " +
                   (symbol.replacedBy.empty() ? std::to_string(symbol.hint) : symbol.replacedBy);
    }
    text += symbols.empty() ? "" : symbols + "; " + std::to_string(pause.guards.size()) + " guards\n";
    say(text);
}

PauseAnswer TraceDebugger::answer(PauseAnswer::Kind kind, std::string fact) const {
    return {kind, std::move(fact), m_breakpoints};
}

PauseAnswer TraceDebugger::ask(const session::TracePause& pause) {
    if (pause.refused.empty()) {
        show(pause);
    } else {
        say(pause.refused + "\n");
    }
    for (;;) {
        if (InputLines::fromTerminal()) {
            say("(trace) ");
            m_console.flush();
        }
        const std::optional<std::string> line = m_lines.next();
        if (!line) {
            m_breakpoints.clear();
            return answer(PauseAnswer::Kind::Resume);
        }
        if (auto given = obey(*line, pause)) {
            return *std::move(given);
        }
    }
}

std::optional<PauseAnswer> TraceDebugger::obey(const std::string& line, const session::TracePause& pause) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    std::string text = first == std::string::npos ? m_lastPartition : line.substr(first);
    text.erase(text.find_last_not_of(" \t\r") + 1);
    const std::size_t space = text.find(' ');
    const std::string word = text.substr(0, space);
    const std::string rest = space == std::string::npos ? std::string() : text.substr(space + 1);
    const auto is = [&](std::string_view name) { return word == name || word == name.substr(0, 1); };
    for (const Step& step : steps) {
        if (word == step.shortName || word == step.name) {
            m_lastPartition = step.kind == PauseAnswer::Kind::Resume ? m_lastPartition : word;
            return answer(step.kind);
        }
    }
    if (is("quit")) {
        m_quit = true;
        return answer(PauseAnswer::Kind::Abort);
    }
    if (is("fact")) {
        return answer(PauseAnswer::Kind::AddFact, rest);
    }
    if (is("print")) {
        say(pause.partial ? pause.partial->printed.text : "Nothing is recorded in the metadata pass.\n");
    } else if (is("values")) {
        say(symbolsText(pause));
    } else if (is("guards")) {
        say(guardsText(pause.guards));
    } else if (is("break")) {
        addBreakpoint(rest);
    } else if (!word.empty() && !is("help")) {
        say("There is no command \"" + word + "\".\n" + std::string(helpText));
    } else {
        say(std::string(helpText));
    }
    return std::nullopt;
}

void TraceDebugger::addBreakpoint(const std::string& place) {
    const auto breakpoint = session::Breakpoint::parse(place);
    if (!breakpoint) {
        say(breakpoint.error().text() + "\n");
        return;
    }
    if (std::ranges::find(m_breakpoints, *breakpoint) == m_breakpoints.end()) {
        m_breakpoints.push_back(*breakpoint);
    }
    say("Pauses at " + breakpoint->toText() + ".\n");
}

} // namespace aotscope::cli
