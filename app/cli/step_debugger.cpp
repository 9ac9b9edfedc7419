#include "step_debugger.h"

#include "failure.h"
#include "table.h"

#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::cli {

using steps::StepAnswer;

namespace {

constexpr std::string_view stepHelp =
    "i, into         to the next event, into wrappers; with --fused also into fused kernels\n"
    "o, over         to the next event at this depth or outside; with --fused past a whole fused kernel\n"
    "u, out          to the exit of the wrapper around; with --fused out of the fused kernel\n"
    "b, back         to the event before; also back-over (bo), back-out (bu)\n"
    "to EVENT        to that event, forward or back\n"
    "c, resume       to the next breakpoint or the end; at the end: finish\n"
    "rc, resume-back to the breakpoint before, or the start\n"
    "break PLACE     pause there too: wrapper:NAME, node:NAME, op:NAME, FILE:LINE, nan, inf, above:NUMBER,\n"
    "                shape, mutated:ARGUMENT, memory:BYTES\n"
    "clear           without any breakpoint from here\n"
    "p, print NAME   one value\n"
    "v, values       all values that are alive\n"
    "e, events       the events around this one\n"
    "w, wrappers     the wrappers around this event, and what they did\n"
    "q, abort        end the call\n"
    "An empty line repeats the last step.\n";

struct ShortName {
    std::string_view shortName;
    std::string_view name;
};
constexpr std::array<ShortName, 14> shortNames = {{{"i", "into"},
                                                   {"o", "over"},
                                                   {"u", "out"},
                                                   {"b", "back"},
                                                   {"bo", "back-over"},
                                                   {"bu", "back-out"},
                                                   {"c", "resume"},
                                                   {"rc", "resume-back"},
                                                   {"p", "print"},
                                                   {"v", "values"},
                                                   {"e", "events"},
                                                   {"w", "wrappers"},
                                                   {"q", "abort"},
                                                   {"quit", "abort"}}};

constexpr std::array<std::string_view, 7> otherCommands = {"break",  "clear",    "print", "values",
                                                           "events", "wrappers", "help"};

/// A line's command word in full, and what follows it.
std::pair<std::string, std::string> splitLine(const std::string& line) {
    const std::size_t space = line.find(' ');
    std::string word = line.substr(0, space);
    for (const ShortName& known : shortNames) {
        if (word == known.shortName) {
            word = known.name;
        }
    }
    return {word,
            space == std::string::npos ? std::string() : std::string(base::trimmed(line.substr(space + 1)))};
}

base::Result<StepAnswer> readStep(const std::string& word, const std::string& rest) {
    return StepAnswer::parse(rest.empty() ? word : word + " " + rest);
}

} // namespace

