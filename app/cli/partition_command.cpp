#include "budget_options.h"
#include "commands.h"
#include "explain_option.h"
#include "graph_options.h"
#include "partition_run.h"
#include "print_passes.h"
#include "selection.h"

#include "base/mapped.h"
#include "explore/partition_csv.h"
#include "recompile/retraced_files.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

struct PartitionsAnswer {
    std::ptrdiff_t equal = 0;
    std::ptrdiff_t equalUnderDefault = 0;
    std::ptrdiff_t equalInWhatIsSaved = 0;
    std::ptrdiff_t different = 0;
    std::ptrdiff_t undecided = 0;
    std::vector<PartitionAnswer> partitions = {};
};
AOTSCOPE_MEMBERS(PartitionsAnswer, equal, equalUnderDefault, equalInWhatIsSaved, different, undecided,
                 partitions)
AOTSCOPE_ANSWER(PartitionsAnswer, "aotscope.partition/4")

namespace {

struct PartitionCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    std::string partitioner = "auto";
    std::string input = "auto";
    /// Choices without an option below.
    session::PartitionChoices choices;
    std::vector<std::string> save;
    std::vector<std::string> recompute;
    bool compare = false;
    bool explain = false;
    bool json = false;
    std::string format = "table";
    PrintedPasses printed;
    std::filesystem::path out;
};

PartitionRequest partitionRequest(const PartitionCommandOptions& options) {
    PartitionRequest request;
    session::PartitionChoices& choices = request.choices;
    choices = options.choices;
    chooseSplit(choices, options.partitioner, options.save, options.recompute);
    request.compare = options.compare;
    request.input = jointInputNamed(options.input);
    return request;
}

std::vector<PartitionRun> partitionAll(Program& program, const PartitionCommandOptions& options) {
    const auto logs = program.open(options.files);
    const std::vector<CompileChoice> choices =
        options.id.empty() ? compilesWithGraphs(logs) : std::vector{selectCompile(logs, options.id)};
    Partitioner partitioner(program, partitionRequest(options));
    std::vector<PartitionRun> runs;
    for (const CompileChoice& choice : choices) {
        for (const PartitionJob& job :
             partitionJobs(choice, options.partitioner, jointInputNamed(options.input))) {
            if (auto run = partitioner.run(job)) {
                runs.push_back(std::move(*run));
            }
        }
    }
    if (runs.empty()) {
        throw usageFailure("There is no joint graph here: nothing to partition.",
                           {"A log has one for each compile whose inputs need gradients; see open."});
    }
    return runs;
}

void writeHalves(Program& program, const std::filesystem::path& out, const std::vector<PartitionRun>& runs) {
    const bool severalLogs =
        std::ranges::any_of(runs, [&](const PartitionRun& run) { return run.log != runs.front().log; });
    session::CompileFolders folders(severalLogs);
    for (const PartitionRun& run : runs) {
        const std::filesystem::path folder = out / folders.next(run.log->path, run.compile);
        if (!run.split) {
            continue;
        }
        std::error_code failed;
        std::filesystem::create_directories(folder, failed);
        for (const session::NamedText& file : session::halvesFiles(*run.split->function.partition)) {
            program.console.resultTo(folder / file.name, file.text);
        }
        program.console.resultTo(folder / "report.json", jsonText(answerJson(partitionAnswer(run))));
    }
}

void showPartitions(Program& program, const PartitionCommandOptions& options,
                    const std::vector<PartitionRun>& runs) {
    if (options.format == "csv") {
        std::string text = session::splitCsvHeader();
        for (const PartitionRun& run : runs) {
            text += run.split ? session::splitCsv(run.title, *run.split) : std::string();
        }
        program.console.result(text);
    } else if (options.json || options.format == "json") {
        const auto count = [&](const auto& predicate) { return std::ranges::count_if(runs, predicate); };
        PartitionsAnswer answer{
            .equal = count([](const PartitionRun& run) { return isEqual(run) && areGraphsCompared(run); }),
            .equalUnderDefault = count(isEqualUnderDefault),
            .equalInWhatIsSaved =
                count([](const PartitionRun& run) { return isEqual(run) && !areGraphsCompared(run); }),
            .different = count(isDifferent),
            .undecided = count(isUndecided)};
        answer.partitions = base::mapped(runs, partitionAnswer);
        program.console.result(answerText(answer));
    } else if (runs.size() == 1 && runs.front().split && !options.compare) {
        program.console.result(partitionTable(runs.front()));
    } else {
        program.console.result(partitionSummary(runs));
    }
    if (options.explain && !options.json && options.format == "table") {
        program.console.result(explainedPartitions(runs));
    }
}

