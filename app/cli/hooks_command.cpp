#include "commands.h"
#include "hooks_report.h"
#include "options.h"
#include "partition_run.h"
#include "selection.h"

#include "base/mapped.h"
#include "explore/compiled_autograd_hooks.h"
#include "explore/inlined_hooks.h"
#include "hooks/hook_library.h"
#include "hooks/hook_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace aotscope::cli {

namespace {

struct HooksCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    std::vector<std::string> hooks;
    std::string mode;
    SplitOptions split;
    std::string input = "auto";
    bool compare = false;
    bool explain = false;
    bool json = false;
    bool list = false;
    std::string text;
    std::filesystem::path out;
    bool errors = false;
    session::RunOptions run;
    std::optional<std::uint64_t> storedAtMost;
    std::optional<double> errorAtMost;
    std::filesystem::path python;

    [[nodiscard]] bool suggests() const { return storedAtMost || errorAtMost; }
};

/// The partition, and the measured errors or suggested hooks if the command line requests them.
struct HooksRun {
    PartitionRun run;
    session::HookErrorsSnapshotPtr errors = {};
    session::HookSuggestionSnapshotPtr suggestion = {};
    /// Why the requested errors or suggestion are missing.
    std::optional<base::Error> failed = {};
};

/// Measures the hooks of a partition, or finds some. Throws Failure.
void addMeasured(Program& program, const HooksCommandOptions& options, HooksRun& run) {
    if (!run.run.split) {
        return;
    }
    const session::PartitionSnapshot& split = *run.run.split;
    if (options.suggests()) {
        session::SuggestHooks command{split.joint->reference, split.choices, {}, {}, options.run};
        if (split.choices.hooks) {
            for (const hooks::HookRule& rule : split.choices.hooks->rules) {
                if (rule.hook != hooks::loggedHook && rule.hook != hooks::noHook) {
                    command.candidates.push_back(rule.hook);
                }
            }
        }
        command.goal.error = options.errorAtMost;
        if (options.storedAtMost) {
            command.goal.storedBytes = static_cast<std::int64_t>(*options.storedAtMost);
        }
        run.suggestion = program.resultOf<session::HookSuggestionSnapshotPtr>(command);
        run.run.split = run.suggestion->split;
    } else if (options.errors) {
        run.errors = program.resultOf<session::HookErrorsSnapshotPtr>(
            session::MeasureHooks{split.joint->reference, split.choices, options.run, true});
    }
}

/// All that the files say of hooks.
struct HooksReport {
    std::vector<HooksRun> runs;
    std::vector<session::CompiledAutogradHooks> runTime = {};
};

/// Those of all logs, or of a chosen compile: its own graph, or the graphs that run its backward.
std::vector<session::CompiledAutogradHooks> runTimeHooksOf(Program& program,
                                                           const std::vector<CompileChoice>& choices,
                                                           const std::vector<HooksRun>& runs) {
    std::vector<session::CompiledAutogradHooks> found;
    session::LogSnapshotPtr last;
    for (const CompileChoice& choice : choices) {
        if (choice.log == last) {
            continue;
        }
        last = choice.log;
        const auto read = [&](const session::ArtifactReference& graph) {
            return program.session.graph(graph);
        };
        for (session::CompiledAutogradHooks& graph : session::compiledAutogradHooks(*last, read)) {
            const bool isChosen = std::ranges::any_of(choices, [&](const CompileChoice& each) {
                return each.log == last && each.id == graph.graph.compile;
            });
            const bool runsOne = std::ranges::any_of(runs, [&](const HooksRun& each) {
                return each.run.split && std::ranges::count(each.run.split->runTimeHooks, graph) > 0;
            });
            if (isChosen || runsOne) {
                found.push_back(std::move(graph));
            }
        }
    }
    return found;
}

