#include "command_line.h"
#include "commands.h"
#include "options.h"
#include "partition_run.h"
#include "program.h"
#include "selection.h"
#include "table.h"

#include "base/mapped.h"
#include "explore/partition_by_choices.h"
#include "explore/partition_csv.h"
#include "ir/text/printer.h"

#include <algorithm>
#include <string>
#include <vector>

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

/// The passes whose graphs a person wants to see.
struct PrintedPasses {
    /// Their names, or "all".
    std::vector<std::string> after;
    /// Only passes that changed a graph; without names all of these.
    bool changed = false;
};

constexpr const char* allPasses = "all";

bool isPrinted(const PrintedPasses& printed, const std::string& pass, bool hasChanged) {
    const auto isNamed = [&](const std::string& name) { return std::ranges::count(printed.after, name) > 0; };
    return (printed.after.empty() || isNamed(pass) || isNamed(allPasses)) && (hasChanged || !printed.changed);
}

/// Adds `--print-after` and `--print-changed`. `printed` must outlive the command.
void addPrintOptions(Command command, PrintedPasses& printed) {
    const auto words = base::words<passes::PassKind>();
    std::vector<std::string> names(words.begin(), words.end());
    names.emplace_back(allPasses);
    command.addOption("--print-after", &printed.after,
                      "Print the graphs that a pass leaves, and how long passes took; repeatable",
                      {.oneOf = names, .takeAll = true, .oneValueEach = true});
    command.addFlag("--print-changed", &printed.changed,
                    "Print the graphs of passes that changed one: of all, or of those of --print-after");
}

/// Writes the graphs that these passes of the partitions left as text, each below a comment that names it: to
/// standard output, or if that is for other results (`toResult` is false) to stderr. Throws Failure.
void printPasses(Program& program, const PrintedPasses& printed, const std::vector<PartitionRun>& runs,
                 bool toResult) {
    if (printed.after.empty() && !printed.changed) {
        return;
    }
    for (const PartitionRun& run : runs) {
        if (!run.split) {
            continue;
        }
        std::string times;
        const auto print = [&](const passes::PassRun& pass) {
            const std::string name(base::wordOf(pass.pass));
            times += (times.empty() ? "" : ", ") + name + " " + durationText(pass.time.count());
            if (!isPrinted(printed, name, pass.hasChanged)) {
                return;
            }
            std::string text;
            for (const passes::PassGraph& left : pass.graphs) {
                text += "# " + run.graph + ", after " + name + ": " + left.name + "\n" +
                        ir::printGraph(*left.graph).text;
            }
            toResult ? program.console.result(text) : program.console.besideResult(text);
        };
        orFail(ExitNo, session::watchPasses(*run.split, print, program.progress()));
        program.console.message("Passes of " + run.graph + ": " + times);
    }
}

struct PartitionCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    SplitOptions split;
    std::string input = "auto";
    bool compare = false;
    bool explain = false;
    bool json = false;
    std::string format = "table";
    PrintedPasses printed;
    std::filesystem::path out;
};

std::vector<PartitionRun> partitionAll(Program& program, const PartitionCommandOptions& options) {
    const PartitionRequest request{options.split.partitioner, options.split.choices(),
                                   *base::fromWord<JointInput>(options.input), options.compare};
    std::vector<PartitionRun> runs;
    partitionEach(program, selectCompiles(program.open(options.files), options.id), request,
                  [&](PartitionRun run) { runs.push_back(std::move(run)); });
    if (runs.empty()) {
        throw usageFailure("There is no joint graph here: nothing to partition.",
                           {"A log has one for each compile whose inputs need gradients; see open."});
    }
    return runs;
}

PartitionsAnswer countsOf(const std::vector<PartitionRun>& runs) {
    const auto count = [&](const auto& predicate) { return std::ranges::count_if(runs, predicate); };
    const auto isWhole = [](const PartitionRun& run) { return isEqual(run) && areGraphsCompared(run); };
    const auto isInSaved = [](const PartitionRun& run) { return isEqual(run) && !areGraphsCompared(run); };
    return {.equal = count(isWhole),
            .equalUnderDefault = count(isEqualUnderDefault),
            .equalInWhatIsSaved = count(isInSaved),
            .different = count(isDifferent),
            .undecided = count(isUndecided)};
}

