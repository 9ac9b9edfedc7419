#include "answer.h"
#include "call_report.h"
#include "commands.h"
#include "console.h"
#include "failure.h"
#include "input_lines.h"
#include "options.h"
#include "selection.h"
#include "step_report.h"
#include "table.h"

#include "base/text_search.h"
#include "base/trimmed.h"
#include "contract/retrace_options.h"
#include "steps/step_pause.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::cli {

namespace {

using steps::StepAnswer;

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

/// The lines of a script of stepping commands, without comments (#) and empty lines. Throws Failure
/// (ExitUsage) at the first line that is no command, with its number.
std::deque<std::string> readStepScript(const std::string& file, std::string_view text) {
    std::deque<std::string> lines;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string line(base::trimmed(base::takePart(text, '\n')));
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

/// Lets a person or a script step through a call. Shows each pause and reads commands from the script, or
/// from stdin, which need not be a terminal. After the last command the call continues without pauses.
class StepDebugger {
public:
    /// Without a script commands come from stdin. `keepsJson`: keep everything for `entries` instead of
    /// showing it.
    StepDebugger(Program& program, std::vector<steps::StepBreakpoint> breakpoints,
                 std::optional<std::deque<std::string>> script, bool keepsJson)
        : m_console(program.console),
          m_breakpoints(std::move(breakpoints)),
          m_script(std::move(script)),
          m_keepsJson(keepsJson),
          m_lines(program.stop) {}

    /// Shows the pause and obeys commands until one of them answers it.
    [[nodiscard]] steps::StepAnswer ask(const steps::StepPause& pause);
    [[nodiscard]] const std::vector<steps::StepBreakpoint>& breakpoints() const { return m_breakpoints; }
    /// Whether a person ended the call.
    [[nodiscard]] bool quit() const { return m_quit; }
    /// One per command.
    [[nodiscard]] const std::vector<StepEntry>& entries() const { return m_entries; }

private:
    void show(const steps::StepPause& pause);
    [[nodiscard]] steps::StepAnswer command(const steps::StepPause& pause);
    [[nodiscard]] std::optional<std::string> nextLine();
    [[nodiscard]] std::optional<steps::StepAnswer> obey(const std::string& line,
                                                        const steps::StepPause& pause);
    void look(std::string_view word, const std::string& rest, const steps::StepPause& pause);
    void addBreakpoint(const std::string& spec);
    void say(std::string_view text);
    /// Shows the text, and keeps the result.
    void answered(const std::string& command, std::string_view text, StepResult result);

    Console& m_console;
    std::vector<steps::StepBreakpoint> m_breakpoints;
    std::optional<std::deque<std::string>> m_script;
    bool m_keepsJson;
    InputLines m_lines;
    std::string m_lastStep;
    /// The command that led to the current pause.
    std::string m_command;
    /// When the command was entered.
    std::chrono::steady_clock::time_point m_answered = std::chrono::steady_clock::now();
    bool m_quit = false;
    std::vector<StepEntry> m_entries;
};

void StepDebugger::say(std::string_view text) {
    if (!m_keepsJson) {
        m_console.result(text);
    }
}

void StepDebugger::show(const steps::StepPause& pause) {
    const std::int64_t took = (std::chrono::steady_clock::now() - m_answered) / std::chrono::nanoseconds(1);
    say(pause.refused.empty() ? standText(pause) + "  after " + durationText(took) + "\n"
                              : pause.refused + "\n");
    m_entries.push_back({m_command, took, standAnswer(pause)});
}

void StepDebugger::answered(const std::string& command, std::string_view text, StepResult result) {
    say(text);
    m_entries.push_back({command, 0, {}, std::move(result)});
}

std::optional<std::string> StepDebugger::nextLine() {
    if (!m_script) {
        if (InputLines::fromTerminal()) {
            say("(step) ");
            m_console.flush();
        }
        return m_lines.next();
    }
    if (m_script->empty()) {
        return std::nullopt;
    }
    std::string line = std::move(m_script->front());
    m_script->pop_front();
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
        answered(text, step.error().text() + "\n" + std::string(stepHelp), step.error());
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
        answered(command, valueText(pause, rest), tryValue(pause, rest));
    } else if (word == "values") {
        answered(command, valuesText(pause), pause.values);
    } else if (word == "events") {
        answered(command, eventsText(pause), pause.record->events);
    } else if (word == "wrappers") {
        answered(command, wrapperStackText(pause), wrapperStack(pause));
    } else if (word == "break") {
        addBreakpoint(rest);
    } else if (word == "clear") {
        m_breakpoints.clear();
        answered(command, "Pauses at no breakpoint.\n", {});
    } else {
        say(stepHelp);
    }
}

void StepDebugger::addBreakpoint(const std::string& spec) {
    const auto breakpoint = steps::StepBreakpoint::parse(spec);
    if (!breakpoint) {
        answered("break " + spec, breakpoint.error().text() + "\n", breakpoint.error());
        return;
    }
    if (std::ranges::find(m_breakpoints, *breakpoint) == m_breakpoints.end()) {
        m_breakpoints.push_back(*breakpoint);
    }
    answered("break " + spec, "Pauses at " + breakpoint->toText() + ".\n", breakpoint->toText());
}

constexpr std::uint64_t maxScriptBytes = 1'000'000;

struct StepCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    std::filesystem::path script;
    std::vector<std::string> breakpoints;
    session::RetraceOptions retrace;
    session::CallOptions call;
    double checkpointMegabytes = 1000;
    bool contents = false;
    bool byFusedKernel = false;
    bool json = false;
};

