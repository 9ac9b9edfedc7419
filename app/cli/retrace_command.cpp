#include "answer.h"
#include "commands.h"
#include "options.h"
#include "retrace_report.h"
#include "selection.h"
#include "trace_debugger.h"
#include "wrapper_report.h"

#include "contract/retrace_options.h"
#include "files/trace_log_writer.h"
#include "recompile/retraced_files.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace aotscope::cli {

namespace {

struct RetraceCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    /// What retraceOptions completes.
    session::RetraceOptions retrace;
    bool noKeepInputMutations = false;
    std::filesystem::path program;
    std::filesystem::path out;
    std::filesystem::path log;
    std::vector<std::string> breakpoints;
    bool explain = false;
    session::DeviceChoice device;
    bool json = false;
    bool guards = false;
    bool wrappers = false;
    bool exported = false;
    aot::ExportOptions exportOptions;
};

/// A table by its name, or single operators.
void addDecompositionsOption(Command command, session::RetraceOptions& options) {
    const auto take = [&options](const std::vector<std::string>& texts) -> std::optional<base::Error> {
        using aot::DecompositionTable;
        const auto table =
            texts.size() == 1 ? base::fromWord<DecompositionTable>(texts.front()) : std::nullopt;
        if (table && table != DecompositionTable::Chosen) {
            options.decompositions = table;
            return std::nullopt;
        }
        for (const std::string& text : texts) {
            if (!base::contains(text, ".")) {
                return base::Error{
                    .code = "cli.decompositions",
                    .message = "\"" + text + "\" is no table of decompositions and no operator.",
                    .hint = "Write none, core or inductor, or operators: aten.gelu,aten.silu.default"};
            }
        }
        options.decompositions = DecompositionTable::Chosen;
        options.decomposedOperators = texts;
        return std::nullopt;
    };
    command.addOption(
        "--decompositions", TakeTexts(take),
        "none, core (core ATen) or inductor, or operators (aten.gelu,aten.silu.default) as a backend "
        "with get_decompositions() names them; by default what the logged compiler used",
        {.oneValueEach = true, .separatedBy = ','});
}