int partition(Program& program, const PartitionCommandOptions& options) {
    const std::vector<PartitionRun> runs = partitionAll(program, options);
    if (!options.out.empty()) {
        writeHalves(program, options.out, runs);
    }
    printPasses(program, options.printed, runs, !options.json && options.format == "table");
    showPartitions(program, options, runs);
    for (const PartitionRun& run : runs) {
        for (const std::string& note : run.notes) {
            program.console.message(run.title + ": " + note);
        }
    }
    if (runs.size() == 1 && runs.front().error) {
        throw Failure(ExitNo, *runs.front().error);
    }
    const auto count = [&](const auto& predicate) { return std::ranges::count_if(runs, predicate); };
    const auto differing = count(isDifferent);
    const auto failed = count([](const PartitionRun& run) { return run.error.has_value(); });
    if (options.compare) {
        const auto equal = count(isEqual);
        const auto inSaved =
            count([](const PartitionRun& run) { return isEqual(run) && !areGraphsCompared(run); });
        const auto underDefault = count(isEqualUnderDefault);
        const auto undecided = count(isUndecided);
        const auto compared = equal + underDefault + differing + undecided;
        const auto alone = static_cast<std::ptrdiff_t>(runs.size()) - compared - failed;
        const std::string apart = underDefault == 0
                                      ? std::string()
                                      : ", " + std::to_string(underDefault) +
                                            " equal under the default partitioner, which nobody chose";
        const std::string saved =
            inSaved == 0
                ? std::string()
                : ", " + std::to_string(inSaved) + " equal in what is saved (the graphs are not comparable)";
        program.console.message(
            std::to_string(equal - inSaved) + " equal" + saved + apart + ", " + std::to_string(differing) +
            " differ, " + (undecided == 0 ? "" : std::to_string(undecided) + " not comparable, ") +
            std::to_string(failed) + " failed, " + std::to_string(alone) + " with nothing to compare with.");
        if (compared + failed == 0) {
            throw Failure(ExitNo,
                          base::Error{.code = "cli.nothing_to_compare",
                                      .message = "There is no forward or backward graph to compare with.",
                                      .hint = "Leave --compare out."});
        }
    }
    return differing + failed > 0 ? ExitNo : ExitYes;
}

} // namespace

void addPartitionCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "partition", "Split joint graphs into forward and backward as PyTorch does, and say why");
    command.setFooter(
        "Without --id every joint graph is partitioned. A single graph is shown with what is saved and why; "
        "several graphs, or --compare, give one line each. Exit code 1 when one differs or fails.");
    auto options = std::make_shared<PartitionCommandOptions>();
    command.addOption("FILE", &options->files, "Trace logs, folders of logs, or graph files").required();
    addIdOption(command, options->id);
    command
        .addOption("--partitioner", &options->partitioner,
                   "default, min-cut, or auto: the one that the file names, else min-cut, which is assumed "
                   "where a log does not name its backend")
        .oneOf({"auto", "default", "min-cut"})
        .showDefault();
    command
        .addOption("--input", &options->input,
                   "Joint graph to split: traced (by the engine), logged, or auto: traced, or logged "
                   "if the traced one differs or fails")
        .oneOf({"auto", "traced", "logged"})
        .showDefault();
    command.addOption("--budget", &options->choices.memoryBudget, "Activation-memory budget, 0 to 1")
        .between(0.0, 1.0)
        .showDefault("as the file says");
    addBudgetOptions(command, options->choices);
    command.addOption("--forward-outputs", &options->choices.forwardOutputs,
                      "Number of forward outputs, if the graph does not give it");
    command.addOption("--save", &options->save, "Force a node of the joint graph to be saved").takeAll();
    command.addOption("--recompute", &options->recompute, "Force a node to be recomputed").takeAll();
    command.addFlag("--compare", &options->compare,
                    "Compare with the logged forward and backward: what is saved, and the graphs");
    addExplainOption(command, options->explain);
    addPrintOptions(command, options->printed);
    command.addOption("--out", &options->out,
                      "Folder for the graphs (text and JSON) and the report, one per compile id");
    command
        .addOption(
            "--format", &options->format,
            "table, json (schema aotscope.partition/4), or csv: a line per saved and per recomputed value")
        .oneOf({"table", "json", "csv"})
        .showDefault();
    command.addFlag("--json", &options->json, "The same as --format json");
    onCall(command, chosen, options, partition);
}

} // namespace aotscope::cli
