#include "commands.h"
#include "options.h"
#include "run_report.h"
#include "selection.h"
#include "tensor_files.h"

#include "base/mapped.h"
#include "base/numbers.h"
#include "files/reproducer.h"
#include "files/rerun_file.h"
#include "ir/text/repro_script.h"

#include <algorithm>
#include <cstdint>

namespace aotscope::cli {

namespace {

struct RerunCommandOptions {
    GraphRequest graph;
    std::vector<std::string> nodes;
    std::string kernel;
    std::filesystem::path source;
    /// Both without what twistOf and readTensors add.
    session::RerunSettings settings;
    session::RunOptions run;
    std::vector<std::string> symbols;
    std::vector<std::string> shapes;
    std::vector<std::string> inputs;
    std::string dtype;
    std::string moveTo;
    bool deterministic = false;
    std::filesystem::path baseline;
    std::filesystem::path save;
    bool json = false;
};

/// A saved rerun has its outputs in base64.
constexpr std::uint64_t mostSavedBytes = std::uint64_t{1} << 30U;

constexpr std::uint64_t mostSourceBytes = 4U << 20U;

/// "8x16" or "8,16"
std::optional<std::vector<std::int64_t>> sizesOf(std::string_view text) {
    std::vector<std::int64_t> sizes;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("x,");
        const auto size = base::wholeNumber<std::int64_t>(text.substr(0, end));
        if (!size || *size < 0) {
            return std::nullopt;
        }
        sizes.push_back(*size);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return sizes;
}

session::RerunChanges twistOf(const RerunCommandOptions& options) {
    session::RerunChanges changes;
    if (!options.dtype.empty()) {
        changes.dtype = ir::dtypeFromName(options.dtype);
        changes.dtype = changes.dtype ? changes.dtype : ir::dtypeFromShortName(options.dtype);
        if (!changes.dtype) {
            throw usageFailure("There is no dtype \"" + options.dtype +
                               "\". Write --dtype bfloat16 or bf16.");
        }
    }
    changes.symbols = symbolsFrom(options.symbols);
    constexpr const char* noSizes = "does not give an input sizes. Write --shape primals_1=8x16.";
    for (const std::string& shape : options.shapes) {
        const auto [input, text] = namedValue(shape, noSizes);
        const auto sizes = sizesOf(text);
        if (!sizes) {
            throw usageFailure("\"" + shape + "\" " + noSizes);
        }
        changes.sizes[input] = *sizes;
    }
    if (!options.moveTo.empty()) {
        const auto choice = session::deviceChoiceFromText(options.moveTo);
        if (!choice) {
            throw usageFailure(choice.error().message + " " + choice.error().hint);
        }
        changes.device = choice->text();
    }
    if (options.deterministic) {
        changes.deterministic = true;
    }
    return changes;
}

std::optional<session::RerunResult> readBaseline(Program& program, const std::filesystem::path& file) {
    if (file.empty()) {
        return std::nullopt;
    }
    const auto parse = [](const std::string& text) { return session::rerunFromJson(text); };
    return program.readAs(file, mostSavedBytes, parse).result;
}

bool differsFromRun(const session::RerunResult& result) {
    return std::ranges::any_of(result.outputs, [](const session::RerunValue& value) {
        return value.fromRun && (value.fromRun->max != 0 || !value.fromRun->incomparable.empty());
    });
}

/// Makes the command run the fused kernel of that name.
void chooseKernel(Program& program, const RerunCommandOptions& options, session::RerunNodes& command) {
    const auto plan = program.resultOf<session::KernelPlanSnapshotPtr>(
        session::PlanKernels{command.graph, command.settings.changes.symbols});
    std::vector<std::string> names;
    for (const kernels::FusionGroup& group : plan->plan.groups) {
        names.push_back(group.kernel.name);
        if (group.kernel.name == options.kernel) {
            for (const ir::NodeId node : group.kernel.nodes) {
                command.nodes.push_back(plan->graph->graph->node(node).name);
            }
            const bool isReplaced = !options.source.empty();
            command.kernel = session::RerunKernel{isReplaced ? program.read(options.source, mostSourceBytes)
                                                             : std::string()};
            return;
        }
    }
    throw usageFailure("The graph has no fused kernel named \"" + options.kernel + "\".",
                       {names.empty() ? "It has none." : "It has " + listed(names) + "."});
}

int rerun(Program& program, const RerunCommandOptions& options) {
    if (options.nodes.empty() == options.kernel.empty()) {
        throw usageFailure("Name what is run again: nodes with --node, or a fused kernel with --kernel.");
    }
    if (!options.source.empty() && options.kernel.empty()) {
        throw usageFailure("--source is the text of a fused kernel: name that with --kernel.");
    }
    session::RerunNodes command;
    command.nodes = options.nodes;
    command.run = options.run;
    if (!options.inputs.empty()) {
        command.run.inputs = readTensors(options.inputs);
    }
    command.settings = options.settings;
    command.settings.changes = twistOf(options);
    command.keepOutputs = !options.save.empty();
    command.baseline = readBaseline(program, options.baseline);
    const std::vector<session::ArtifactReference> references = selectAtenGraphs(program, options.graph);
    if (references.size() != 1) {
        const auto titles =
            base::mapped(references, [&](const auto& each) { return titleOf(program, each); });
        throw usageFailure("Nodes are of one graph: choose it with --id and --kind.", {listed(titles)});
    }
    command.graph = references.front();
    if (!options.kernel.empty()) {
        chooseKernel(program, options, command);
    }
    const auto rerun = program.resultOf<session::RerunSnapshotPtr>(command);
    const session::RerunResult& result = *rerun->result;
    const std::string title = titleOf(program, command.graph);
    if (options.json) {
        session::SavedRerun shown{title, rerun->settings, result};
        shown.result.outputData.clear();
        program.console.result(session::rerunToJson(shown));
    } else {
        program.console.result(rerunText(*rerun, title, options.baseline.filename().string()));
    }
    program.console.messages("Note: ", result.notes);
    if (rerun->settings.changes.isNone() && differsFromRun(result)) {
        program.console.message("Note: the nodes did not give the same values as in the run.");
    }
    if (!options.save.empty()) {
        program.console.resultTo(options.save, session::rerunToJson({title, rerun->settings, result}));
    }
    return result.build && result.build->isRefused() ? ExitNo : ExitYes;
}

void addChangeOptions(Command command, RerunCommandOptions& options) {
    command.addOption("--dtype", &options.dtype,
                      "Convert float inputs, and float dtypes that the nodes name: float64, bf16, …");
    command.addOption("--symbol", &options.symbols, "Value of a symbol, such as s0=8; can be repeated",
                      {.takeAll = true});
    command.addOption(
        "--shape", &options.shapes,
        "Sizes of an input of the nodes: NAME=8x16; its values are repeated or cut off; can be repeated",
        {.takeAll = true});
    command.addOption("--move-to", &options.moveTo,
                      "Repeat the nodes alone on this device, on the inputs of the run on --device");
    command.addFlag("--deterministic", &options.deterministic, "Only deterministic algorithms");
}

struct ReplayCommandOptions {
    std::filesystem::path file;
    bool allowStandIns = false;
    bool json = false;
};

/// A reproducer has up to 64 MiB of inputs, in base64.
constexpr std::uint64_t mostReproducerBytes = 256U << 20U;

session::Reproducer readReproducer(Program& program, const std::filesystem::path& file) {
    const auto parse = [&](const std::string& text) -> base::Result<session::Reproducer> {
        if (ir::looksLikeReproScript(text)) {
            session::Reproducer script;
            script.command = "run";
            script.origin = "the script " + file.filename().string();
            return script;
        }
        return session::reproducerFromJson(text);
    };
    return program.readAs(file, mostReproducerBytes, parse);
}

int replayRerun(Program& program, const session::Reproducer& reproducer,
                const session::ArtifactReference& graph, const ReplayCommandOptions& options) {
    session::RerunNodes command;
    static_cast<session::RerunChoice&>(command) = *reproducer.rerun;
    command.graph = graph;
    command.run = reproducer.options;
    const auto rerun = program.resultOf<session::RerunSnapshotPtr>(command);
    program.console.result(options.json
                               ? session::rerunToJson({reproducer.origin, rerun->settings, *rerun->result})
                               : rerunText(*rerun, reproducer.origin, {}));
    program.console.message("This time the rerun finished.");
    return ExitYes;
}

int replay(Program& program, const ReplayCommandOptions& options) {
    const session::Reproducer reproducer = readReproducer(program, options.file);
    const bool isRerun = reproducer.command == "rerun" && reproducer.rerun;
    if (reproducer.command != "run" && !isRerun) {
        throw usageFailure("This program cannot replay \"" + reproducer.command +
                           "\", only \"run\" and \"rerun\".");
    }
    const std::string before = reproducer.error ? reproducer.error->message : "it did not finish";
    program.console.message("Replaying the " + reproducer.command + " of " + reproducer.origin +
                            (reproducer.graph ? "; recorded: " + before : std::string(".")));
    if (!reproducer.inputsLeftOut.empty()) {
        program.console.message("Note: too large for the reproducer, and generated from the seed instead: " +
                                listed(reproducer.inputsLeftOut) + ".");
    }

    // To the session a reproducer is a graph file.
    const auto logs = program.open({options.file});
    if (isRerun) {
        return replayRerun(program, reproducer, logs.front()->graphs().front()->reference, options);
    }
    const MadeUpNumbers madeUp = options.allowStandIns ? MadeUpNumbers::Shown : MadeUpNumbers::Withheld;
    const RunOutcome outcome =
        runGraph(program, {logs.front()->graphs().front()->reference, reproducer.options}, madeUp);
    showRun(program, reproducer.origin, outcome, madeUp, options.json);
    failWith(outcome.error);
    if (outcome.usesStandIns()) {
        program.console.message(standInText(*outcome.run));
    }
    program.console.message("This time the run finished.");
    return ExitYes;
}

} // namespace

void addRerunCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "rerun",
                   "Run nodes of a graph again and again, with the inputs that they have in a run", rerun);
    command.setFooter(
        "The graph runs once up to the nodes. Then only they run, on the same values, which are put "
        "back where a node writes to them. Exit code 1 when a node fails.");
    addGraphOptions(command, options->graph);
    command.addOption(
        "--node", &options->nodes,
        "A node by its name; can be repeated: the nodes run one after the other, as in the graph",
        {.takeAll = true});
    command.addOption("--kernel", &options->kernel,
                      "A fused kernel by its name, as the command kernels lists it, in place of --node");
    command.addOption("--source", &options->source,
                      "With --kernel: a file with CUDA C++ in place of its text");
    command.addOption("--repeat", &options->settings.repetitions, "Repetitions that are measured",
                      {.between = std::pair(std::size_t{1}, std::size_t{10'000'000}), .showDefault = true});
    command.addOption("--warm-up", &options->settings.warmUp, "Repetitions before them",
                      {.between = std::pair(std::size_t{0}, std::size_t{10'000'000}), .showDefault = true});
    command.addFlag("--cold", &options->settings.coldCache, "Empty the caches between repetitions");
    command.addOption("--seed", &options->run.seed, "Seed of the run's inputs", {.showDefault = true});
    command.addOption(
        "--inputs", &options->inputs,
        "The run's inputs by placeholder name: X.safetensors, X.npz or NAME=X.npy; can be repeated",
        {.takeAll = true});
    addDeviceOption(command, options->run.device);
    addChangeOptions(command, *options);
    command.addOption("--baseline", &options->baseline,
                      "Compare times and values with a rerun that --save wrote");
    command.addOption("--save", &options->save, "Write the rerun with its values (schema aotscope.rerun/3)");
    command.addFlag("--json", &options->json, "JSON for programs (schema aotscope.rerun/3)");
}

void addReplayCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "replay", "Run a reproducer again; exit code 1 when it still fails", replay);
    command.addOption("FILE", &options->file,
                      "Reproducer written by a failed run, or a PyTorch script (fx_graph_runnable, repro.py)",
                      {.required = true});
    command.addFlag(
        "--allow-stand-ins", &options->allowStandIns,
        "Use random values of the logged shape as results of operators that are not registered here");
    command.addFlag("--json", &options->json,
                    "JSON for programs (schema aotscope.run/2 or aotscope.rerun/3)");
}

} // namespace aotscope::cli
