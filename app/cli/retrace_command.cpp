#include "answer.h"
#include "commands.h"
#include "config_option.h"
#include "device_option.h"
#include "explain_option.h"
#include "graph_options.h"
#include "retrace_choice.h"
#include "retrace_report.h"
#include "retrace_totals.h"
#include "selection.h"
#include "torch_option.h"
#include "trace_debugger.h"
#include "wrapper_report.h"

#include "contract/retrace_options.h"
#include "explore/split_retraced.h"
#include "files/retrace_targets.h"
#include "files/trace_log_writer.h"
#include "recompile/retraced_files.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

namespace aotscope::cli {

namespace {

struct RetraceCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    std::optional<aot::TorchVersion> torch;
    std::string decompositions;
    bool noKeepInputMutations = false;
    std::vector<aot::ConfigSetting> config;
    std::filesystem::path program;
    std::filesystem::path out;
    std::filesystem::path log;
    std::vector<std::string> breakpoints;
    bool exact = false;
    bool explain = false;
    bool numbers = false;
    session::DeviceChoice device;
    bool json = false;
    bool guards = false;
    bool stages = false;
    bool wrappers = false;
    bool cache = false;
    bool exported = false;
    aot::ExportOptions exportOptions;
};

/// Gives targets without a program the graphs of `--program`, in order.
void substitutePrograms(Program& program, const RetraceCommandOptions& options,
                        std::vector<TargetChoice>& choices) {
    const auto files = program.open({options.program});
    std::vector<session::ArtifactReference> programs;
    for (const session::LogSnapshotPtr& file : files) {
        for (const session::RetraceTarget& target : session::retraceTargets(*file)) {
            if (target.program) {
                programs.push_back(*target.program);
            }
        }
    }
    std::size_t next = 0;
    for (TargetChoice& choice : choices) {
        for (session::RetraceTarget& target : choice.targets) {
            if (!target.program) {
                if (next == programs.size()) {
                    throw usageFailure(options.program.string() + " has " + std::to_string(next) +
                                       " graphs to start from, but more compiles lack a Dynamo graph.");
                }
                target.program = programs[next++];
            }
        }
    }
    if (next == 0) {
        throw usageFailure("No compile lacks a Dynamo graph: leave out --program.");
    }
}

/// Traces one target; at breakpoints a person takes over.
session::RetraceSnapshotPtr trace(Program& program, const session::Retrace& command,
                                  TraceDebugger& debugger) {
    if (command.breakpoints.empty()) {
        return program.resultOf<session::RetraceSnapshotPtr>(command);
    }
    program.paused = [&](const session::TracePause& pause) {
        program.session.answerPause(pause.number, debugger.ask(pause));
    };
    try {
        return program.resultOf<session::RetraceSnapshotPtr>(command);
    } catch (const Failure&) {
        if (!debugger.quit()) {
            throw;
        }
        throw Failure(ExitNo, {.code = "retrace.aborted", .message = "The trace was ended at a pause."});
    }
}

RetraceRun runOne(Program& program, const TargetChoice& choice, const session::RetraceTarget& target,
                  const session::RetraceOptions& retrace, TraceDebugger& debugger) {
    auto snapshot = trace(program, {choice.log->log, {target}, retrace, debugger.breakpoints()}, debugger);
    // Without a backend no trace can succeed, so it is reported once.
    requireBackend(*snapshot);
    return {targetTitle(choice, target), std::move(snapshot)};
}

/// The signature of an exported graph; nothing for other graphs.
std::optional<base::Result<aot::GraphSignature>> signatureOf(const session::RetraceSnapshot& snapshot,
                                                             const aot::ExportOptions& options) {
    if (!snapshot.result) {
        return std::nullopt;
    }
    aot::SignatureOptions given;
    // A simple export takes tangents and has no loss.
    given.lossOutput = options.joint && !options.simple ? options.loss : std::nullopt;
    return aot::makeSignature(*snapshot.result->function.graph, &snapshot.result->function.metadata, given);
}

/// If the joint graph cannot be partitioned, says so and returns the compile without halves.
aot::CompiledFunction splitOf(Program& program, const session::RetraceSnapshot& snapshot) {
    auto function = program.session.split(snapshot, program.progress());
    if (function) {
        return std::move(*function);
    }
    if (base::isCanceled(function.error())) {
        throw interrupted();
    }
    program.console.message(snapshot.target.name +
                            ": the joint graph was not partitioned: " + function.error().message);
    return session::functionOf(snapshot);
}

void writeOut(Program& program, const std::filesystem::path& folder,
              const std::vector<session::NamedText>& files) {
    if (files.empty()) {
        return;
    }
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    for (const session::NamedText& file : files) {
        program.console.resultTo(folder / file.name, file.text);
    }
}

/// The log file that --log writes.
class LogFile {
public:
    LogFile(const RetraceCommandOptions& options, const std::vector<TargetChoice>& choices)
        : m_path(options.log) {
        if (m_path.empty()) {
            return;
        }
        if (choices.size() != 1) {
            throw usageFailure("--log takes only one FILE: the compile ids of several would collide.");
        }
        m_file.open(m_path, std::ios::binary | std::ios::trunc);
        session::writeStrings(m_writer, *choices.front().log);
        check();
    }
    [[nodiscard]] bool wanted() const { return !m_path.empty(); }
    void write(const session::RetraceSnapshot& snapshot, const session::LogSnapshot& source,
               const aot::CompiledFunction& function) {
        session::writeRetraced(m_writer, snapshot, &source, function);
        m_file.flush();
        check();
    }

private:
    void check() {
        if (!m_file) {
            throw Failure(ExitUnreadable, base::Error{.code = "cli.write",
                                                      .message = "The log cannot be written.",
                                                      .place = {m_path.string(), 0, 0, {}},
                                                      .hint = "Check the folder and the space left."});
        }
    }