void showPartitions(Program& program, const PartitionCommandOptions& options,
                    const std::vector<PartitionRun>& runs) {
    if (options.format == "csv") {
        std::string text = session::splitCsvHeader();
        for (const PartitionRun& run : runs) {
            text += run.split ? session::splitCsv(run.graph, *run.split) : std::string();
        }
        program.console.result(text);
    } else if (options.json || options.format == "json") {
        PartitionsAnswer answer = countsOf(runs);
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
        writePartitions(program, options.out, runs, partitionFiles);
    }
    printPasses(program, options.printed, runs, !options.json && options.format == "table");
    showPartitions(program, options, runs);
    for (const PartitionRun& run : runs) {
        program.console.messages(run.graph + ": ", run.notes);
    }
    if (runs.size() == 1) {
        failWith(runs.front().error);
    }
    const PartitionsAnswer counts = countsOf(runs);
    const auto failed =
        std::ranges::count_if(runs, [](const PartitionRun& run) { return run.error.has_value(); });
    if (options.compare) {
        const auto compared = counts.equal + counts.equalInWhatIsSaved + counts.equalUnderDefault +
                              counts.different + counts.undecided;
        const auto alone = static_cast<std::ptrdiff_t>(runs.size()) - compared - failed;
        const auto some = [](std::ptrdiff_t count, const char* what) {
            return count == 0 ? std::string() : ", " + std::to_string(count) + what;
        };
        program.console.message(
            textOf(counts.equal, " equal",
                   some(counts.equalInWhatIsSaved, " equal in what is saved (the graphs are not comparable)"),
                   some(counts.equalUnderDefault, " equal under the default partitioner, which nobody chose"),
                   ", ", counts.different, " differ", some(counts.undecided, " not comparable"), ", ", failed,
                   " failed, ", alone, " with nothing to compare with."));
        if (compared + failed == 0) {
            throw nothingToCompare();
        }
    }
    return counts.different + failed > 0 ? ExitNo : ExitYes;
}

} // namespace

void addPartitionCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "partition",
                   "Split joint graphs into forward and backward as PyTorch does, and say why", partition);
    command.setFooter(
        "Without --id every joint graph is partitioned. A single graph is shown with what is saved and why; "
        "several graphs, or --compare, give one line each. Exit code 1 when one differs or fails.");
    addFileOptions(command, options->files, options->id);
    addPartitionerOption(command, options->split,
                         "default, min-cut, or auto: the one that the file names, else min-cut, which is "
                         "assumed where a log does not name its backend");
    addInputOption(command, options->input,
                   "Joint graph to split: traced (by the engine), logged, or auto: traced, or logged "
                   "if the traced one differs or fails");
    addBudgetOption(command, options->split, "Activation-memory budget, 0 to 1");
    addCostOptions(command, options->split.others);
    command.addOption("--forward-outputs", &options->split.others.forwardOutputs,
                      "Number of forward outputs, if the graph does not give it");
    command.addOption("--save", &options->split.save, "Force a node of the joint graph to be saved",
                      {.takeAll = true});
    command.addOption("--recompute", &options->split.recompute, "Force a node to be recomputed",
                      {.takeAll = true});
    command.addFlag("--compare", &options->compare,
                    "Compare with the logged forward and backward: what is saved, and the graphs");
    addExplainOption(command, options->explain);
    addPrintOptions(command, options->printed);
    command.addOption("--out", &options->out,
                      "Folder for the graphs (text and JSON) and the report, one per compile id");
    command.addOption(
        "--format", &options->format,
        "table, json (schema aotscope.partition/4), or csv: a line per saved and per recomputed value",
        {.oneOf = {"table", "json", "csv"}, .showDefault = true});
    command.addFlag("--json", &options->json, "The same as --format json");
}

} // namespace aotscope::cli