HooksReport runAll(Program& program, const HooksCommandOptions& options) {
    const std::vector<CompileChoice> choices = selectCompiles(program.open(options.files), options.id);
    PartitionRequest request{options.split.partitioner, options.split.choices(),
                             *base::fromWord<JointInput>(options.input), options.compare};
    request.choices.hooks = planOf(program, options.hooks, options.mode);
    std::vector<HooksRun> runs;
    partitionEach(program, choices, request, [&](PartitionRun partition) {
        HooksRun& run = runs.emplace_back(HooksRun{std::move(partition)});
        const auto measured = apart([&] {
            addMeasured(program, options, run);
            return true;
        });
        if (!measured) {
            run.failed = measured.error();
        }
    });
    if (runs.size() == 1) {
        failWith(runs.front().failed);
    }
    HooksReport report{std::move(runs)};
    report.runTime = runTimeHooksOf(program, choices, report.runs);
    if (report.runs.empty() && report.runTime.empty()) {
        throw usageFailure("There is no joint graph here: nothing is saved for a backward.",
                           {"A log has one for each compile whose inputs need gradients; see open."});
    }
    return report;
}

HookedCompileAnswer measuredHooksAnswer(const HooksRun& each) {
    HookedCompileAnswer answer = hooksAnswer(each.run);
    if (each.errors) {
        answer.errors = each.errors->errors;
        answer.peaksAlone = each.errors->peaksAlone;
    }
    if (each.suggestion) {
        answer.suggestion = *each.suggestion;
    }
    answer.notMeasured = each.failed;
    return answer;
}

void showTables(Program& program, const HooksCommandOptions& options, const HooksReport& report) {
    const std::vector<HooksRun>& runs = report.runs;
    if (!runs.empty()) {
        const bool isOne = runs.size() == 1 && runs.front().run.split && !options.compare;
        const auto partitions = base::mapped(runs, &HooksRun::run);
        program.console.result(isOne ? hooksTable(runs.front().run) : hooksSummary(partitions));
        program.console.result(options.explain ? explainedPartitions(partitions) : std::string());
        for (const HooksRun& each : runs) {
            if (each.errors) {
                program.console.result("\n" + errorsTable(*each.errors));
            }
            if (each.suggestion) {
                program.console.result("\n" + suggestionText(*each.suggestion));
            }
        }
    }
    if (!report.runTime.empty()) {
        program.console.result((runs.empty() ? "" : "\n") + runTimeHooksTable(report.runTime));
    }
}

void show(Program& program, const HooksCommandOptions& options, const HooksReport& report) {
    if (options.json) {
        HooksAnswer answer{{}, report.runTime};
        std::ranges::transform(report.runs, std::back_inserter(answer.compiles), measuredHooksAnswer);
        program.console.result(answerText(answer));
    } else {
        showTables(program, options, report);
    }
    for (const HooksRun& each : report.runs) {
        if (each.failed) {
            program.console.message(each.run.graph + ": not measured: " + each.failed->message);
        }
        program.console.messages(each.run.graph + ": ", each.run.notes);
        program.console.messages(each.run.graph + ": ",
                                 each.suggestion ? each.suggestion->notes : std::vector<std::string>());
    }
}

/// Prints what an option requests of the library; false: no such option is set.
bool showLibrary(Program& program, const HooksCommandOptions& options) {
    if (options.list) {
        program.console.result(libraryTable());
        return true;
    }
    if (options.text.empty()) {
        return false;
    }
    const hooks::LibraryHook* hook = hooks::tryLibraryHook(options.text);
    if (hook == nullptr) {
        throw usageFailure("There is no hook named \"" + options.text + "\" in the library; see --list.");
    }
    program.console.result(std::string(hook->text));
    return true;
}

void writePython(Program& program, const HooksCommandOptions& options, const std::vector<HooksRun>& runs) {
    if (options.python.empty()) {
        return;
    }
    if (runs.size() != 1 || !runs.front().run.split) {
        throw usageFailure("--python writes the hooks of one compile: choose it with --id.");
    }
    program.console.resultTo(options.python, session::pythonHooks(*runs.front().run.split));
}

