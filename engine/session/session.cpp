#include "session/session.h"

#include "session/cached_retrace.h"
#include "session/compiled_call.h"
#include "session/explore/partition_explorer.h"
#include "session/graph_runner.h"
#include "session/graph_snapshot.h"
#include "session/graph_source.h"
#include "session/payload_snapshot.h"
#include "session/retracer.h"
#include "session/shared_backend.h"
#include "session/split_retraced.h"
#include "session/value_store.h"

#include "cache/engine_identity.h"
#include "cache/function_cache.h"

#include "base/log.h"

#include <deque>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

namespace aotscope::session {

namespace {

/// Traces without the cache.
CachedResult bypassed(const std::function<base::Result<aot::RetraceResult>()>& trace, const char* why) {
    return {trace(), {.state = aot::CacheState::Bypass, .reason = why}};
}

template<typename Snapshot>
base::Result<void> sendResult(base::Result<Snapshot> made, const Session::Sink& sink) {
    if (!made) {
        return std::move(made).error();
    }
    sink(std::move(made).value());
    return {};
}

/// "0/0 before mm_1, model.py:41"
base::ProgressState pausedState(const TracePause& pause) {
    std::string where = pause.name;
    if (!pause.node.empty()) {
        where += " before " + pause.node;
    } else if (pause.phase == TracePhase::Metadata) {
        where += " in the metadata pass";
    }
    if (pause.source) {
        where += ", " + std::filesystem::path(pause.source->file).filename().string() + ":" +
                 std::to_string(pause.source->line);
    }
    return {.stage = "Paused", .detail = std::move(where), .waits = true};
}

} // namespace

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

    base::Result<RunSnapshotPtr> run(const ArtifactReference& reference, const RunOptions& runOptions,
                                     GraphRunner runner, Job& job);
    void forget(std::uint32_t log);
    template<typename Make>
    base::Result<void> sendMadeOf(std::initializer_list<std::uint32_t> logs, Make&& make, Job& job);

    base::Result<void> operator()(const OpenLogs& command, Job& job);
    base::Result<void> operator()(const FollowLog& command, Job& job);
    base::Result<void> operator()(const CloseLog& command, Job& job);
    base::Result<void> operator()(const LoadGraph& command, Job& job);
    base::Result<void> operator()(const LayOutGraph& command, Job& job);
    base::Result<void> operator()(const LoadPayload& command, Job& job);
    base::Result<void> operator()(const CompareGraphs& command, Job& job);
    base::Result<void> operator()(const RunGraph& command, Job& job);
    base::Result<void> operator()(const RunTrainingStep& command, Job& job);
    base::Result<void> operator()(const LoadValue& command, Job& job);
    base::Result<void> operator()(const CompareWithReference& command, Job& job);
    base::Result<void> operator()(const Retrace& command, Job& job);
    base::Result<void> operator()(const CallCompiled& command, Job& job);
    base::Result<void> operator()(const PartitionJoint& command, Job& job);
    base::Result<void> operator()(const SweepBudgets& command, Job& job);
    base::Result<void> operator()(const FindAlternative& command, Job& job);
    base::Result<void> operator()(const MarkSplit& command, Job& job);
    PartitionTools partitionTools(Job& job);
    RetraceTools retraceTools(Job& job);
    steps::StepAnswer pause(steps::StepPause pause, const std::string& name, Job& job);
    PauseAnswer pause(TracePause pause, const Retrace& command, const RetraceTarget& target, Job& job);
    void keepTraced(const RetraceSnapshotPtr& traced, std::uint64_t content);
    base::Result<cache::CompileEnvironment> compileEnvironment(const std::stop_token& stop);
    CachedResult cached(const aot::RetraceRequest& request,
                        const std::function<base::Result<aot::RetraceResult>()>& trace, Job& job);
    base::Result<aot::CompiledFunction> split(const RetraceSnapshot& retraced, const base::Progress& progress,
                                              const aot::Observer& observer);
};

void Session::State::forget(std::uint32_t log) {
    values.eraseLog(log);
    graphs.forget(log);
    partitions.eraseLog(log);
}

/// Makes a snapshot of what these logs hold and sends it, unless one of them was closed or replaced in the
/// meantime: nobody shows it any more, and its numbers may name other records now.
template<typename Make>
base::Result<void> Session::State::sendMadeOf(std::initializer_list<std::uint32_t> logs, Make&& make,
                                              Job& job) {
    const auto contents = [&] {
        std::vector<std::uint64_t> all;
        for (const std::uint32_t log : logs) {
            all.push_back(graphs.logs().contentOf(log));
        }
        return all;
    };
    const std::vector<std::uint64_t> before = contents();
    auto made = make();
    if (contents() != before) {
        return base::canceledError();
    }
    return sendResult(std::move(made), job.sink);
}

