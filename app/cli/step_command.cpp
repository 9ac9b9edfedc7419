#include "answer.h"
#include "call_report.h"
#include "commands.h"
#include "options.h"
#include "selection.h"
#include "step_debugger.h"

#include "contract/retrace_options.h"

#include <memory>
#include <optional>

namespace aotscope::cli {

namespace {

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
    session::CallCompiled command;
    command.log = chosen.log->log;
    command.target = chosen.target;
    command.options = options.retrace;
    command.call = withRecordedInputs(program, chosen, options.call);
    command.call.compareWithEager = false;
    command.breakpoints = debugger.breakpoints();
    command.pauseAtStart = true;
    command.checkpointLimit = static_cast<std::int64_t>(options.checkpointMegabytes * 1e6);
    command.contents = options.contents;
    command.byFusedKernel = options.byFusedKernel;
    return command;
}

int step(Program& program, const StepCommandOptions& options) {
    StepDebugger::Options given{parsedAll<steps::StepBreakpoint>(options.breakpoints), {}, options.json};
    if (!options.script.empty()) {
        given.script = readStepScript(options.script.string(), program.read(options.script, maxScriptBytes));
    }
    const TargetChoice chosen = chosenTarget(program.open(options.files), options.id);
    StepDebugger debugger(program.console, std::move(given), program.stop);
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
    const Command command =
        app.addCommand("step", "Call a compiled function and step through it, forward and back in time");
    command.setFooter(
        "Reads stepping commands from --script, else from stdin (help lists them), and shows where "
        "the call stands after each. At their end the call goes on without pauses. Exit code 1 "
        "when the call fails or is ended.");
    auto options = std::make_shared<StepCommandOptions>();
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
    onCall(command, chosen, options, step);
}

} // namespace aotscope::cli