    std::filesystem::path m_path;
    std::ofstream m_file;
    session::TraceLogWriter m_writer{m_file};
};

int retrace(Program& program, const RetraceCommandOptions& options) {
    session::RetraceOptions retrace;
    retrace.exact = options.exact;
    retrace.stages = options.stages;
    retrace.numbers = options.numbers;
    retrace.cache = options.cache;
    if (options.exported) {
        retrace.exported = options.exportOptions;
    }
    retrace.torch = options.torch;
    retrace.config = options.config;
    retrace.decompositions = base::fromWord<aot::DecompositionTable>(options.decompositions);
    if (options.noKeepInputMutations) {
        retrace.keepInputMutations = false;
    }
    std::optional<base::Error> unreadable;
    const std::vector<session::LogSnapshotPtr> logs = program.open(options.files, false, &unreadable);
    if (unreadable && logs.empty()) {
        throw Failure(ExitUnreadable, *std::move(unreadable));
    }
    std::vector<TargetChoice> choices = selectTargets(logs, options.id);
    if (!options.program.empty()) {
        substitutePrograms(program, options, choices);
    }
    LogFile log(options, choices);
    TraceDebugger debugger(program.console, parsedAll<session::Breakpoint>(options.breakpoints), options.json,
                           program.stop);
    std::vector<RetraceRun> runs;
    session::CompileFolders folders(choices.size() > 1);
    for (const TargetChoice& choice : choices) {
        for (const session::RetraceTarget& target : choice.targets) {
            runs.push_back(runOne(program, choice, target, retrace, debugger));
            if (options.numbers) {
                runs.back().numbers =
                    runRecordedCalls(program, choice.log->path, *runs.back().snapshot, options.device);
                std::ranges::move(runBesideEager(*runs.back().snapshot),
                                  std::back_inserter(runs.back().numbers));
            }
            if (options.exported) {
                runs.back().signature = signatureOf(*runs.back().snapshot, options.exportOptions);
            }
            if (!options.json) {
                program.console.result(retraceText(runs.back()) +
                                       (options.explain ? explainedText(runs.back()) : std::string()) +
                                       numbersText(runs.back().numbers, options.explain));
                program.console.result(cacheText(*runs.back().snapshot));
                program.console.result(signatureText(runs.back()));
                program.console.result(stagesText(*runs.back().snapshot));
                if (options.guards && runs.back().snapshot->result) {
                    program.console.result(guardsText(runs.back().snapshot->result->function.guards));
                }
            }
            if (options.wrappers && !options.json && runs.back().snapshot->result) {
                program.console.result(wrappersText(runs.back().snapshot->result->function.wrappers,
                                                    runs.back().snapshot->wrapperSources));
            }
            if (!options.out.empty() || log.wanted()) {
                const session::RetraceSnapshot& snapshot = *runs.back().snapshot;
                const aot::CompiledFunction function = splitOf(program, snapshot);
                if (log.wanted()) {
                    log.write(snapshot, *choice.log, function);
                }
                if (!options.out.empty()) {
                    writeOut(program, options.out / folders.next(choice.log->path, target.name),
                             session::retracedFiles(snapshot, function));
                }
            }
        }
    }
    if (runs.empty()) {
        throw nothingToTrace();
    }
    if (options.json) {
        program.console.result(answerText(retraceAnswer(runs, unreadable)));
    } else {
        program.console.result(retraceTotals(runs) + "\n");
    }
    if (unreadable) {
        throw Failure(ExitUnreadable, *std::move(unreadable));
    }
    return allEqual(runs) ? ExitYes : ExitNo;
}

void addExportOptions(Command command, const std::shared_ptr<RetraceCommandOptions>& options, Option stages) {
    aot::ExportOptions& given = options->exportOptions;
    const Option exported = command.addFlag("--export", &options->exported,
                                            "Export as torch.export and aot_export_module do: the graph "
                                            "gets no wrappers, and a program that needs one is an error");
    stages.excludes(exported);
    const Option joint =
        command.addFlag("--joint", &given.joint, "With --export: include the backward").needs(exported);
    command
        .addOption(
            "--loss", [options](std::size_t index) { options->exportOptions.loss = index; },
            "With --joint: index of the output that is the loss, from 0")
        .needs(joint);
    command
        .addFlag(
            "--simple", &given.simple,
            "With --export: require that the graph can be called as the program is (aot_export_joint_simple)")
        .needs(exported);
    command
        .addFlag(
            "--pre-dispatch", &given.preDispatch,
            "With --export: record the operators that the program calls, before autograd decomposes them")
        .needs(exported);
}

} // namespace

void addRetraceCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "retrace", "Compile the Dynamo graphs of logs again, without Python, and compare with PyTorch's");
    command.setFooter("One line per compile: equal, equal up to names, or the first difference with both "
                      "sides. Exit code 1 when one differs or cannot be traced.");
    auto options = std::make_shared<RetraceCommandOptions>();
    command.addOption("FILE", &options->files, "Trace logs, folders of logs, or graph files").required();
    addIdOption(command, options->id);
    command
        .addOption("--decompositions", &options->decompositions,
                   "none, core (core ATen) or inductor; by default what the logged compiler used")
        .oneOf({"none", "core", "inductor"});
    command.addFlag("--no-keep-input-mutations", &options->noKeepInputMutations,
                    "The backend gets graphs without the writes to inputs, as those made with "
                    "aot_autograd() do by default; else as aot_eager and Inductor do");
    command.addOption("--program", &options->program,
                      "Graph file with the program of each compile that has no logged Dynamo graph");
    addTorchOption(command, options->torch);
    addConfigOption(command, options->config);
    addExplainOption(command, options->explain);
    command.addFlag("--exact", &options->exact,
                    "Compare source comments, descriptors and the printed text too");
    command.addFlag("--numbers", &options->numbers,
                    "Run the traced graphs on synthetic inputs and compare with eager; for a golden file "
                    "also compare with the calls that PyTorch recorded");
    addDeviceOption(command, options->device, "Device for --numbers");
    command.addOption("--out", &options->out, "Folder for the graphs (text and JSON), one per compile id");
    command.addOption("--log", &options->log, "Write the traces as a trace log in PyTorch's format");
    command.addOption("--break", &options->breakpoints,
                      "Pause at FILE:LINE, op:NAME, node:NAME, program:NAME, stage:NAME or guard, and read "
                      "commands from stdin (h lists them)");
    command.addFlag("--guards", &options->guards,
                    "List the guards on symbols, with the node that needs each");
    const Option stages = command.addFlag(
        "--stages", &options->stages,
        "Show each stage from Dynamo's graph to the forward that runs; --out writes their graphs");
    command.addFlag(
        "--wrappers", &options->wrappers,
        "List the wrappers that AOTAutograd puts around the graph: what each does, or why it does "
        "nothing");
    command.addFlag("--cache", &options->cache,
                    "Take compiles from the cache of compiled functions, and put new ones there (see cache)");
    addExportOptions(command, options, stages);
    command.addFlag("--json", &options->json, "JSON for programs (schema aotscope.retrace/4)");
    onCall(command, chosen, options, retrace);
}

} // namespace aotscope::cli