base::Result<void> Session::State::operator()(const OpenLogs& command, Job& job) {
    std::set<std::uint32_t> open;
    for (const LogSnapshotPtr& log : graphs.logs().all()) {
        open.insert(log->log);
    }
    return graphs.logs().open(command, job.progress, [&](const LogSnapshotPtr& log) {
        forget(log->log);
        if (open.erase(log->log) > 0) {
            // The log was read again, so nothing shown of it is certain to be true.
            job.sink(LogClosed{log->log});
        }
        job.sink(log);
    });
}

base::Result<void> Session::State::operator()(const FollowLog& command, Job& job) {
    auto followed = graphs.logs().follow(command.log, job.progress);
    if (!followed) {
        return std::move(followed).error();
    }
    if (!followed->after) {
        return {};
    }
    if (followed->continues) {
        graphs.forgetRead(ChangedCompiles::between(*followed->before, *followed->after));
    } else {
        // The file was replaced, so everything made from the old one is dropped.
        forget(command.log);
        job.sink(LogClosed{command.log});
    }
    job.sink(followed->after);
    return {};
}

base::Result<void> Session::State::operator()(const CloseLog& command, Job& job) {
    if (!graphs.logs().close(command.log)) {
        return noSuchLog(command.log);
    }
    forget(command.log);
    job.sink(LogClosed{command.log});
    return {};
}

base::Result<void> Session::State::operator()(const LoadGraph& command, Job& job) {
    return sendMadeOf(
        {command.graph.log}, [&] { return graphs.graph(command.graph, job.progress); }, job);
}

base::Result<void> Session::State::operator()(const LayOutGraph& command, Job& job) {
    return sendMadeOf(
        {command.graph.log}, [&] { return graphs.layout(command, job.progress); }, job);
}

base::Result<void> Session::State::operator()(const LoadPayload& command, Job& job) {
    const auto load = [&]() -> base::Result<PayloadSnapshotPtr> {
        const LogSnapshotPtr log = graphs.logs().tryFind(command.log);
        if (!log || !log->traceLog) {
            return noSuchLog(command.log);
        }
        return loadPayload(*log, command.record, job.progress);
    };
    return sendMadeOf({command.log}, load, job);
}

base::Result<void> Session::State::operator()(const CompareGraphs& command, Job& job) {
    return sendMadeOf(
        {command.left.log, command.right.log}, [&] { return graphs.compare(command, job.progress); }, job);
}

base::Result<RunSnapshotPtr> Session::State::run(const ArtifactReference& reference,
                                                 const RunOptions& runOptions, GraphRunner runner, Job& job) {
    auto loaded = graphs.parsedGraph(reference, job.progress);
    if (!loaded) {
        return std::move(loaded).error();
    }
    return backend.run(runner, *loaded, graphs.titleOf(**loaded), runOptions, options.reproducerFolder,
                       job.progress);
}

base::Result<void> Session::State::operator()(const RunGraph& command, Job& job) {
    return sendResult(run(command.graph, command.options, runGraph, job), job.sink);
}

base::Result<void> Session::State::operator()(const RunTrainingStep& command, Job& job) {
    auto forward = run(command.forward, command.options, runForTimes, job);
    if (!forward) {
        return std::move(forward).error();
    }
    RunOptions handedOver = command.options;
    handedOver.symbols = (*forward)->symbols;
    auto backward = run(command.backward, handedOver, runForTimes, job);
    if (!backward) {
        return std::move(backward).error();
    }
    job.sink(std::make_shared<const TrainingStepSnapshot>(
        TrainingStepSnapshot{std::move(forward).value(), std::move(backward).value()}));
    return {};
}

base::Result<void> Session::State::operator()(const LoadValue& command, Job& job) {
    const auto make = [&]() -> base::Result<ValueSnapshotPtr> {
        auto loaded = graphs.parsedGraph(command.graph, job.progress);
        if (!loaded) {
            return std::move(loaded).error();
        }
        const auto runUpTo = [&](const RunOptions& runOptions) {
            return run(command.graph, runOptions, runGraph, job);
        };
        return values.view(*loaded, command, runUpTo);
    };
    return sendMadeOf({command.graph.log}, make, job);
}

