#include "call_report.h"
#include "commands.h"
#include "compile_answer.h"
#include "options.h"
#include "retrace_report.h"
#include "wrapper_report.h"

#include "contract/retrace_options.h"
#include "explore/split_retraced.h"
#include "recompile/compile_warnings.h"

namespace aotscope::cli {

/// A compile with its wrappers, innermost first; without those that were not traced.
struct WrappersAnswer {
    std::string graph = {};
    std::string name = {};
    std::string kind = {};
    std::optional<aot::RulesChoice> rules = {};
    std::optional<std::vector<OptionAnswer>> configuration = {};
    /// Why this path.
    std::string reason = {};
    /// Whether the joint graph was split.
    bool partitioned = false;
    std::vector<WrapperAnswer> wrappers = {};
    std::vector<AbsentWrapper> absent = {};
    std::vector<load::WrapperSource> otherSources = {};
    std::vector<passes::GraphWarning> warnings = {};
    std::optional<CallAnswer> call = {};
    std::optional<base::Error> error = {};
};
AOTSCOPE_MEMBERS(WrappersAnswer, graph, name, kind, rules, configuration, reason, partitioned, wrappers,
                 absent, otherSources, warnings, call, error)

struct WrapperStacksAnswer {
    std::vector<WrappersAnswer> compiles;
};
AOTSCOPE_MEMBERS(WrapperStacksAnswer, compiles)

AOTSCOPE_ANSWER(WrapperStacksAnswer, "aotscope.wrappers/2")

namespace {

struct WrappersCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    session::RetraceOptions retrace;
    bool run = false;
    session::CallOptions call;
    std::vector<std::string> hooks;
    std::string hookMode;
    std::string runTimeHook;
    bool explain = false;
    bool json = false;
};

/// A compile with its wrappers: those of the partitioned compile, because AOTDispatchAutograd's are only
/// known then.
struct WrappersRun {
    std::string title;
    session::RetraceSnapshotPtr snapshot;
    aot::CompiledFunction function;
    /// Why the joint graph was not partitioned.
    std::optional<base::Error> notSplit = {};
    /// Null: it was not to be called.
    session::CallSnapshotPtr call = nullptr;
};

/// The same, called with real tensors.
WrappersRun calledThrough(Program& program, const TargetChoice& choice,
                          const WrappersCommandOptions& options) {
    session::CallCompiled command{choice.log->log, choice.target, options.retrace, {}, {}};
    command.choices.hooks = planOf(program, options.hooks, options.hookMode);
    command.call = withRecordedInputs(program, choice, options.call);
    if (!options.runTimeHook.empty()) {
        command.call.runTimeHooks = hookText(program, options.runTimeHook);
        // What runs beside the graphs is not in them.
        command.choices.hooks = hooks::HookPlan();
    }

    // A plain step comes first: with it PyTorch compiles the backward.
    command.call.calls = options.call.backwardTwice ? 2 : 1;
    const auto call = program.resultOf<session::CallSnapshotPtr>(command);
    WrappersRun run{targetTitle(choice), call->retraced, {}, {}, call};
    if (call->function) {
        run.function = *call->function;
    } else if (run.snapshot->result) {
        run.function = session::functionOf(*run.snapshot);
        run.notSplit = call->record->error;
    }
    return run;
}

WrappersRun wrappersOf(Program& program, const TargetChoice& choice, const session::RetraceOptions& options) {
    auto snapshot = retraced(program, choice, options);
    auto [function, notSplit] = splitOrWhole(program, *snapshot);
    return {targetTitle(choice), std::move(snapshot), std::move(function), std::move(notSplit)};
}

std::vector<passes::GraphWarning> warningsOf(const WrappersRun& run) {
    return run.snapshot->result ? session::warningsOfCall(*run.snapshot, run.function)
                                : std::vector<passes::GraphWarning>();
}

std::string wrappersText(const WrappersRun& run, bool explain) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    std::string text = titleWithKind(run.title, snapshot);
    if (!snapshot.result) {
        text += ": not traced: " + snapshot.error->message + "\n";
        for (const load::WrapperSource& source : snapshot.wrapperSources) {
            text += "  logged code: " + source.section + " (line " + std::to_string(source.line) + ")\n" +
                    codeText(source.text);
        }
        return text;
    }
    text += ": " + snapshot.result->function.reason + "\n" +
            configurationText(snapshot.functorch, snapshot.result->function.configuration.torch,
                              aot::touches::all);
    if (run.notSplit) {
        text += "  the joint graph was not partitioned: " + run.notSplit->message + "\n";
    }
    text += warningsText(warningsOf(run)) +
            wrappersText(run.function.wrappers, snapshot.wrapperSources, SourceShown::Code) +
            absentWrappersText(run.function);
    if (run.call && run.call->function) {
        text += " called, from the outermost wrapper:\n" + callCacheText(*run.call) +
                wrapperCallsText(*run.call) + "  " + callVerdict(*run.call) + "\n";
        text += explain ? explanationOf(verdictOf(*run.call), "    ") : "";
    }
    return text;
}

