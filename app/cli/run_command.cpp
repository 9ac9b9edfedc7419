#include "call_report.h"
#include "commands.h"
#include "options.h"
#include "run_report.h"
#include "selection.h"
#include "tensor_files.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

struct RunCommandOptions {
    GraphRequest graph;
    /// What runOptions completes.
    session::RunOptions run;
    std::vector<std::string> symbols;
    std::vector<std::string> inputs;
    std::filesystem::path outputs;
    std::vector<std::string> values;
    std::string reference;
    std::string against;
    bool firstDifference = false;
    bool noStatistics = false;
    bool strict = false;
    bool allowStandIns = false;
    bool traceWrappers = false;
    /// What callThroughWrappers completes.
    WrapperRunOptions calling;
    bool json = false;
};

session::RunOptions runOptions(const RunCommandOptions& options) {
    session::RunOptions run = options.run;
    run.statistics = !options.noStatistics;
    run.keepOutputs = !options.outputs.empty();
    for (const SavedValue& value : savedValues(options.values)) {
        run.keepValues.push_back(value.node);
    }
    run.symbols = symbolsFrom(options.symbols);
    if (!options.inputs.empty()) {
        run.inputs = readTensors(options.inputs);
    }
    return run;
}

MadeUpNumbers madeUpNumbers(const RunCommandOptions& options) {
    return options.allowStandIns ? MadeUpNumbers::Shown : MadeUpNumbers::Withheld;
}

/// Notes on the run, except those that its error repeats.
void sayNotes(Program& program, const RunOutcome& outcome) {
    for (const std::string& note : outcome.run->notes) {
        const bool ofStandIn = std::ranges::any_of(outcome.run->standIns, [&](const auto& standIn) {
            return note.find(standIn.target) != std::string::npos;
        });
        if (!ofStandIn) {
            program.console.message("Note: " + note);
        }
    }
    if (!outcome.error && outcome.usesStandIns()) {
        program.console.message(standInText(*outcome.run));
    }
}

/// Writes the values of --value. Several tensors of one node become NODE.0, NODE.1, ….
void saveValues(const session::RunSnapshot& run, const RunCommandOptions& options) {
    for (const SavedValue& saved : savedValues(options.values)) {
        const auto value = std::ranges::find_if(run.values, [&](const session::NodeValuePtr& each) {
            return run.graph->graph->node(each->node).name == saved.node;
        });
        if (value == run.values.end()) {
            throw usageFailure("The graph has no node named \"" + saved.node + "\" that has a value.");
        }
        NamedTensors tensors;
        const std::size_t count = (*value)->tensors.size();
        for (std::size_t i = 0; i < count; ++i) {
            tensors.emplace_back(count == 1 ? saved.node : saved.node + "." + std::to_string(i),
                                 (*value)->tensors[i].data);
        }
        writeTensors(saved.file, tensors);
    }
}

int showOne(Program& program, const RunOutcome& outcome, const RunCommandOptions& options) {
    showRun(program, titleOf(program, outcome.reference), outcome, madeUpNumbers(options), options.json);
    if (outcome.run) {
        sayNotes(program, outcome);
    }
    failWith(outcome.error);
    if (!options.outputs.empty()) {
        writeTensors(options.outputs, outputTensors(outcome.run->outputs));
    }
    saveValues(*outcome.run, options);
    const std::size_t mismatches = mismatchCount(*outcome.run);
    if (mismatches > 0) {
        program.console.message(
            counted(mismatches, "node gave a result that contradicts", "nodes gave results that contradict") +
            " the log.");
    }
    return options.strict && mismatches > 0 ? ExitNo : ExitYes;
}

/// Throws an error of the backend, with which no graph can run: it is reported once.
void requireBackend(const std::optional<base::Error>& error) {
    if (error && (error->code == "session.no_backend" || error->code == "run.no_torch_module" ||
                  error->code == "run.no_gpu" || error->code.starts_with("cuda."))) {
        throw Failure(ExitNo, *error);
    }
}

int runAll(Program& program, const std::vector<session::ArtifactReference>& references,
           const session::RunOptions& run, const RunCommandOptions& options) {
    RunSummary summary;
    for (const session::ArtifactReference& reference : references) {
        const RunOutcome outcome = runGraph(program, {reference, run}, madeUpNumbers(options));
        requireBackend(outcome.error);
        summary.add(titleOf(program, outcome.reference), outcome);
    }
    program.console.result(options.json ? answerText(summary.answer()) : summary.text());
    return summary.allRan() && !(options.strict && summary.anyMismatch()) ? ExitYes : ExitNo;
}

