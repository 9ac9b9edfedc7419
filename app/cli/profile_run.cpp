#include "profile_run.h"

#include "inference_graph.h"
#include "selection.h"

#include "base/mapped.h"
#include "files/logged_partitions.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

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
            found.push_back({logged.hookedForward.value_or(*logged.forward),
                             logged.hookedBackward.value_or(*logged.backward)});
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

} // namespace

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

} // namespace aotscope::cli
