#include "runs/graph_runner.h"

#include "runs/profile.h"

#include "contract/errors.h"
#include "files/reproducer.h"

#include <memory>
#include <utility>

namespace aotscope::session {

namespace {

/// A run that ended early is an error.
base::Result<RunSnapshotPtr> succeeded(base::Result<RunSnapshotPtr> ran) {
    return ran && (*ran)->error ? base::Result<RunSnapshotPtr>(*(*ran)->error) : std::move(ran);
}

/// Whether the request is wrong, so that there is nothing to reproduce.
bool isRefused(const base::Error& error) {
    return error.code.starts_with("rerun.") || error.code.starts_with("kernels.") ||
           error.code == "run.no_gpu" || error.code == "run.device_name";
}

/// Keeps the reproducer of what failed, which the error then names.
void settle(ReproducerFile& file, base::Error* error, bool refused = false) {
    if (error && !refused && !base::isCanceled(*error)) {
        file.keep(*error);
        noteReproducer(*error, file);
    } else {
        file.remove();
    }
}

} // namespace

base::Result<RunSnapshotPtr> runGraph(const GraphRun& run) {
    ReproducerFile file(
        run.reproducerFolder,
        {.command = "run", .origin = run.title, .graph = run.graph->graph, .options = run.options});
    // So that the reproducer records a library's exception too.
    auto ran = orExceptionError("The run", [&] {
        return run.backend.answer(RunCall{run.graph->graph, run.options}, run.progress);
    });
    settle(file, !ran ? &ran.error() : ran->error ? &*ran->error : nullptr);
    if (!ran) {
        return std::move(ran).error();
    }
    if (ran->error && base::isCanceled(*ran->error)) {
        return base::canceledError();
    }
    auto snapshot = std::make_shared<RunSnapshot>(std::move(ran).value());
    snapshot->graph = run.graph;
    return RunSnapshotPtr(std::move(snapshot));
}

base::Result<RunSnapshotPtr> runForTimes(const GraphRun& run) {
    constexpr std::int64_t longRun = 2'000'000'000;
    auto ran = runGraph(run);
    if (ran && !(*ran)->error && (*ran)->nanoseconds < longRun) {
        ran = runGraph(run);
    }
    return succeeded(std::move(ran));
}

base::Result<RunSnapshotPtr> runProfiled(const GraphRun& run) {
    RunOptions options = run.options;
    const GraphRun changed{run.backend, run.graph, run.title, options, run.reproducerFolder, run.progress};
    options.profile = false;
    AOTSCOPE_TRY(plain, runForTimes(changed));
    options.profile = true;
    AOTSCOPE_TRY(ran, succeeded(runGraph(changed)));
    auto snapshot = std::make_shared<RunSnapshot>(*ran);
    auto trace = std::make_shared<const std::string>(std::move(snapshot->profileTrace));
    snapshot->profileTrace.clear();
    AOTSCOPE_TRY(profile, profileOf({run.graph}, {std::move(trace)}, run.progress));
    Profile timed = *profile;
    timed.nanoseconds = snapshot->nanoseconds;
    timed.plainNanoseconds = plain->nanoseconds;
    snapshot->profile = std::make_shared<const Profile>(std::move(timed));
    return RunSnapshotPtr(std::move(snapshot));
}

base::Result<RerunSnapshotPtr> rerunNodes(Backend& backend, const GraphSnapshotPtr& graph,
                                          const std::string& title, const RerunNodes& command,
                                          const std::filesystem::path& reproducerFolder,
                                          const base::Progress& progress) {
    ReproducerFile file(reproducerFolder, {.command = "rerun",
                                           .origin = title,
                                           .graph = graph->graph,
                                           .options = command.run,
                                           .rerun = RerunChoice(command)});
    const RerunResultPtr baseline =
        command.baseline ? std::make_shared<const RerunResult>(*command.baseline) : nullptr;
    const RerunRequest request{RerunChoice(command), graph->graph, command.run, command.keepOutputs,
                               baseline};
    auto ran = orExceptionError("The rerun", [&] { return backend.answer(request, progress); });
    settle(file, ran ? nullptr : &ran.error(), !ran && isRefused(ran.error()));
    if (!ran) {
        return std::move(ran).error();
    }
    return std::make_shared<const RerunSnapshot>(
        RerunSnapshot{graph, command.settings, command.kernel,
                      std::make_shared<const RerunResult>(std::move(ran).value()), baseline});
}

} // namespace aotscope::session