/// Whether the reference of a comparison is the program in eager mode.
bool comparesWithEager(const RunCommandOptions& options) {
    return options.reference == "eager";
}

int callThroughWrappers(Program& program, const RunCommandOptions& options, const session::RunOptions& run) {
    const std::string asked = options.traceWrappers ? "--trace-wrappers" : "--reference eager";
    if (!options.graph.kind.empty() || !options.graph.section.empty() || !options.outputs.empty() ||
        !options.values.empty() || !options.against.empty()) {
        throw usageFailure(asked + " calls whole functions: choose one with --id, without --kind, --section, "
                                   "--outputs, --value and --against.");
    }
    WrapperRunOptions calling = options.calling;
    calling.files = options.graph.files;
    calling.id = options.graph.id;
    calling.json = options.json;
    if (!options.traceWrappers) {
        calling.shown = options.firstDifference ? CallShown::FirstDifference : CallShown::Values;
    }
    session::CallOptions& call = calling.call;
    static_cast<session::RunInputs&>(call) = run;
    call.calls = call.backwardTwice ? std::max<std::size_t>(call.calls, 2) : call.calls;
    return runWrappers(program, calling);
}

using Comparison = Program::Attempt<session::ReferenceSnapshotPtr>;

Comparison compareGraph(Program& program, const session::ArtifactReference& reference,
                        const std::optional<session::ArtifactReference>& against,
                        const session::RunOptions& run) {
    Comparison comparison = program.attempt<session::ReferenceSnapshotPtr>(
        session::CompareWithReference{reference, against, run});
    requireBackend(comparison.error);
    return comparison;
}

int compareOne(Program& program, const std::string& title, const Comparison& comparison,
               const RunCommandOptions& options) {
    const auto& [compared, error] = comparison;
    if (options.json) {
        program.console.result(answerText(referenceAnswer(title, compared, error, options.firstDifference)));
    } else if (compared) {
        program.console.result((options.firstDifference ? "" : referenceTable(*compared)) +
                               firstDifferenceText(*compared));
    }
    program.console.messages("Note: ", compared ? compared->notes : std::vector<std::string>());
    failWith(error);
    return compared && !compared->firstWrong ? ExitYes : ExitNo;
}

/// The option --reference: graphs beside themselves, or one beside another graph, in float64.
int compareWithReference(Program& program, const std::vector<session::ArtifactReference>& references,
                         const session::RunOptions& run, const RunCommandOptions& options) {
    std::optional<session::ArtifactReference> against;
    if (!options.against.empty()) {
        if (references.size() > 1) {
            throw usageFailure("--against is about one graph: choose it with --id and --kind.");
        }
        against = selectGraph(program, parseGraphRequest(options.against));
    }
    if (references.size() == 1) {
        return compareOne(program, titleOf(program, references.front()),
                          compareGraph(program, references.front(), against, run), options);
    }
    ReferenceSummary summary;
    for (const session::ArtifactReference& reference : references) {
        const Comparison comparison = compareGraph(program, reference, against, run);
        summary.add(titleOf(program, reference), comparison.snapshot, comparison.error);
    }
    program.console.result(options.json ? answerText(summary.answer()) : summary.text());
    return summary.allRight() ? ExitYes : ExitNo;
}

int run(Program& program, const RunCommandOptions& options) {
    const session::RunOptions run = runOptions(options);
    if (options.traceWrappers && !options.reference.empty()) {
        throw usageFailure("--trace-wrappers already compares with eager; use it without --reference.");
    }
    if (options.calling.explain && !options.traceWrappers && !comparesWithEager(options)) {
        throw usageFailure("--explain is about verdicts of calls: use it with --trace-wrappers or "
                           "--reference eager.");
    }
    const WrapperRunOptions& calling = options.calling;
    if (!options.traceWrappers && !comparesWithEager(options) &&
        (calling.call.calls != 1 || calling.call.backwardTwice || calling.call.learningRate ||
         calling.cache || !calling.config.empty())) {
        throw usageFailure("--calls, --backward-twice, --learning-rate, --cache and --config are about calls "
                           "of compiled functions: use them with --trace-wrappers or --reference eager.");
    }
    if (options.traceWrappers || comparesWithEager(options)) {
        return callThroughWrappers(program, options, run);
    }
    const bool compares = !options.reference.empty() || !options.against.empty() || options.firstDifference;
    if (compares && (!options.outputs.empty() || !options.values.empty())) {
        throw usageFailure("--reference only compares; run the graph without it to save outputs and values.");
    }
    const std::vector<session::ArtifactReference> references = selectAtenGraphs(program, options.graph);
    if (references.size() > 1 &&
        (!options.inputs.empty() || !options.outputs.empty() || !options.values.empty())) {
        throw usageFailure("Inputs, outputs and values are of one graph: choose it with --id and --kind.");
    }
    if (compares) {
        return compareWithReference(program, references, run, options);
    }
    if (references.size() == 1) {
        return showOne(program, runGraph(program, {references.front(), run}, madeUpNumbers(options)),
                       options);
    }
    return runAll(program, references, run, options);
}

} // namespace

void addRunCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "run", "Run graphs on the CPU or a GPU, node by node", run);
    command.setFooter(
        "Without --id and --kind every joint, forward, backward and inference graph is run and a "
        "summary given; one graph is shown node by node. Exit code 1 when a run fails, or needs an "
        "operator that is not registered here and --allow-stand-ins is not given.");
    addGraphOptions(command, options->graph);
    command.addOption("--seed", &options->run.seed, "Seed of the synthetic inputs", {.showDefault = true});
    addDeviceOption(command, options->run.device);
    command.addOption("--symbol", &options->symbols, "Value of a symbol, such as s0=8; can be repeated",
                      {.takeAll = true});
    command.addOption("--inputs", &options->inputs,
                      "Inputs by placeholder name: X.safetensors, X.npz or NAME=X.npy; can be repeated",
                      {.takeAll = true});
    command.addOption("--outputs,--save-outputs", &options->outputs,
                      "Write the returned tensors: OUT.safetensors, OUT.npz, or a folder");
    command.addOption("--value", &options->values,
                      "Write the value of any node: NODE=OUT.npy, .npz or .safetensors; can be repeated",
                      {.takeAll = true});
    command.addOption(
        "--reference", &options->reference,
        "Run beside a reference: float64 computes each node in exact arithmetic, on the run's own "
        "inputs and on the reference's, and fails when an error is larger than its dtype explains; eager "
        "calls the function, compiled again, beside Dynamo's graph in eager mode (values, mutated "
        "inputs, aliasing, gradients, version counters); exit code 1 when one differs",
        {.oneOf = {"float64", "eager"}});
    command.addOption("--against", &options->against,
                      "The reference is this graph in float64: FILE, FILE:KIND, FILE:ID:KIND; nodes "
                      "correspond by name");
    command.addFlag(
        "--first-difference", &options->firstDifference,
        "Tell only the first wrong op (implies --reference float64), or with --reference eager the "
        "first value that differs");
    command.addFlag("--no-statistics", &options->noStatistics,
                    "Leave out min, mean, max and NaN counts (faster)");
    command.addFlag("--fused", &options->run.fused,
                    "Run fused kernels in place of the nodes that they compute (see kernels --check)");
    command.addFlag("--strict", &options->strict, "Exit code 1 also when a result contradicts the log");
    command.addFlag("--allow-stand-ins", &options->allowStandIns,
                    "Use random values of the logged shape as results of operators that are not registered "
                    "here, and show the numbers that depend on them");
    command.addFlag("--trace-wrappers", &options->traceWrappers,
                    "Compile the functions again and call them through AOTAutograd's runtime wrappers, "
                    "with autograd around them: what each wrapper does, every event, and the same call "
                    "of Dynamo's graph in eager mode; exit code 1 when it differs");
    command.addOption("--calls", &options->calling.call.calls,
                      "With --trace-wrappers or --reference eager: calls in a row",
                      {.between = std::pair(1, 1000), .showDefault = true});
    command.addFlag("--backward-twice", &options->calling.call.backwardTwice,
                    "With --trace-wrappers or --reference eager: after at least one plain call, the last "
                    "call's backward is called twice (retain_graph)");
    command.addOption("--learning-rate", &options->calling.call.learningRate,
                      "With --trace-wrappers or --reference eager: a step of SGD with this rate after each "
                      "call");
    command.addFlag("--cache", &options->calling.cache,
                    "With --trace-wrappers or --reference eager: take compiles and partitions from the "
                    "cache of compiled functions, and put new ones there (see cache)");
    addExplainOption(command, options->calling.explain);
    addConfigOption(command, options->calling.config);
    command.addFlag("--json", &options->json,
                    "JSON for programs (schema aotscope.run/2 or aotscope.runs/2, with --trace-wrappers "
                    "or --reference eager aotscope.call/2, with --reference float64 aotscope.reference/2)");
}

} // namespace aotscope::cli
