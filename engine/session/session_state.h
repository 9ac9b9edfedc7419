#pragma once

#include "recompile/cached_retrace.h"
#include "recompile/retracer.h"
#include "runs/graph_runner.h"
#include "runs/kernel_builder.h"
#include "runs/value_snapshot.h"
#include "session/graph_source.h"
#include "session/open_pauses.h"
#include "session/partition_explorer.h"
#include "session/session.h"
#include "session/shared_backend.h"

#include "cache/cache_key.h"
#include "cache/function_cache.h"

#include <deque>
#include <initializer_list>
#include <mutex>
#include <utility>

namespace aotscope::session {

/// Sends a snapshot, or gives the error.
template<typename Snapshot>
base::Result<void> sendResult(base::Result<Snapshot> made, const Session::Sink& sink) {
    if (!made) {
        return std::move(made).error();
    }
    sink(std::move(made).value());
    return {};
}

/// What a session owns, and what it does for each command: looking at logs and running graphs in session.cpp,
/// tracing and calling in session_tracing.cpp, partitions in session_partitions.cpp.
struct Session::State {
    State(BackendFactory factory, SessionOptions sessionOptions)
        : options(std::move(sessionOptions)),
          graphs(options.cachedNodes),
          backend(std::move(factory)),
          functions({.disk = {.folder = options.compileCacheFolder}}) {}

    const SessionOptions options;
    GraphSource graphs;
    SharedBackend backend;
    cache::FunctionCache functions;
    PartitionExplorer partitions{graphs.made()};
    evidence::EarlierCheckpoints checkpoints;
    ValueStore values;
    KernelBuilder kernelBuilder;
    OpenPauses pauses;
    OpenPausesOf<steps::StepAnswer> stepPauses;
    /// Graphs of recent pauses, oldest first.
    std::mutex pausedGraphsMutex;
    std::deque<ArtifactReference> pausedGraphs;

    /// What one executing command shares with its helpers.
    struct Job {
        const Sink& sink;
        base::Progress progress;
    };

    /// With the global state that the graph's compile had, if its log tells.
    [[nodiscard]] RunOptions inState(const ArtifactReference& graph, RunOptions runOptions) const;
    base::Result<RunSnapshotPtr> run(const ArtifactReference& reference, const RunOptions& runOptions,
                                     GraphRunner runner, Job& job);
    base::Result<RunSnapshotPtr> run(const GraphSnapshotPtr& graph, const RunOptions& runOptions,
                                     GraphRunner runner, Job& job);
    void forget(std::uint32_t log);
    template<typename Make>
    base::Result<void> sendMadeOf(std::initializer_list<std::uint32_t> logs, Job& job, Make&& make);

    base::Result<void> operator()(const OpenLogs& command, Job& job);
    base::Result<void> operator()(const FollowLog& command, Job& job);
    base::Result<void> operator()(const CloseLog& command, Job& job);
    base::Result<void> operator()(const LoadGraph& command, Job& job);
    base::Result<void> operator()(const LayOutGraph& command, Job& job);
    base::Result<void> operator()(const LoadPayload& command, Job& job);
    base::Result<void> operator()(const LoadGeneratedCode& command, Job& job);
    base::Result<void> operator()(const CompareGraphs& command, Job& job);
    base::Result<void> operator()(const RunGraph& command, Job& job);
    base::Result<void> operator()(const CheckKernels& command, Job& job);
    base::Result<void> operator()(const RunTrainingStep& command, Job& job);
    base::Result<void> operator()(const LoadValue& command, Job& job);
    base::Result<void> operator()(const CompareWithReference& command, Job& job);
    base::Result<void> operator()(const Retrace& command, Job& job);
    base::Result<void> operator()(const CallCompiled& command, Job& job);
    base::Result<void> operator()(const PartitionJoint& command, Job& job);
    base::Result<void> operator()(const SweepBudgets& command, Job& job);
    base::Result<void> operator()(const FindAlternative& command, Job& job);
    base::Result<void> operator()(const MarkSplit& command, Job& job);
    base::Result<void> operator()(const MeasureHooks& command, Job& job);
    base::Result<void> operator()(const SuggestHooks& command, Job& job);
    base::Result<void> operator()(const RerunNodes& command, Job& job);
    base::Result<void> operator()(const ListDevices& command, Job& job);
    base::Result<void> operator()(const MatchTimeline& command, Job& job);
    base::Result<void> operator()(const PlanKernels& command, Job& job);
    base::Result<void> operator()(const BuildKernel& command, Job& job);
    PartitionTools partitionTools(Job& job);
    RetraceTools retraceTools(Job& job);
    steps::StepAnswer pause(steps::StepPause pause, const std::string& name, Job& job);
    PauseAnswer pause(TracePause pause, const Retrace& command, const RetraceTarget& target, Job& job);
    void keepTraced(const RetraceSnapshotPtr& traced, std::uint64_t content);
    [[nodiscard]] base::Result<std::string> backendDescription(const std::stop_token& stop);
    base::Result<cache::CompileEnvironment> compileEnvironment(const std::stop_token& stop);
    CachedResult cached(const aot::RetraceRequest& request, const TraceWork& trace, Job& job);
    base::Result<aot::CompiledFunction> split(const RetraceSnapshot& retraced,
                                              const base::Progress& progress);
};

} // namespace aotscope::session