/// A difference, a failure, a hook that was left out, or a goal that is not reached.
bool isWrong(const HooksRun& each) {
    const bool isBroken = each.run.split && each.run.split->hooks && !each.run.split->hooks->broken.empty();
    return isDifferent(each.run) || each.failed || each.run.error.has_value() || isBroken ||
           (each.suggestion && !each.suggestion->isReached);
}

int showHooks(Program& program, const HooksCommandOptions& options) {
    if (showLibrary(program, options)) {
        return ExitYes;
    }
    if (options.files.empty()) {
        throw usageFailure("Name a log or a graph file, or use --list.");
    }
    const HooksReport report = runAll(program, options);
    const std::vector<HooksRun>& runs = report.runs;
    if (!options.out.empty()) {
        writePartitions(program, options.out, base::mapped(runs, &HooksRun::run), hooksFiles);
    }
    writePython(program, options, runs);
    show(program, options, report);
    if (runs.size() == 1) {
        failWith(runs.front().run.error);
    }
    if (options.compare &&
        std::ranges::none_of(runs, [](const HooksRun& each) { return each.run.halves.has_value(); })) {
        throw nothingToCompare();
    }
    return std::ranges::any_of(runs, isWrong) ? ExitNo : ExitYes;
}

} // namespace

void addHooksCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "hooks",
        "Inline saved-tensors hooks into the graphs, and say what they store in place of each tensor",
        showHooks);
    command.setFooter(
        "Without --hook the hooks that were traced with the program are inlined. A hook is a name of --list, "
        "a file with two graphs named pack and unpack, logged, recompute or none; \"NAME=FILTER\" gives it "
        "to "
        "the saved tensors that match: \"bf16=dtype:f32 bytes>1MB module:attn* op:mm category:input\". The "
        "first --hook that matches decides. Hooks that compiled autograd calls when a backward runs are "
        "listed "
        "behind them. Exit code 1 when a compile differs or fails, or a hook could not "
        "be applied.");
    command.addOption("FILE", &options->files, "Trace logs, folders of logs, or graph files");
    addIdOption(command, options->id);
    command.addOption("--hook", &options->hooks, "NAME, FILE.txt or logged, with =FILTER after it",
                      {.takeAll = true, .oneValueEach = true});
    addConfigOption(command, options->split.others.config);
    addHookModeOption(command, options->mode,
                      "Which saved tensors hooks apply to: donated, no_static or all; without it as the file "
                      "says, else donated");
    addPartitionerOption(command, options->split, "default, min-cut or auto, as for partition");
    addInputOption(command, options->input, "Joint graph to split: traced, logged or auto, as for partition");
    command.addFlag("--compare", &options->compare,
                    "Compare the halves, and each pack and unpack graph, with the logged ones");
    addExplainOption(command, options->explain);
    command.addOption("--out", &options->out,
                      "Folder for the graphs, one per compile id: joint, forward, backward, "
                      "forward_before_hooks, backward_before_hooks, pack_0, unpack_0, …");
    command.addFlag("--errors", &options->errors,
                    "Run the step, and measure each round trip's error and its effect on every gradient");
    command.addOption("--seed", &options->run.seed, "Seed of the synthetic inputs", {.showDefault = true});
    addDeviceOption(command, options->run.device, "Device for measured errors");
    command.addOption(
        "--stored-at-most", &options->storedAtMost,
        "Suggest hooks (those of --hook, else the library's) so that saved tensors take at most "
        "this: 200kB, 1MiB",
        {.asBytes = true});
    command.addOption("--error-at-most", &options->errorAtMost,
                      "Suggest hooks so that no gradient's relative error is larger; with --stored-at-most, "
                      "both");
    command.addOption("--python", &options->python,
                      "Write the hooks as Python for torch.autograd.graph.saved_tensors_hooks");
    command.addFlag("--list", &options->list, "The hooks that ship with the program");
    command.addOption("--text", &options->text, "Print the text of one of them, as a start for your own");
    command.addFlag("--json", &options->json, "JSON (schema aotscope.hooks/3)");
}

} // namespace aotscope::cli
