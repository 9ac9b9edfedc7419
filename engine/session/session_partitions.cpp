// The commands that partition joint graphs.
#include "session/session_state.h"

namespace aotscope::session {

PartitionTools Session::State::partitionTools(Job& job) {
    return {.log = [this](std::uint32_t number) { return graphs.logs().tryFind(number); },
            .graph =
                [this, &job](const ArtifactReference& reference) {
                    return graphs.parsedGraph(reference, job.progress);
                },
            .trace = [this](const ArtifactReference& reference) { return graphs.made().tryTrace(reference); },
            .run =
                [this, &job](const GraphSnapshotPtr& graph) {
                    RunOptions forTimes = inState(graph->reference, {});
                    forTimes.statistics = false;
                    return run(graph, forTimes, runForTimes, job);
                },
            .traceHook = retraceTools(job).traceHook,
            .measureHooks = [this,
                             &job](const HookErrorsCall& call) { return backend.answer(call, job.progress); },
            .progress = job.progress};
}

base::Result<void> Session::State::operator()(const PartitionJoint& command, Job& job) {
    return sendResult(partitions.partition(command, partitionTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const SweepBudgets& command, Job& job) {
    return sendResult(partitions.sweep(command, partitionTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const FindAlternative& command, Job& job) {
    return sendResult(partitions.alternative(command, partitionTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const MeasureHooks& command, Job& job) {
    HookErrorsSink onPart;
    if (command.inParts) {
        onPart = [&job](HookErrorsSnapshotPtr part) { job.sink(std::move(part)); };
    }
    MeasureHooks asked = command;
    asked.options = inState(command.joint, std::move(asked.options));
    return sendResult(partitions.measure(asked, partitionTools(job), onPart), job.sink);
}

base::Result<void> Session::State::operator()(const SuggestHooks& command, Job& job) {
    SuggestHooks asked = command;
    asked.options = inState(command.joint, std::move(asked.options));
    return sendResult(partitions.suggest(asked, partitionTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const MarkSplit& command, Job& job) {
    const LayoutSnapshotPtr picture = graphs.tryPicture(command.picture);
    if (!picture || !picture->layout || !graphs.logs().tryFind(command.joint.log)) {
        return base::canceledError(); // Nobody shows it any more.
    }
    return sendResult(partitions.mark(command, picture, partitionTools(job)), job.sink);
}

} // namespace aotscope::session