base::Result<void> Session::State::operator()(const CompareWithReference& command, Job& job) {
    const auto make = [&]() -> base::Result<ReferenceSnapshotPtr> {
        auto graph = graphs.parsedGraph(command.graph, job.progress);
        auto against = command.against && graph ? graphs.parsedGraph(*command.against, job.progress) : graph;
        if (!against) {
            return std::move(against).error();
        }
        auto compared =
            backend.compareWithReference(*(*graph)->graph, *(*against)->graph, command.options, job.progress);
        if (!compared) {
            return std::move(compared).error();
        }
        auto snapshot = std::make_shared<ReferenceSnapshot>(std::move(compared).value());
        snapshot->graph = *graph;
        snapshot->against = command.against ? *against : nullptr;
        return ReferenceSnapshotPtr(std::move(snapshot));
    };
    return sendMadeOf({command.graph.log, command.against.value_or(command.graph).log}, make, job);
}

/// Announces a pause and waits for the answer, on the tracing thread. The graphs of recent pauses can be
/// loaded like other graphs.
PauseAnswer Session::State::pause(TracePause pause, const Retrace& command, const RetraceTarget& target,
                                  Job& job) {
    pause.number = pauses.open();
    pause.name = target.name;
    if (pause.graph) {
        auto partial = std::make_shared<GraphSnapshot>(
            *describeGraph(pausedReference(command.log, target, pause.number), pause.graph, {}));
        // An unfinished graph breaks rules that its missing nodes would satisfy.
        partial->problems.clear();
        pause.partial = std::move(partial);
        graphs.made().insert(pause.partial, [&] { return graphs.logs().tryFind(command.log) != nullptr; });
        constexpr std::size_t kept = 16;
        const std::lock_guard lock(pausedGraphsMutex);
        pausedGraphs.push_back(pause.partial->reference);
        if (pausedGraphs.size() > kept) {
            graphs.made().erase(pausedGraphs.front());
            pausedGraphs.pop_front();
        }
    }
    job.sink(Progressed{pausedState(pause)});
    const std::uint64_t number = pause.number;
    job.sink(std::make_shared<const TracePause>(std::move(pause)));
    PauseAnswer given = pauses.wait(number, job.progress.stopToken());
    job.sink(Progressed{{.stage = "Tracing", .detail = target.name}});
    return given;
}

/// Makes traced graphs loadable like logged ones, unless their log was closed or replaced in the meantime.
void Session::State::keepTraced(const RetraceSnapshotPtr& traced, std::uint64_t content) {
    const auto isCurrent = [&] { return graphs.logs().contentOf(traced->log) == content; };
    graphs.made().insert(traced, isCurrent);
    for (const RetraceStage& stage : traced->stages) {
        const bool isOwn = stage.graph && stage.kind != aot::TraceStageKind::Program &&
                           stage.kind != aot::TraceStageKind::Joint;
        if (isOwn) {
            graphs.made().insert(stage.graph, isCurrent);
        }
    }
}

/// Tools that trace without pauses.
RetraceTools Session::State::retraceTools(Job& job) {
    return {
        .log = [this](std::uint32_t number) { return graphs.logs().tryFind(number); },
        .graph =
            [this, &job](const ArtifactReference& reference) {
                return graphs.parsedGraph(reference, job.progress);
            },
        .trace = [this,
                  &job](const aot::RetraceRequest& request,
                        const std::string& name) { return backend.retrace(request, {}, name, job.progress); },
        .traceHook =
            [this, &job](const aot::RetraceRequest& request) {
                return backend.retrace(request, {}, "saved-tensors hooks", job.progress);
            },
        .knownOperators = [this] { return backend.knownOperators(); },
        .checkpoints = checkpoints,
        .stop = job.progress.stopToken(),
    };
}

/// Announces that a call stands still and waits for the answer, on the calling thread.
steps::StepAnswer Session::State::pause(steps::StepPause pause, const std::string& name, Job& job) {
    pause.number = stepPauses.open();
    const std::uint64_t number = pause.number;
    const bool hasEnded = !pause.record || pause.next >= pause.record->events.size();
    job.sink(Progressed{
        {.stage = "Paused",
         .detail = name + (hasEnded ? " at the end" : " before " + pause.record->events[pause.next].title),
         .waits = true}});
    job.sink(std::make_shared<const steps::StepPause>(std::move(pause)));
    steps::StepAnswer given = stepPauses.wait(number, job.progress.stopToken());
    job.sink(Progressed{{.stage = "Calling", .detail = name}});
    return given;
}

