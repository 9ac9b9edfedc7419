#include "commands.h"
#include "picture.h"
#include "selection.h"

#include "ir/json.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>

namespace aotscope::cli {

namespace {

struct Options {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    std::string format = "text";
    std::filesystem::path out;
};

session::GraphSnapshotPtr parsed(const session::GraphSnapshotPtr& graph) {
    if (!graph->graph) {
        base::Error error = graph->error.value_or(base::Error{});
        if (isChoiceError(error)) {
            error.hint = "Choose one with --section.";
            throw Failure(ExitUsage, std::move(error));
        }
        if (error.hint.empty()) {
            error.hint = "The logged text itself is given by --format raw.";
        }
        throw Failure(ExitNo, std::move(error));
    }
    return graph;
}

std::string rendered(Program& program, const session::ArtifactReference& reference,
                     const std::string& format) {
    if (format == "svg" || format == "png") {
        session::LayOutGraph command;
        command.graph = reference;
        const auto laidOut = program.resultOf<session::LayoutSnapshotPtr>(command);
        const ir::Graph& graph = *parsed(laidOut->graph)->graph;
        if (!laidOut->layout->note.empty()) {
            program.console.message(laidOut->layout->note);
        }
        return format == "svg" ? layout::toSvg(graph, *laidOut->layout)
                               : pngOf(graph, *laidOut->layout, program.stop);
    }
    const auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (format == "raw") {
        return graph->text;
    }
    if (format == "json") {
        return ir::graphToJson(*parsed(graph)->graph) + "\n";
    }
    if (format == "dot") {
        return layout::toDot(*parsed(graph)->graph, graph->modules);
    }
    return parsed(graph)->printed.text;
}

int show(Program& program, const Options& options) {
    GraphRequest request{{options.file}, options.id, options.kind, options.section};
    if (options.format == "png" && options.out.empty() && Console::resultIsTerminal()) {
        throw usageFailure("A PNG is not for a terminal: give a file with -o.");
    }
    const session::ArtifactReference reference = selectGraph(program, request);
    program.console.resultTo(options.out, rendered(program, reference, options.format));
    return ExitYes;
}

} // namespace

void addGraphCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("graph", "Print or draw one graph");
    auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "Trace log, folder of logs, or graph file (FX text or JSON)")
        ->required();
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; rank3:0/0 or FILE:0/0 among several");
    command->add_option(
        "--kind", options->kind,
        "dynamo, joint, forward, backward, inference, compiled_autograd, or an artifact's name");
    command->add_option("--section", options->section,
                        "A graph inside: a section of the artifact or a nested graph (a/b for deeper ones)");
    command->add_option("--format", options->format, "text, json, dot, svg, png, or raw (the text as logged)")
        ->check(CLI::IsMember({"text", "json", "dot", "svg", "png", "raw"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->out, "File to write instead of standard output");
    command->callback(
        [options, &chosen] { chosen = [options](Program& program) { return show(program, *options); }; });
}

} // namespace aotscope::cli
