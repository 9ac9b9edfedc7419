#include "answer.h"
#include "commands.h"
#include "metadata_report.h"
#include "options.h"
#include "retrace_report.h"

#include "contract/retrace_options.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

namespace {

struct MetadataCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    session::RetraceOptions retrace;
    bool json = false;
};

RetraceRun metadataOf(Program& program, const TargetChoice& choice, const session::RetraceTarget& target,
                      const session::RetraceOptions& options) {
    RetraceRun run{targetTitle(choice, target), program.resultOf<session::RetraceSnapshotPtr>(
                                                    session::Retrace{choice.log->log, {target}, options})};
    if (run.snapshot->result) {
        run.signature = aot::makeSignature(*run.snapshot->result->function.graph,
                                           &run.snapshot->result->function.metadata);
    }
    return run;
}

int showMetadata(Program& program, const MetadataCommandOptions& options) {
    std::vector<RetraceRun> runs;
    for (const TargetChoice& choice : selectTargets(program.open(options.files), options.id)) {
        for (const session::RetraceTarget& target : choice.targets) {
            runs.push_back(metadataOf(program, choice, target, options.retrace));
            if (!options.json) {
                program.console.result(metadataText(runs.back()));
            }
        }
    }
    if (runs.empty()) {
        throw nothingToTrace();
    }
    if (options.json) {
        program.console.result(answerText(metadataAnswer(runs)));
    }
    const bool isEqual = std::ranges::all_of(runs, [](const RetraceRun& run) {
        return run.snapshot->result && run.snapshot->metadataDifferences.empty();
    });
    return isEqual ? ExitYes : ExitNo;
}

} // namespace

void addMetadataCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "metadata",
        "Show what AOTAutograd infers about a function before it traces it (ViewAndMutationMeta)");
    command.setFooter("As found here and as PyTorch logged it, with the differences: what is mutated, what "
                      "aliases what, the tangents. Exit code 1 when they differ or nothing could be traced.");
    auto options = std::make_shared<MetadataCommandOptions>();
    addFileOptions(command, options->files, options->id);
    addTorchOption(command, options->retrace.torch);
    addConfigOption(command, options->retrace.config);
    command.addFlag("--json", &options->json, jsonHelp<MetadataAnswer>());
    onCall(command, chosen, options, showMetadata);
}

} // namespace aotscope::cli