std::vector<std::string> readStepScript(const std::string& file, std::string_view text) {
    std::vector<std::string> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        std::string line(base::trimmed(text.substr(0, end)));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const auto [word, rest] = splitLine(line);
        std::optional<base::Error> wrong;
        if (word == "break") {
            if (auto breakpoint = steps::StepBreakpoint::parse(rest); !breakpoint) {
                wrong = std::move(breakpoint).error();
            }
        } else if (std::ranges::find(otherCommands, word) == otherCommands.end()) {
            if (auto step = readStep(word, rest); !step) {
                wrong = std::move(step).error();
                wrong->hint += " Others: break PLACE, clear, print NAME, values, events, wrappers.";
            }
        }
        if (wrong) {
            wrong->place.file = file;
            wrong->place.line = number;
            throw Failure(ExitUsage, *std::move(wrong));
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

StepDebugger::StepDebugger(Console& console, Options options, std::stop_token stop)
    : m_console(console),
      m_breakpoints(std::move(options.breakpoints)),
      m_isScript(options.script.has_value()),
      m_keepsJson(options.json),
      m_lines(std::move(stop)) {
    if (options.script) {
        m_script.assign(options.script->begin(), options.script->end());
    }
}

void StepDebugger::say(std::string_view text) {
    if (!m_keepsJson) {
        m_console.result(text);
    }
}

void StepDebugger::show(const steps::StepPause& pause) {
    const std::int64_t took =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - m_answered)
            .count();
    say(pause.refused.empty() ? standText(pause) + "  after " + durationText(took) + "\n"
                              : pause.refused + "\n");
    m_entries.push_back({m_command, took, standAnswer(pause)});
}

void StepDebugger::answered(const std::string& command, StepResult result) {
    m_entries.push_back({command, 0, {}, std::move(result)});
}

std::optional<std::string> StepDebugger::nextLine() {
    if (!m_isScript) {
        if (InputLines::fromTerminal()) {
            say("(step) ");
            m_console.flush();
        }
        return m_lines.next();
    }
    if (m_script.empty()) {
        return std::nullopt;
    }
    std::string line = std::move(m_script.front());
    m_script.pop_front();
    say("> " + line + "\n");
    return line;
}

StepAnswer StepDebugger::ask(const steps::StepPause& pause) {
    show(pause);
    StepAnswer answer = command(pause);
    m_answered = std::chrono::steady_clock::now();
    return answer;
}

/// Obeys commands up to the first that is a step.
StepAnswer StepDebugger::command(const steps::StepPause& pause) {
    for (;;) {
        const std::optional<std::string> line = nextLine();
        if (!line) {
            m_breakpoints.clear();
            m_command.clear();
            return {StepAnswer::Kind::Resume, 0, m_breakpoints};
        }
        if (auto answer = obey(*line, pause)) {
            return *std::move(answer);
        }
    }
}

std::optional<StepAnswer> StepDebugger::obey(const std::string& line, const steps::StepPause& pause) {
    std::string text(base::trimmed(line));
    if (text.empty()) {
        text = m_lastStep.empty() ? "help" : m_lastStep;
    }
    const auto [word, rest] = splitLine(text);
    if (std::ranges::find(otherCommands, word) != otherCommands.end()) {
        look(word, rest, pause);
        return std::nullopt;
    }
    auto step = readStep(word, rest);
    if (!step) {
        say(step.error().text() + "\n" + std::string(stepHelp));
        answered(text, step.error());
        return std::nullopt;
    }
    m_quit = step->kind == StepAnswer::Kind::Abort;
    m_lastStep = text;
    m_command = text;
    step->breakpoints = m_breakpoints;
    return *std::move(step);
}

void StepDebugger::look(std::string_view word, const std::string& rest, const steps::StepPause& pause) {
    const std::string command = std::string(word) + (rest.empty() ? "" : " " + rest);
    if (word == "print") {
        say(valueText(pause, rest));
        answered(command, tryValue(pause, rest));
    } else if (word == "values") {
        say(valuesText(pause));
        answered(command, pause.values);
    } else if (word == "events") {
        say(eventsText(pause));
        answered(command, pause.record->events);
    } else if (word == "wrappers") {
        say(wrapperStackText(pause));
        answered(command, wrapperStack(pause));
    } else if (word == "break") {
        addBreakpoint(rest);
    } else if (word == "clear") {
        m_breakpoints.clear();
        say("Pauses at no breakpoint.\n");
        answered(command, {});
    } else {
        say(stepHelp);
    }
}

void StepDebugger::addBreakpoint(const std::string& spec) {
    const auto breakpoint = steps::StepBreakpoint::parse(spec);
    if (!breakpoint) {
        say(breakpoint.error().text() + "\n");
        answered("break " + spec, breakpoint.error());
        return;
    }
    if (std::ranges::find(m_breakpoints, *breakpoint) == m_breakpoints.end()) {
        m_breakpoints.push_back(*breakpoint);
    }
    say("Pauses at " + breakpoint->toText() + ".\n");
    answered("break " + spec, breakpoint->toText());
}

} // namespace aotscope::cli
