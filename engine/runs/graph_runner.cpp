#include "runs/graph_runner.h"

#include "runs/profile.h"

#include "contract/errors.h"
#include "files/reproducer.h"

#include <utility>

namespace aotscope::session {

namespace {

/// A run that ended early is an error.
base::Result<RunSnapshotPtr> succeeded(base::Result<RunSnapshotPtr> ran) {
    return ran && (*ran)->error ? base::Result<RunSnapshotPtr>(*(*ran)->error) : std::move(ran);
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
    snapshot->graph = run.graph;
    if (snapshot->error) {
        noteReproducer(*snapshot->error, file);
    }
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

} // namespace aotscope::session
