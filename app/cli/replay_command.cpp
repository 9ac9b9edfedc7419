#include "commands.h"
#include "log_summary.h"
#include "rerun_report.h"
#include "run_report.h"
#include "selection.h"

#include "files/reproducer.h"
#include "files/rerun_file.h"
#include "ir/text/repro_script.h"

#include <cstdint>
#include <memory>

namespace aotscope::cli {

namespace {

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
    command.graph = graph;
    command.nodes = reproducer.rerun->nodes;
    command.run = reproducer.options;
    command.settings = reproducer.rerun->settings;
    command.kernel = reproducer.rerun->kernel;
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
    session::RunGraph command;
    command.graph = logs.front()->graphs().front()->reference;
    command.options = reproducer.options;
    auto [run, error] = program.attempt<session::RunSnapshotPtr>(command);
    if (run && !error && !options.allowStandIns) {
        error = standInError(*run);
    }
    const MadeUpNumbers madeUp = options.allowStandIns ? MadeUpNumbers::Shown : MadeUpNumbers::Withheld;
    if (options.json) {
        program.console.result(answerText(runAnswer(reproducer.origin, run, error, madeUp)));
    } else if (run) {
        program.console.result(runTable(*run, madeUp) + runTotals(*run));
    }
    failWith(error);
    if (run && !run->standIns.empty()) {
        program.console.message(standInText(*run));
    }
    program.console.message("This time the run finished.");
    return ExitYes;
}

} // namespace

void addReplayCommand(Command app, Action& chosen) {
    const Command command =
        app.addCommand("replay", "Run a reproducer again; exit code 1 when it still fails");
    auto options = std::make_shared<ReplayCommandOptions>();
    command.addOption("FILE", &options->file,
                      "Reproducer written by a failed run, or a PyTorch script (fx_graph_runnable, repro.py)",
                      {.required = true});
    command.addFlag(
        "--allow-stand-ins", &options->allowStandIns,
        "Use random values of the logged shape as results of operators that are not registered here");
    command.addFlag("--json", &options->json,
                    "JSON for programs (schema aotscope.run/2 or aotscope.rerun/3)");
    onCall(command, chosen, options, replay);
}

} // namespace aotscope::cli