WrappersAnswer answerOf(const WrappersRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    WrappersAnswer answer{.graph = run.title,
                          .name = snapshot.target.name,
                          .kind = graphKind(snapshot),
                          .rules = snapshot.rules,
                          .otherSources = otherSources(run.function.wrappers, snapshot.wrapperSources),
                          .warnings = warningsOf(run),
                          .error = snapshot.error ? snapshot.error : run.notSplit};
    if (snapshot.result) {
        answer.reason = snapshot.result->function.reason;
        answer.partitioned = run.function.partition != nullptr;
        answer.wrappers = wrapperAnswers(run.function.wrappers, snapshot.wrapperSources);
        answer.absent = absentWrappers(run.function);
        answer.configuration = configurationAnswer(
            snapshot.functorch, snapshot.result->function.configuration.torch, aot::touches::all);
    }
    if (run.call) {
        answer.call = callAnswer(*run.call, CallShown::Events);
    }
    return answer;
}

int showWrappers(Program& program, const WrappersCommandOptions& options) {
    const std::vector<TargetChoice> choices = selectTargets(program.open(options.files), options.id);
    WrapperStacksAnswer answer;
    bool all = true;
    for (const TargetChoice& choice : choices) {
        const WrappersRun run = options.run ? calledThrough(program, choice, options)
                                            : wrappersOf(program, choice, options.retrace);
        all = all && run.snapshot->result && !run.notSplit && (!run.call || callAgrees(*run.call));
        if (options.json) {
            answer.compiles.push_back(answerOf(run));
        } else {
            program.console.result(wrappersText(run, options.explain));
        }
    }
    if (choices.empty()) {
        throw nothingToTrace();
    }
    if (options.json) {
        program.console.result(answerText(answer));
    }
    return all ? ExitYes : ExitNo;
}

} // namespace

void addWrappersCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "wrappers",
        "Show the wrappers that AOTAutograd puts around a compiled graph, and with --run what each did",
        showWrappers);
    command.setFooter(
        "From the innermost to the outermost; a call goes through them in the opposite order. For "
        "each: whether it applies and why, its state, and the code that torch 2.15 logged for it. "
        "With --run each compile is called with real tensors, beside Dynamo's graph in eager mode. "
        "Exit code 1 when a compile cannot be traced or partitioned, or its call fails or differs "
        "from that.");
    addFileOptions(command, options->files, options->id);
    addTorchOption(command, options->retrace.torch);
    addConfigOption(command, options->retrace.config);
    const Option called =
        command.addFlag("--run", &options->run,
                        "Also call each compile: what every wrapper did to its arguments and results, and "
                        "how long it took itself");
    command.addOption("--hook", &options->hooks, "With --run: saved-tensors hooks to inline, as for hooks",
                      {.takeAll = true, .oneValueEach = true});
    addHookModeOption(command, options->hookMode,
                      "With --run: which saved tensors they apply to: donated, no_static or all");
    command.addOption(
        "--run-time-hook", &options->runTimeHook,
        "With --run: a hook of the library or a file, called while the function runs, as PyTorch "
        "calls hooks that are no graphs; nothing is inlined");
    command.addFlag(
        "--backward-twice", &options->call.backwardTwice,
        "With --run: after a plain call another one, whose backward is called twice (retain_graph)",
        {.needs = {called}});
    command.addOption("--seed", &options->call.seed, "With --run: seed of the synthetic inputs",
                      {.needs = {called}, .showDefault = true});
    addDeviceOption(command, options->call.device, "Device for --run");
    command.addFlag("--cache", &options->retrace.cache,
                    "With --run: take compiles and partitions from the cache of compiled functions, and put "
                    "new ones there (see cache)",
                    {.needs = {called}});
    addExplainOption(command, options->explain).needs(called);
    command.addFlag("--json", &options->json, jsonHelp<WrapperStacksAnswer>());
}

} // namespace aotscope::cli
