#include "commands.h"
#include "options.h"
#include "profile_report.h"
#include "profile_run.h"

#include "timeline/chrome_trace_write.h"

#include <algorithm>
#include <memory>

namespace aotscope::cli {

namespace {

struct ProfileCommandOptions {
    ProfileRequest request;
    std::size_t top = 0;
    std::filesystem::path out;
    bool json = false;
};

void sayProblems(Program& program, const timeline::Timeline& timeline) {
    constexpr std::size_t most = 10;
    for (std::size_t at = 0; at < std::min(most, timeline.problems().size()); ++at) {
        const timeline::Problem& problem = timeline.problems()[at];
        program.console.message("At byte " + std::to_string(problem.offset) + ": " + problem.message);
    }
    if (timeline.problemCount() > most) {
        program.console.message("… and " + std::to_string(timeline.problemCount() - most) +
                                " more problems.");
    }
}

int showProfile(Program& program, const ProfileCommandOptions& options) {
    const ProfileAnswer answer = profileAnswer(program, options.request);
    const timeline::Timeline& timeline = *answer.profile->matched.timeline;
    if (options.json) {
        program.console.result(answerText(profileReport(answer)));
    } else {
        std::string text = answer.trace ? traceSummary(answer) : "";
        if (!answer.trace || !answer.profile->graphs.empty()) {
            text += profileTable(answer, options.top);
        }
        program.console.result(text);
    }
    program.console.messages("Note: ", answer.notes);
    sayProblems(program, timeline);
    if (!options.out.empty()) {
        orFail(ExitUnreadable, timeline::writeChromeTrace(timeline, options.out, program.progress()));
    }
    // Exit code 1 if the trace has none of the graphs' nodes.
    return !answer.profile->graphs.empty() && answer.profile->matched.matches.empty() ? ExitNo : ExitYes;
}

} // namespace

void addProfileCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "profile",
        "Run a training step or a graph under LibTorch's profiler: what each node called, and when");
    command.setFooter(
        "FILE may also be a trace that a profiler wrote elsewhere (torch.profiler's "
        "export_chrome_trace, .json or .json.gz): then nothing is run, and --graphs names the log "
        "whose nodes are looked for in it. Exit code 1: none of them was found.");
    auto options = std::make_shared<ProfileCommandOptions>();
    ProfileRequest& request = options->request;
    command.addOption("FILE", &request.file, "Trace log, graph file, or a profiler's trace").required();
    addIdOption(command, request.id);
    command.addOption("--kind", &request.kind, "Run only one graph: forward, backward, inference, …");
    command.addOption("--section", &request.section, "Nested graph, by path a/b");
    command.addOption("--seed", &request.run.seed, "Seed of the inputs").showDefault();
    addDeviceOption(command, request.run.device);
    command.addOption("--graphs", &request.graphs,
                      "For a profiler's trace: the log or graph file whose nodes are looked for");
    command.addOption("--top", &options->top, "Only the nodes that took longest (0: all, in program order)")
        .showDefault();
    command.addOption("-o,--out", &options->out,
                      "File to write as a Chrome trace, for Perfetto and chrome://tracing");
    command.addFlag("--json", &options->json, "In schema aotscope.profile/2");
    onCall(command, chosen, options, showProfile);
}

} // namespace aotscope::cli
