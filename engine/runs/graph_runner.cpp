#include "runs/graph_runner.h"

#include "runs/profile.h"

#include "contract/errors.h"
#include "files/reproducer.h"

namespace aotscope::session {

base::Result<RunSnapshotPtr> runGraph(Backend& backend, const GraphSnapshotPtr& graph,
                                      const std::string& title, const RunOptions& options,
                                      const std::filesystem::path& reproducerFolder,
                                      const base::Progress& progress) {
    ReproducerFile file(reproducerFolder,
                        {.command = "run", .origin = title, .graph = graph->graph, .options = options});
    // So that the reproducer records a library's exception too.
    auto ran = orExceptionError("The run", [&] {
        return backend.answer(RunCall{graph->graph, options}, progress);
    });
    const base::Error* error = !ran ? &ran.error() : ran->error ? &*ran->error : nullptr;
    if (!error || base::isCanceled(*error)) {
        file.remove();
    } else {
        file.keep(*error);
    }
    if (!ran) {
        base::Error failed = std::move(ran).error();
        noteReproducer(failed, file);
        return failed;
    }
    if (ran->error && base::isCanceled(*ran->error)) {
        return base::canceledError();
    }
    auto snapshot = std::make_shared<RunSnapshot>(std::move(ran).value());
    snapshot->graph = graph;
    if (snapshot->error) {
        noteReproducer(*snapshot->error, file);
    }
    return RunSnapshotPtr(std::move(snapshot));
}

base::Result<RunSnapshotPtr> runForTimes(Backend& backend, const GraphSnapshotPtr& graph,
                                         const std::string& title, const RunOptions& options,
                                         const std::filesystem::path& reproducerFolder,
                                         const base::Progress& progress) {
    constexpr std::int64_t longRun = 2'000'000'000;
    auto ran = runGraph(backend, graph, title, options, reproducerFolder, progress);
    if (ran && !(*ran)->error && (*ran)->nanoseconds < longRun) {
        ran = runGraph(backend, graph, title, options, reproducerFolder, progress);
    }
    if (ran && (*ran)->error) {
        return *(*ran)->error;
    }
    return ran;
}

base::Result<RunSnapshotPtr> runProfiled(Backend& backend, const GraphSnapshotPtr& graph,
                                         const std::string& title, const RunOptions& options,
                                         const std::filesystem::path& reproducerFolder,
                                         const base::Progress& progress) {
    RunOptions without = options;
    without.profile = false;
    auto plain = runForTimes(backend, graph, title, without, reproducerFolder, progress);
    if (!plain) {
        return plain;
    }
    RunOptions with = options;
    with.profile = true;
    auto ran = runGraph(backend, graph, title, with, reproducerFolder, progress);
    if (!ran || (*ran)->error) {
        return ran && (*ran)->error ? base::Result<RunSnapshotPtr>(*(*ran)->error) : ran;
    }
    auto snapshot = std::make_shared<RunSnapshot>(**ran);
    auto trace = std::make_shared<const std::string>(std::move(snapshot->profileTrace));
    snapshot->profileTrace.clear();
    AOTSCOPE_TRY(profile, profileOf({graph}, {std::move(trace)}, progress));
    Profile timed = *profile;
    timed.nanoseconds = snapshot->nanoseconds;
    timed.plainNanoseconds = (*plain)->nanoseconds;
    snapshot->profile = std::make_shared<const Profile>(std::move(timed));
    return RunSnapshotPtr(std::move(snapshot));
}

} // namespace aotscope::session