TargetChoice chosenTarget(const std::vector<session::LogSnapshotPtr>& logs, const std::string& id) {
    const std::vector<TargetChoice> all = selectTargets(logs, id);
    if (all.size() == 1) {
        return all.front();
    }
    const auto names = base::mapped(all, [](const TargetChoice& choice) { return choice.target.name; });
    throw usageFailure(all.empty()
                           ? "There is no function to call: no Dynamo graph and no joint or inference "
                             "graph" +
                                 (id.empty() ? "." : " of " + id + ".")
                           : "Choose with --id what to step through: " + listed(names) + ".");
}

session::CallCompiled commandOf(Program& program, const StepCommandOptions& options,
                                const TargetChoice& chosen, const StepDebugger& debugger) {
    session::CallCompiled command{chosen.log->log,
                                  chosen.target,
                                  options.retrace,
                                  {},
                                  withRecordedInputs(program, chosen, options.call)};
    command.call.compareWithEager = false;
    command.breakpoints = debugger.breakpoints();
    command.pauseAtStart = true;
    command.checkpointLimit = static_cast<std::int64_t>(options.checkpointMegabytes * 1e6);
    command.contents = options.contents;
    command.byFusedKernel = options.byFusedKernel;
    return command;
}

int step(Program& program, const StepCommandOptions& options) {
    auto breakpoints = parsedAll<steps::StepBreakpoint>(options.breakpoints);
    std::optional<std::deque<std::string>> script;
    if (!options.script.empty()) {
        script = readStepScript(options.script.string(), program.read(options.script, maxScriptBytes));
    }
    const TargetChoice chosen = chosenTarget(program.open(options.files), options.id);
    StepDebugger debugger(program, std::move(breakpoints), std::move(script), options.json);

    program.stepPaused = [&](const steps::StepPausePtr& pause) {
        program.session.answerStep(pause->number, debugger.ask(*pause));
    };
    session::CallSnapshotPtr called;
    try {
        called = program.resultOf<session::CallSnapshotPtr>(commandOf(program, options, chosen, debugger));
    } catch (const Failure&) {
        if (!debugger.quit()) {
            throw;
        }
    }
    const std::optional<base::Error> error = called ? called->record->error : std::nullopt;
    if (options.json) {
        program.console.result(answerText(StepsAnswer{
            chosen.target.name, debugger.entries(),
            called ? std::optional(called->record->events.size()) : std::nullopt, debugger.quit(), error}));
    } else if (called && !error) {
        program.console.result("The call has ended after " + std::to_string(called->record->events.size()) +
                               " events.\n");
    }
    failWith(error);
    if (!called) {
        throw Failure(ExitNo, {.code = "step.aborted", .message = "The call was ended at a pause."});
    }
    return ExitYes;
}

} // namespace

void addStepCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "step", "Call a compiled function and step through it, forward and back in time", step);
    command.setFooter(
        "Reads stepping commands from --script, else from stdin (help lists them), and shows where "
        "the call stands after each. At their end the call goes on without pauses. Exit code 1 "
        "when the call fails or is ended.");
    command.addOption("FILE", &options->files, "Trace logs, folders of logs, or graph files",
                      {.required = true});
    command.addOption("--id", &options->id, "Compile id of the function, as the command retrace names it");
    command.addOption("--script", &options->script,
                      "File with one command per line: into, over, out, back, back-over, back-out, to N, "
                      "resume, resume-back, break PLACE, clear, print NAME, values, events, wrappers");
    command.addOption("--break", &options->breakpoints, "Breakpoint from the start; can be repeated",
                      {.takeAll = true});
    addTorchOption(command, options->retrace.torch);
    addConfigOption(command, options->retrace.config);
    command.addOption("--seed", &options->call.seed, "Seed of the inputs and of random operators",
                      {.showDefault = true});
    addDeviceOption(command, options->call.device);
    command.addOption("--calls", &options->call.calls, "How many calls in a row", {.showDefault = true});
    command.addOption("--learning-rate", &options->call.learningRate,
                      "After each call a step of plain SGD with this rate");
    command.addOption("--checkpoints", &options->checkpointMegabytes, "Megabytes to keep for going back",
                      {.notNegative = true, .showDefault = true});
    command.addFlag("--fused", &options->byFusedKernel,
                    "Take the nodes of a fused kernel as one step: over goes past them, into and out go in "
                    "and out (the call itself still runs node by node)");
    command.addFlag("--contents", &options->contents,
                    "With --json: a hash of each value's elements, to compare bit for bit");
    command.addFlag("--json", &options->json, jsonHelp<StepsAnswer>());
}

} // namespace aotscope::cli