base::Result<void> Session::State::operator()(const CallCompiled& command, Job& job) {
    if (!graphs.logs().tryFind(command.log)) {
        return noSuchLog(command.log);
    }
    const std::uint64_t content = graphs.logs().contentOf(command.log);
    RetraceTools retrace = retraceTools(job);
    retrace.cached = [&](const aot::RetraceRequest& request,
                         const std::function<base::Result<aot::RetraceResult>()>& trace) {
        return cached(request, trace, job);
    };
    const CallTools tools{
        .retrace = std::move(retrace),
        .partition = partitionTools(job),
        .cachedSplit =
            [&](const aot::CompiledFunction& traced, const aot::PipelineChoices& asked) {
                auto environment = compileEnvironment(job.progress.stopToken());
                return environment ? session::cachedSplit(functions, traced, asked, *std::move(environment),
                                                          job.progress)
                                   : CachedSplit{environment.error(), {.reason = "nothing can be compiled"}};
            },
        .traced =
            [&](const RetraceSnapshotPtr& traced) {
                keepTraced(traced, content);
                job.sink(traced);
            },
        .call =
            [&](const CallRequest& request, const std::string& name, std::string& description) {
                const bool stands = command.pauseAtStart || !command.breakpoints.empty();
                steps::StepPauses asked;
                asked.breakpoints = command.breakpoints;
                asked.atStart = command.pauseAtStart;
                asked.atEnd = stands;
                asked.checkpointLimit = command.checkpointLimit;
                asked.contents = command.contents;
                asked.onPause = [&](steps::StepPause at) { return pause(std::move(at), name, job); };
                return backend.call(request, std::move(asked), name, description, job.progress);
            },
    };
    return sendResult(callCompiled(command, tools), job.sink);
}

/// Opens the backend: its release and its build decide what a compile gives.
base::Result<cache::CompileEnvironment> Session::State::compileEnvironment(const std::stop_token& stop) {
    auto description = backend.description(stop);
    if (!description) {
        return std::move(description).error();
    }
    return cache::CompileEnvironment{.libTorch = std::move(description).value(),
                                     .engine = cache::engineIdentity()};
}

CachedResult Session::State::cached(const aot::RetraceRequest& request,
                                    const std::function<base::Result<aot::RetraceResult>()>& trace,
                                    Job& job) {
    job.progress.report("Opening LibTorch", 0, 0);
    const auto environment = compileEnvironment(job.progress.stopToken());
    if (!environment) {
        return {environment.error(), {.reason = "nothing can be compiled", .notStored = "the trace failed"}};
    }
    if (environment->engine.empty()) {
        return bypassed(trace,
                        "this build has no identity, so no key can tell what another one would compile");
    }
    return cachedRetrace(functions, request, *environment, trace);
}

base::Result<aot::CompiledFunction> Session::State::split(const RetraceSnapshot& retraced,
                                                          const base::Progress& progress,
                                                          const aot::Observer& observer) {
    const LogSnapshotPtr log = graphs.logs().tryFind(retraced.log);
    if (!log) {
        return noSuchLog(retraced.log);
    }
    const auto environment = retraced.cache && retraced.cache->state != aot::CacheState::Bypass
                                 ? std::optional(compileEnvironment(progress.stopToken()))
                                 : std::nullopt;
    if (!environment || !*environment || !isSplittable(retraced)) {
        return splitRetraced(retraced, *log, progress, observer);
    }
    return cachedSplit(functions, functionOf(retraced), splitChoices(retraced, *log), **environment, progress,
                       observer)
        .function;
}

base::Result<void> Session::State::operator()(const Retrace& command, Job& job) {
    const LogSnapshotPtr log = graphs.logs().tryFind(command.log);
    if (!log) {
        return noSuchLog(command.log);
    }
    const std::uint64_t content = graphs.logs().contentOf(command.log);
    const RetraceTarget* current = nullptr;
    RetraceTools tools = retraceTools(job);
    tools.trace = [&](const aot::RetraceRequest& request, const std::string& name) {
        TracePauses asked{command.breakpoints, command.pauseAtStart,
                          [&](TracePause at) { return pause(std::move(at), command, *current, job); }};
        return backend.retrace(request, std::move(asked), name, job.progress);
    };
    tools.cached = [&](const aot::RetraceRequest& request,
                       const std::function<base::Result<aot::RetraceResult>()>& trace) {
        return command.pauseAtStart || !command.breakpoints.empty()
                   ? bypassed(trace, "the trace pauses at breakpoints")
                   : cached(request, trace, job);
    };
    for (const RetraceTarget& target : command.targets.empty() ? retraceTargets(*log) : command.targets) {
        current = &target;
        auto done = retraceTarget(command.log, target, command.options, tools);
        if (!done) {
            return std::move(done).error();
        }
        if (job.progress.stopRequested()) {
            return base::canceledError();
        }
        keepTraced(*done, content);
        job.sink(std::move(done).value());
    }
    return {};
}

