#include "commands.h"
#include "options.h"
#include "picture.h"
#include "selection.h"

#include "contract/category_facts.h"
#include "explore/split_fates.h"
#include "files/logged_partitions.h"
#include "ir/json/graph_json.h"
#include "judge/answers.h"
#include "layout/export.h"

#include <memory>
#include <optional>

namespace aotscope::cli {

namespace {

struct GraphCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    std::string format = "text";
    std::filesystem::path out;
    /// Mark a partition's saved and recomputed values in the picture.
    bool marksSplit = false;
    SplitOptions split;
};

bool wantsSplit(const GraphCommandOptions& options) {
    return options.marksSplit || options.split.choices() != session::PartitionChoices();
}

session::GraphSnapshotPtr parsed(const session::GraphSnapshotPtr& graph) {
    if (!graph->graph) {
        base::Error error = graph->error.value_or(base::Error{});
        if (isChoiceError(error)) {
            error.hint = "Choose one with --section.";
            throw Failure(ExitUsage, std::move(error));
        }
        if (error.hint.empty()) {
            error.hint = "--format raw prints the text as logged.";
        }
        throw Failure(ExitNo, std::move(error));
    }
    return graph;
}

/// The logged halves of a joint graph; null: the log has none, or they cannot be read.
judge::LoggedAnswerPtr tryAnswer(Program& program, const session::LogSnapshot& log,
                                 const session::ArtifactReference& joint) {
    const auto read = [&](const session::ArtifactReference& half) -> base::Result<session::GraphSnapshotPtr> {
        const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{half});
        if (!graph->graph) {
            return graph->error.value_or(base::Error{});
        }
        return graph;
    };
    const auto answers = judge::readAnswers(log, joint, read);
    return answers && !answers->halves.empty() ? answers->halves.front() : nullptr;
}

/// What a partition of the graph's joint graph does with its nodes; nothing unless requested.
std::optional<layout::SplitFacts> splitOf(Program& program, const session::ArtifactReference& reference,
                                          const ir::Graph& graph, const GraphCommandOptions& options) {
    if (!wantsSplit(options)) {
        return std::nullopt;
    }
    const session::LogSnapshotPtr log = program.session.tryLog(reference.log);
    const auto joint = log ? session::jointGraphOf(*log, reference) : std::nullopt;
    if (!joint) {
        throw usageFailure("This graph has no joint graph that could be split: leave out --split and the "
                           "other options of the split.");
    }
    const session::PartitionChoices choices = options.split.choices();
    try {
        return session::splitFacts(graph, *program.resultOf<session::PartitionSnapshotPtr>(
                                              session::PartitionJoint{*joint, choices}));
    } catch (const Failure& failure) {
        const auto logged = failure.code() == ExitNo && choices == session::PartitionChoices()
                                ? tryAnswer(program, *log, *joint)
                                : nullptr;
        if (!logged) {
            throw;
        }
        program.console.message("The joint graph cannot be split here (" + failure.error().message +
                                "); the marks are what the log's forward and backward show.");
        return judge::loggedSplitFacts(graph, *logged);
    }
}

std::string picture(Program& program, const session::ArtifactReference& reference,
                    const GraphCommandOptions& options) {
    session::LayOutGraph command;
    command.graph = reference;
    const auto laidOut = program.resultOf<session::LayoutSnapshotPtr>(command);
    const ir::Graph& graph = *parsed(laidOut->graph)->graph;
    if (!laidOut->layout->note.empty()) {
        program.console.message(laidOut->layout->note);
    }
    const std::optional<layout::SplitFacts> split = splitOf(program, reference, graph, options);
    const auto marks =
        split ? std::optional(layout::splitMarks(graph, *laidOut->layout, *split)) : std::nullopt;
    const layout::SplitMarks* given = marks ? &*marks : nullptr;
    layout::CategoryFacts facts = session::categoryFacts(*laidOut->graph);
    facts.split = split ? &*split : nullptr;
    const std::vector<layout::Category> categories =
        layout::boxCategories(*laidOut->layout, layout::nodeCategories(facts));
    return options.format == "svg" ? layout::toSvg(graph, *laidOut->layout, categories, {}, given)
                                   : pngOf({graph, *laidOut->layout, categories, given}, program.stop);
}

std::string rendered(Program& program, const session::ArtifactReference& reference,
                     const GraphCommandOptions& options) {
    const std::string& format = options.format;
    if (format == "svg" || format == "png") {
        return picture(program, reference, options);
    }
    if (wantsSplit(options) && format != "dot") {
        throw usageFailure("A split is marked only in pictures: use --format svg, png or dot.",
                           {"The command partition shows it as text."});
    }
    const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (format == "raw") {
        return graph->text;
    }
    if (format == "json") {
        return ir::graphToJson(*parsed(graph)->graph) + "\n";
    }
    if (format == "dot") {
        const auto split = splitOf(program, reference, *parsed(graph)->graph, options);
        return layout::toDot(*graph->graph, graph->modules, split ? &*split : nullptr);
    }
    return parsed(graph)->printed.text;
}

int showGraph(Program& program, const GraphCommandOptions& options) {
    GraphRequest request{{options.file}, options.id, options.kind, options.section};
    if (options.format == "png" && options.out.empty() && Console::resultIsTerminal()) {
        throw usageFailure("A PNG cannot be printed to a terminal: name a file with -o.");
    }
    const session::ArtifactReference reference = selectGraph(program, request);
    program.console.resultTo(options.out, rendered(program, reference, options));
    return ExitYes;
}

} // namespace

void addGraphCommand(Command app, Action& chosen) {
    const Command command = app.addCommand("graph", "Print or draw one graph");
    auto options = std::make_shared<GraphCommandOptions>();
    command.addOption("FILE", &options->file, "Trace log, folder of logs, or graph file (FX text or JSON)",
                      {.required = true});
    addIdOption(command, options->id);
    command.addOption(
        "--kind", &options->kind,
        "dynamo, joint, forward, backward, inference, compiled_autograd, or an artifact's name");
    command.addOption("--section", &options->section,
                      "Graph inside the artifact: a section or a nested graph (a/b for a deeper one)");
    command.addOption("--format", &options->format, "text, json, dot, svg, png, or raw (the text as logged)",
                      {.oneOf = {"text", "json", "dot", "svg", "png", "raw"}, .showDefault = true});
    command.addFlag("--split", &options->marksSplit,
                    "Mark in the picture what a split of the joint graph saves (band width: bytes) and "
                    "computes again (↻)");
    addPartitionerOption(command, options->split, "Partitioner of the split: auto, default or min-cut");
    addBudgetOption(command, options->split, "activation_memory_budget of the split, 0 to 1");
    addCostOptions(command, options->split.others);
    command.addOption("--save", &options->split.save, "Node that the split must save");
    command.addOption("--recompute", &options->split.recompute, "Node that the split must recompute");
    command.addOption("-o,--output", &options->out, "File to write instead of standard output");
    onCall(command, chosen, options, showGraph);
}

} // namespace aotscope::cli