/// Gives targets without a program the graphs of `--program`, in order.
void substitutePrograms(Program& program, const RetraceCommandOptions& options,
                        std::vector<TargetChoice>& choices) {
    std::vector<TargetChoice> programs = selectTargets(program.open({options.program}), {});
    std::erase_if(programs, [](const TargetChoice& each) { return !each.target.program; });
    std::size_t next = 0;
    for (TargetChoice& choice : choices) {
        if (choice.target.program) {
            continue;
        }
        if (next == programs.size()) {
            throw usageFailure(options.program.string() + " has " + std::to_string(next) +
                               " graphs to start from, but more compiles lack a Dynamo graph.");
        }
        choice.target.program = programs[next++].target.program;
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

RetraceRun runOne(Program& program, const TargetChoice& choice, const session::RetraceOptions& retrace,
                  TraceDebugger& debugger) {
    auto snapshot =
        trace(program, {choice.log->log, {choice.target}, retrace, debugger.breakpoints()}, debugger);
    // Without a backend no trace can succeed, so it is reported once.
    requireBackend(*snapshot);
    return {targetTitle(choice), std::move(snapshot)};
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

/// The log file that --log writes.
class LogFile {
public:
    LogFile(const std::filesystem::path& path, const std::vector<session::LogSnapshotPtr>& logs)
        : m_path(path) {
        if (m_path.empty()) {
            return;
        }
        if (logs.size() != 1) {
            throw usageFailure("--log takes only one FILE: the compile ids of several would collide.");
        }
        m_file.open(m_path, std::ios::binary | std::ios::trunc);
        session::writeStrings(m_writer, *logs.front());
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

std::string retracedText(const RetraceRun& run, const RetraceCommandOptions& options) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    std::string text = retraceText(run) + (options.explain ? explainedText(run) : std::string()) +
                       numbersText(run.numbers, options.explain) + cacheText(snapshot) + signatureText(run) +
                       stagesText(snapshot);
    if (options.guards && snapshot.result) {
        text += guardsText(snapshot.result->function.guards);
    }
    if (options.wrappers && snapshot.result) {
        text += wrappersText(snapshot.result->function.wrappers, snapshot.wrapperSources);
    }
    return text;
}

session::RetraceOptions retraceOptions(const RetraceCommandOptions& options) {
    session::RetraceOptions retrace = options.retrace;
    if (options.exported) {
        retrace.exported = options.exportOptions;
    }
    if (options.noKeepInputMutations) {
        retrace.keepInputMutations = false;
    }
    return retrace;
}

int retrace(Program& program, const RetraceCommandOptions& options) {
    const session::RetraceOptions retrace = retraceOptions(options);
    std::optional<base::Error> unreadable;
    const std::vector<session::LogSnapshotPtr> logs = program.open(options.files, false, &unreadable);
    if (logs.empty()) {
        failWith(unreadable, ExitUnreadable);
    }
    std::vector<TargetChoice> choices = selectTargets(logs, options.id);
    if (!options.program.empty()) {
        substitutePrograms(program, options, choices);
    }
    const std::vector<session::LogSnapshotPtr> sources = logsOf(logs, options.id);
    LogFile log(options.log, sources);
    TraceDebugger debugger(program.console, parsedAll<session::Breakpoint>(options.breakpoints), options.json,
                           program.stop);
    std::vector<RetraceRun> runs;
    session::CompileFolders folders(sources.size() > 1);
    for (const TargetChoice& choice : choices) {
        RetraceRun& run = runs.emplace_back(runOne(program, choice, retrace, debugger));
        const session::RetraceSnapshot& snapshot = *run.snapshot;
        if (retrace.numbers) {
            run.numbers = runRecordedCalls(program, choice.log->path, snapshot, options.device);
            std::ranges::move(runBesideEager(snapshot), std::back_inserter(run.numbers));
        }
        if (options.exported) {
            run.signature = signatureOf(snapshot, options.exportOptions);
        }
        if (!options.json) {
            program.console.result(retracedText(run, options));
        }
        if (options.out.empty() && !log.wanted()) {
            continue;
        }
        const auto [function, notSplit] = splitOrWhole(program, snapshot);
        if (notSplit) {
            program.console.message(snapshot.target.name +
                                    ": the joint graph was not partitioned: " + notSplit->message);
        }
        if (log.wanted()) {
            log.write(snapshot, *choice.log, function);
        }
        if (!options.out.empty()) {
            program.write(options.out / folders.next(choice.log->path, choice.target.name),
                          session::retracedFiles(snapshot, function));
        }
    }
    if (runs.empty()) {
        throw nothingToTrace();
    }
    program.console.result(options.json ? answerText(retraceAnswer(runs, unreadable))
                                        : retraceTotals(runs) + "\n");
    failWith(unreadable, ExitUnreadable);
    return allEqual(runs) ? ExitYes : ExitNo;
}

void addExportOptions(Command command, RetraceCommandOptions& options, Option stages) {
    aot::ExportOptions& given = options.exportOptions;
    const Option exported = command.addFlag("--export", &options.exported,
                                            "Export as torch.export and aot_export_module do: the graph "
                                            "gets no wrappers, and a program that needs one is an error");
    stages.excludes(exported);
    const Option joint = command.addFlag("--joint", &given.joint, "With --export: include the backward",
                                         {.needs = {exported}});
    command.addOption("--loss", &given.loss, "With --joint: index of the output that is the loss, from 0",
                      {.needs = {joint}});
    command.addFlag(
        "--simple", &given.simple,
        "With --export: require that the graph can be called as the program is (aot_export_joint_simple)",
        {.needs = {exported}});
    command.addFlag(
        "--pre-dispatch", &given.preDispatch,
        "With --export: record the operators that the program calls, before autograd decomposes them",
        {.needs = {exported}});
}

} // namespace

void addRetraceCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "retrace",
        "Compile the Dynamo graphs of logs again, without Python, and compare with PyTorch's", retrace);
    command.setFooter("One line per compile: equal, equal up to names, or the first difference with both "
                      "sides. Exit code 1 when one differs or cannot be traced.");
    addFileOptions(command, options->files, options->id);
    addDecompositionsOption(command, options->retrace);
    command.addFlag("--no-keep-input-mutations", &options->noKeepInputMutations,
                    "The backend gets graphs without the writes to inputs, as those made with "
                    "aot_autograd() do by default; else as aot_eager and Inductor do");
    command.addOption("--program", &options->program,
                      "Graph file with the program of each compile that has no logged Dynamo graph");
    addTorchOption(command, options->retrace.torch);
    addConfigOption(command, options->retrace.config);
    addExplainOption(command, options->explain);
    command.addFlag("--exact", &options->retrace.exact,
                    "Compare source comments, descriptors and the printed text too");
    command.addFlag("--numbers", &options->retrace.numbers,
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
        "--stages", &options->retrace.stages,
        "Show each stage from Dynamo's graph to the forward that runs; --out writes their graphs");
    command.addFlag(
        "--wrappers", &options->wrappers,
        "List the wrappers that AOTAutograd puts around the graph: what each does, or why it does "
        "nothing");
    command.addFlag("--cache", &options->retrace.cache,
                    "Take compiles from the cache of compiled functions, and put new ones there (see cache)");
    addExportOptions(command, *options, stages);
    command.addFlag("--json", &options->json, jsonHelp<RetraceAnswer>());
}

} // namespace aotscope::cli