PartitionTools Session::State::partitionTools(Job& job) {
    return {.log = [this](std::uint32_t number) { return graphs.logs().tryFind(number); },
            .graph =
                [this, &job](const ArtifactReference& reference) {
                    return graphs.parsedGraph(reference, job.progress);
                },
            .trace = [this](const ArtifactReference& reference) { return graphs.made().tryTrace(reference); },
            .run =
                [this, &job](const GraphSnapshotPtr& graph) {
                    RunOptions forTimes;
                    forTimes.statistics = false;
                    return backend.run(runForTimes, graph, graphs.titleOf(*graph), forTimes,
                                       options.reproducerFolder, job.progress);
                },
            .traceHook =
                [this, &job](const aot::RetraceRequest& request) {
                    return backend.retrace(request, {}, "saved-tensors hooks", job.progress);
                },
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

base::Result<void> Session::State::operator()(const MarkSplit& command, Job& job) {
    const LayoutSnapshotPtr picture = graphs.tryPicture(command.picture);
    if (!picture || !picture->layout || !graphs.logs().tryFind(command.joint.log)) {
        return base::canceledError(); // Nobody shows it any more.
    }
    return sendResult(partitions.mark(command, picture, partitionTools(job)), job.sink);
}

Session::Session(BackendFactory backendFactory, SessionOptions options)
    : m_state(std::make_unique<State>(std::move(backendFactory), std::move(options))) {}

Session::~Session() = default;

void Session::execute(const Command& command, const Sink& sink, const std::stop_token& stop) {
    sink(Started{std::string(commandName(command))});
    State::Job job{
        sink, base::Progress([&sink](const base::ProgressState& state) { sink(Progressed{state}); }, stop)};
    std::optional<base::Error> error;
    try {
        if (stop.stop_requested()) {
            error = base::canceledError();
        } else if (auto done = std::visit([&](const auto& c) { return (*m_state)(c, job); }, command);
                   !done) {
            error = std::move(done).error();
        }
    } catch (const std::bad_alloc&) {
        error = outOfMemory();
    } catch (const std::exception& exception) {
        error = base::Error{.code = "session.exception",
                            .message = "The command ended with an exception.",
                            .notes = {exception.what()}};
    } catch (...) {
        error = base::Error{.code = "session.exception",
                            .message = "The command ended with an unknown exception."};
    }
    // A job that was told to stop ends with Canceled even if it finished at that moment.
    if (stop.stop_requested() || (error && base::isCanceled(*error))) {
        sink(Canceled{});
    } else if (error) {
        base::logInfo("aotscope.session",
                      std::string(commandName(command)) + " failed: " + error->code + ": " + error->message);
        sink(Failed{std::move(error).value()});
    } else {
        sink(Finished{});
    }
}

base::Result<GraphSnapshotPtr> Session::graph(const ArtifactReference& reference,
                                              const base::Progress& progress) {
    return m_state->graphs.graph(reference, progress);
}

bool Session::answerStep(std::uint64_t pause, steps::StepAnswer answer) {
    return m_state->stepPauses.answer(pause, std::move(answer));
}

bool Session::answerPause(std::uint64_t pause, PauseAnswer answer) {
    return m_state->pauses.answer(pause, std::move(answer));
}

std::vector<LogSnapshotPtr> Session::logs() const {
    return m_state->graphs.logs().all();
}

LogSnapshotPtr Session::tryLog(std::uint32_t log) const {
    return m_state->graphs.logs().tryFind(log);
}

base::Result<aot::CompiledFunction> Session::split(const RetraceSnapshot& retraced,
                                                   const base::Progress& progress,
                                                   const aot::Observer& observer) {
    return m_state->split(retraced, progress, observer);
}

base::Result<std::vector<std::string>> Session::operatorSchemas() {
    return m_state->backend.operatorSchemas();
}

base::Result<std::vector<CoverageRow>> Session::coverage() {
    return m_state->backend.coverage();
}

} // namespace aotscope::session
