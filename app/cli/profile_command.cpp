#include "commands.h"
#include "options.h"
#include "profile_report.h"
#include "program.h"
#include "selection.h"

#include "base/mapped.h"
#include "contract/run_options.h"
#include "contract/snapshots.h"
#include "files/logged_partitions.h"
#include "runs/profile.h"
#include "timeline/chrome_trace_write.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::cli {

namespace {

/// The options of `profile`.
struct ProfileRequest {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    session::RunOptions run;
    /// The log whose graphs are looked for, if `file` is a profiler's trace.
    std::filesystem::path graphs;
    std::size_t top = 0;
    /// Where the trace is written; empty: nowhere.
    std::filesystem::path out;
    bool json = false;
};

/// One graph, or the halves of a training step.
struct Runnable {
    session::ArtifactReference forward;
    std::optional<session::ArtifactReference> backward;
};

/// What ran of a compile: halves with hooks, if PyTorch inlined any; inference graphs.
std::vector<Runnable> runnablesOf(const CompileChoice& choice) {
    std::vector<Runnable> found;
    const auto partitions = session::loggedPartitions(*choice.log, choice.compile, choice.id);
    for (const session::LoggedPartition& logged : partitions) {
        if (logged.forward && logged.backward) {
            found.push_back({logged.forwardThatRan(), logged.backwardThatRan()});
        } else {
            found.push_back({logged.joint, std::nullopt});
        }
    }
    if (partitions.empty()) {
        for (const session::ArtifactReference& graph : inferenceGraphs(choice)) {
            found.push_back({graph, std::nullopt});
        }
    }
    return found;
}

session::RunOptions optionsFor(const ProfileRequest& request) {
    session::RunOptions options = request.run;
    options.statistics = false;
    options.profile = true;
    return options;
}

ProfileAnswer runOne(Program& program, const session::ArtifactReference& graph,
                     const ProfileRequest& request) {
    const auto run = program.resultOf<session::RunSnapshotPtr>(session::RunGraph{graph, optionsFor(request)});
    return {titleOf(program, graph), run->profile, nullptr, run->backend, run->notes};
}

ProfileAnswer runStep(Program& program, const Runnable& step, const ProfileRequest& request) {
    const auto run = program.resultOf<session::TrainingStepSnapshotPtr>(
        session::RunTrainingStep{step.forward, *step.backward, optionsFor(request)});
    std::vector<std::string> notes = run->forward->notes;
    notes.insert(notes.end(), run->backward->notes.begin(), run->backward->notes.end());
    return {titleOf(program, step.forward) + " and " + step.backward->artifact, run->profile, nullptr,
            run->forward->backend, std::move(notes)};
}

ProfileAnswer openTrace(Program& program, const session::LogSnapshotPtr& trace,
                        const ProfileRequest& request) {
    session::MatchTimeline command{trace->log, {}};
    if (!request.graphs.empty()) {
        const auto logs = program.open({request.graphs});
        for (const CompileChoice& choice : selectCompiles(logs, request.id)) {
            for (const Runnable& runnable : runnablesOf(choice)) {
                command.graphs.push_back(runnable.forward);
                if (runnable.backward) {
                    command.graphs.push_back(*runnable.backward);
                }
            }
        }
        if (command.graphs.empty()) {
            throw usageFailure("There is no forward, backward or inference graph in " +
                               request.graphs.string() + ".");
        }
    }
    const auto matched = program.resultOf<session::ProfileSnapshotPtr>(command);
    return {trace->path.filename().string(), matched->profile, trace, {}, {}};
}

/// Throws Failure.
ProfileAnswer profileAnswer(Program& program, const ProfileRequest& request) {
    const auto logs = program.open({request.file});
    if (logs.size() == 1 && logs.front()->timeline()) {
        if (!request.kind.empty() || !request.section.empty()) {
            throw usageFailure("A profiler's trace has no graphs: leave out --kind and --section.");
        }
        if (request.run.device != session::DeviceChoice{}) {
            throw usageFailure("A profiler's trace is read, not run: leave out --device.");
        }
        return openTrace(program, logs.front(), request);
    }
    if (!request.graphs.empty()) {
        throw usageFailure("--graphs is for a profiler's trace, and " + request.file.string() + " is none.");
    }
    if (!request.kind.empty() || !request.section.empty()) {
        return runOne(program,
                      selectGraph(program, {{request.file}, request.id, request.kind, request.section}),
                      request);
    }
    std::vector<Runnable> runnables;
    for (const CompileChoice& choice : selectCompiles(logs, request.id)) {
        std::ranges::move(runnablesOf(choice), std::back_inserter(runnables));
    }
    if (runnables.empty()) {
        return runOne(program, selectGraph(program, {{request.file}, request.id, {}, {}}), request);
    }
    if (runnables.size() > 1) {
        const auto titles = base::mapped(
            runnables, [&](const Runnable& runnable) { return titleOf(program, runnable.forward); });
        throw usageFailure(
            "One graph or training step is run at a time, and there are several: " + listed(titles) + ".",
            {"Choose with --id, or one graph with --kind."});
    }
    const Runnable& only = runnables.front();
    return only.backward ? runStep(program, only, request) : runOne(program, only.forward, request);
}

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

int showProfile(Program& program, const ProfileRequest& options) {
    const ProfileAnswer answer = profileAnswer(program, options);
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
    const auto [command, options] = addCommand(
        app, chosen, "profile",
        "Run a training step or a graph under LibTorch's profiler: what each node called, and when",
        showProfile);
    command.setFooter(
        "FILE may also be a trace that a profiler wrote elsewhere (torch.profiler's "
        "export_chrome_trace, .json or .json.gz): then nothing is run, and --graphs names the log "
        "whose nodes are looked for in it. Exit code 1: none of them was found.");
    command.addOption("FILE", &options->file, "Trace log, graph file, or a profiler's trace",
                      {.required = true});
    addIdOption(command, options->id);
    command.addOption("--kind", &options->kind, "Run only one graph: forward, backward, inference, …");
    command.addOption("--section", &options->section, "Nested graph, by path a/b");
    command.addOption("--seed", &options->run.seed, "Seed of the inputs", {.showDefault = true});
    addDeviceOption(command, options->run.device);
    command.addOption("--graphs", &options->graphs,
                      "For a profiler's trace: the log or graph file whose nodes are looked for");
    command.addOption("--top", &options->top, "Only the nodes that took longest (0: all, in program order)",
                      {.showDefault = true});
    command.addOption("-o,--out", &options->out,
                      "File to write as a Chrome trace, for Perfetto and chrome://tracing");
    command.addFlag("--json", &options->json, "In schema aotscope.profile/2");
}

} // namespace aotscope::cli
