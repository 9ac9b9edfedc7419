#include "commands.h"
#include "json_text.h"
#include "selection.h"

#include <memory>

namespace aotscope::cli {

namespace {

struct DiffCommandOptions {
    std::string left;
    std::string right;
    std::string text = "structural";
    bool ignoreNames = false;
    bool json = false;
};

Json sideJson(Program& program, const session::GraphSnapshot& graph) {
    return {{"graph", titleOf(program, graph.reference)}, {"nodes", graph.graph->size()}};
}

Json nodeName(const ir::Graph& graph, ir::NodeId node) {
    return node.valid() ? Json(graph.node(node).name) : Json(nullptr);
}

std::string diffJson(Program& program, const session::DiffSnapshot& snapshot) {
    Json json{{"schema", "aotscope.diff/1"},
              {"left", sideJson(program, *snapshot.left)},
              {"right", sideJson(program, *snapshot.right)},
              {"equal", snapshot.diff.equal()},
              {"equal_up_to_names", snapshot.diff.equal() || snapshot.diff.equalUpToNames()},
              {"differences", Json::array()}};
    for (const ir::NodeDifference& difference : snapshot.diff.differences) {
        json["differences"].push_back({{"kind", base::wordOf(difference.kind)},
                                       {"left", nodeName(*snapshot.left->graph, difference.left)},
                                       {"right", nodeName(*snapshot.right->graph, difference.right)},
                                       {"details", difference.details}});
    }
    return jsonText(json);
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
    session::CompareGraphs command;
    command.left = sideOf(program, "A", options.left);
    command.right = sideOf(program, "B", options.right);
    const auto diff = program.resultOf<session::DiffSnapshotPtr>(command);
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
    const Command command =
        app.addCommand("diff", "Compare two graphs by structure; exit code 1 when they differ");
    auto options = std::make_shared<DiffCommandOptions>();
    const char* help = "FILE, FILE:KIND, FILE:ID:KIND or FILE:ID:KIND:SECTION, e.g. mlp.log:0/0:joint";
    command.addOption("A", &options->left, help).required();
    command.addOption("B", &options->right, help).required();
    command.addOption("--text", &options->text, "structural: one line per node; unified: the printed texts")
        .oneOf({"structural", "unified"})
        .showDefault();
    command.addFlag("--ignore-names", &options->ignoreNames,
                    "Treat graphs that differ only in node names as equal");
    command.addFlag("--json", &options->json, "JSON for programs (schema aotscope.diff/1)");
    onCall(command, chosen, options, compare);
}

} // namespace aotscope::cli
