#include "answer.h"
#include "commands.h"
#include "selection.h"

namespace aotscope::cli {

struct DiffSide {
    std::string graph;
    std::size_t nodes = 0;
};
AOTSCOPE_MEMBERS(DiffSide, graph, nodes)

/// The nodes' names; nothing on the side where it is absent.
struct DifferenceAnswer {
    ir::NodeDifference::Kind kind = ir::NodeDifference::Kind::Changed;
    std::optional<std::string> left;
    std::optional<std::string> right;
    std::vector<std::string> details;
};
AOTSCOPE_MEMBERS(DifferenceAnswer, kind, left, right, details)

struct DiffAnswer {
    DiffSide left;
    DiffSide right;
    bool equal = false;
    bool equalUpToNames = false;
    std::vector<DifferenceAnswer> differences = {};
};
AOTSCOPE_MEMBERS(DiffAnswer, left, right, equal, equalUpToNames, differences)
AOTSCOPE_ANSWER(DiffAnswer, "aotscope.diff/1")

namespace {

struct DiffCommandOptions {
    std::string left;
    std::string right;
    std::string text = "structural";
    bool ignoreNames = false;
    bool json = false;
};

std::string diffJson(Program& program, const session::DiffSnapshot& snapshot) {
    const auto side = [&](const session::GraphSnapshot& graph) {
        return DiffSide{titleOf(program, graph.reference), graph.graph->size()};
    };
    const auto nameIn = [](const session::GraphSnapshot& graph, ir::NodeId node) {
        return node.valid() ? std::optional(graph.graph->node(node).name) : std::nullopt;
    };
    DiffAnswer answer{side(*snapshot.left), side(*snapshot.right), snapshot.diff.equal(),
                      snapshot.diff.equal() || snapshot.diff.equalUpToNames()};
    for (const ir::NodeDifference& difference : snapshot.diff.differences) {
        answer.differences.push_back({difference.kind, nameIn(*snapshot.left, difference.left),
                                      nameIn(*snapshot.right, difference.right), difference.details});
    }
    return answerText(answer);
}

/// Finds one graph; error messages say which of the two sides they are about.
session::ArtifactReference sideOf(Program& program, const char* side, const std::string& text) {
    try {
        return selectGraph(program, parseGraphRequest(text));
    } catch (const Failure& failure) {
        base::Error error = failure.error();
        error.message = std::string(side) + ": " + error.message;
        throw Failure(failure.code(), std::move(error));
    }
}

int compare(Program& program, const DiffCommandOptions& options) {
    const auto diff = program.resultOf<session::DiffSnapshotPtr>(
        session::CompareGraphs{sideOf(program, "A", options.left), sideOf(program, "B", options.right)});
    const bool equal = diff->diff.equal() || (options.ignoreNames && diff->diff.equalUpToNames());
    if (options.json) {
        program.console.result(diffJson(program, *diff));
    } else if (options.text == "unified") {
        program.console.result(diff->unifiedText);
    } else if (!diff->diff.equal()) {
        program.console.result(ir::diffText(*diff->left->graph, *diff->right->graph, diff->diff));
    }
    program.console.message(diff->diff.equal()            ? "The graphs are equal."
                            : diff->diff.equalUpToNames() ? "The graphs are equal except for names."
                                                          : "The graphs differ.");
    return equal ? ExitYes : ExitNo;
}

} // namespace

void addDiffCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "diff", "Compare two graphs by structure; exit code 1 when they differ", compare);
    const char* help = "FILE, FILE:KIND, FILE:ID:KIND or FILE:ID:KIND:SECTION, e.g. mlp.log:0/0:joint";
    command.addOption("A", &options->left, help, {.required = true});
    command.addOption("B", &options->right, help, {.required = true});
    command.addOption("--text", &options->text, "structural: one line per node; unified: the printed texts",
                      {.oneOf = {"structural", "unified"}, .showDefault = true});
    command.addFlag("--ignore-names", &options->ignoreNames,
                    "Treat graphs that differ only in node names as equal");
    command.addFlag("--json", &options->json, jsonHelp<DiffAnswer>());
}

} // namespace aotscope::cli
