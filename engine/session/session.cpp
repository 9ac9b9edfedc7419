#include "session/session.h"

#include "session/graph_cache.h"
#include "session/graph_document.h"
#include "session/graph_runner.h"
#include "session/graph_snapshot.h"
#include "session/log_store.h"
#include "session/made_graphs.h"
#include "session/program_kind.h"
#include "session/retracer.h"
#include "session/stage_layouts.h"
#include "session/stepper.h"

#include "base/log.h"

#include <exception>
#include <mutex>
#include <new>
#include <set>

namespace aotscope::session {

namespace {

base::Error notParsed(const GraphSnapshot& graph) {
    base::Error error =
        graph.error.value_or(base::Error{.code = "session.no_graph", .message = "There is no graph."});
    error.notes.insert(error.notes.begin(), "This is needed of " + graph.reference.artifact + " of compile " +
                                                idText(graph.reference) + ".");
    return error;
}

std::string titleOf(const GraphSnapshot& graph, const LogSnapshotPtr& log) {
    std::string title = log ? log->path.filename().string() + ":" : std::string();
    title += idText(graph.reference) + ":" + graph.reference.artifact;
    for (const std::string& part : graph.reference.subgraph) {
        title += "/" + part;
    }
    return title;
}

template<typename Snapshot>
base::Result<void> sendResult(base::Result<Snapshot> made, const Session::Sink& sink) {
    if (!made) {
        return std::move(made).error();
    }
    sink(std::move(made).value());
    return {};
}

} // namespace

struct Session::State {
    State(BackendFactory factory, SessionOptions sessionOptions)
        : options(std::move(sessionOptions)),
          backendFactory(std::move(factory)),
          cache(options.cachedNodes) {}

    const SessionOptions options;

    LogStore logs;

    std::mutex backendMutex;
    BackendFactory backendFactory;
    std::unique_ptr<Backend> backend;

    std::mutex cacheMutex;
    GraphCache cache;
    MadeGraphs made;
    Stepper steps{made};
    StageLayouts stageLayouts;

    /// Commands in execution share what they need by value; these are one command's tools.
    struct Job {
        const Sink& sink;
        base::Progress progress;
    };

    base::Result<GraphSnapshotPtr> graph(const ArtifactReference& reference, base::Progress progress);
    base::Result<GraphSnapshotPtr> parsedGraph(const ArtifactReference& reference, base::Progress progress);
    base::Result<GraphSnapshotPtr> makeGraph(const LogSnapshot& log, const ArtifactReference& reference,
                                             const base::Progress& progress);
    base::Result<LayoutSnapshotPtr> stageLayout(const LayOutGraph& command, const RetraceSnapshotPtr& traced,
                                                std::size_t stage, Job& job);
    base::Result<Backend*> openBackend();
    base::Result<RunSnapshotPtr> run(const ArtifactReference& reference, const RunOptions& runOptions,
                                     GraphRunner runner, Job& job);
    void dropGraphsOf(std::uint32_t log);

    base::Result<void> operator()(const OpenLogs& command, Job& job);
    base::Result<void> operator()(const FollowLog& command, Job& job);
    base::Result<void> operator()(const CloseLog& command, Job& job);
    base::Result<void> operator()(const LoadGraph& command, Job& job);
    base::Result<void> operator()(const LayOutGraph& command, Job& job);
    base::Result<void> operator()(const LoadPayload& command, Job& job);
    base::Result<void> operator()(const CompareGraphs& command, Job& job);
    base::Result<void> operator()(const RunGraph& command, Job& job);
    base::Result<void> operator()(const RunStep& command, Job& job);
    base::Result<void> operator()(const Retrace& command, Job& job);
    base::Result<void> operator()(const PartitionStep& command, Job& job);
    base::Result<void> operator()(const SweepBudgets& command, Job& job);
    base::Result<void> operator()(const FindAlternative& command, Job& job);
    StepTools stepTools(Job& job);
    base::Result<RetraceResult> trace(const RetraceRequest& request, const std::string& name, Job& job);
    PauseAnswer pause(TracePause pause, const Retrace& command, const RetraceTarget& target, Job& job);
    std::set<std::string, std::less<>> knownOperators();
};

base::Result<GraphSnapshotPtr> Session::State::makeGraph(const LogSnapshot& log,
                                                         const ArtifactReference& reference,
                                                         const base::Progress& progress) {
    return log.traceLog ? loadArtifactGraph(*log.traceLog, reference, progress)
                        : loadDocumentGraph(log, reference);
}

base::Result<GraphSnapshotPtr> Session::State::graph(const ArtifactReference& reference,
                                                     base::Progress progress) {
    const LogSnapshotPtr log = logs.tryFind(reference.log);
    if (!log) {
        return noSuchLog(reference.log);
    }
    if (GraphSnapshotPtr known = made.tryFind(reference)) {
        return known;
    }
    {
        const std::lock_guard lock(cacheMutex);
        if (GraphSnapshotPtr known = cache.tryFind(reference)) {
            return known;
        }
    }
    auto read = makeGraph(*log, reference, progress);
    if (read) {
        const std::lock_guard lock(cacheMutex);
        // The log may have been read anew meanwhile; then this graph is of the past.
        if (logs.tryFind(reference.log) == log) {
            cache.insert(*read);
        }
    }
    return read;
}

base::Result<GraphSnapshotPtr> Session::State::parsedGraph(const ArtifactReference& reference,
                                                           base::Progress progress) {
    auto loaded = graph(reference, std::move(progress));
    if (loaded && !(*loaded)->graph) {
        return notParsed(**loaded);
    }
    return loaded;
}

base::Result<Backend*> Session::State::openBackend() {
    if (!backend) {
        if (!backendFactory) {
            return base::Error{.code = "session.no_backend",
                               .message = "This program was built without LibTorch, so it cannot run graphs.",
                               .hint = "Build it with -DAOTSCOPE_TORCH=ON."};
        }
        auto opened = backendFactory();
        if (!opened) {
            return std::move(opened).error();
        }
        backend = std::move(opened).value();
        base::logInfo("aotscope.session", "backend: " + backend->description());
    }
    return backend.get();
}

void Session::State::dropGraphsOf(std::uint32_t log) {
    made.eraseLog(log);
    steps.eraseLog(log);
    stageLayouts.eraseLog(log);
    const std::lock_guard lock(cacheMutex);
    cache.eraseLog(log);
}

base::Result<void> Session::State::operator()(const OpenLogs& command, Job& job) {
    return logs.open(command, job.progress, [&](const LogSnapshotPtr& log) {
        dropGraphsOf(log->log);
        job.sink(log);
    });
}

base::Result<void> Session::State::operator()(const FollowLog& command, Job& job) {
    auto followed = logs.follow(command.log, job.progress);
    if (!followed) {
        return std::move(followed).error();
    }
    if (*followed) {
        dropGraphsOf(command.log);
        job.sink(*followed);
    }
    return {};
}

base::Result<void> Session::State::operator()(const CloseLog& command, Job& job) {
    if (!logs.close(command.log)) {
        return noSuchLog(command.log);
    }
    dropGraphsOf(command.log);
    job.sink(LogClosed{command.log});
    return {};
}

base::Result<void> Session::State::operator()(const LoadGraph& command, Job& job) {
    auto loaded = graph(command.graph, job.progress);
    if (!loaded) {
        return std::move(loaded).error();
    }
    job.sink(std::move(loaded).value());
    return {};
}

base::Result<LayoutSnapshotPtr> Session::State::stageLayout(const LayOutGraph& command,
                                                            const RetraceSnapshotPtr& traced,
                                                            std::size_t stage, Job& job) {
    auto layouts = stageLayouts.of(traced, command.options, job.progress);
    if (!layouts) {
        return std::move(layouts).error();
    }
    auto snapshot = std::make_shared<LayoutSnapshot>();
    snapshot->graph = traced->stages[stage].graph;
    snapshot->options = command.options;
    snapshot->layout = (*layouts)[stage];
    snapshot->stagesOf = traced;
    snapshot->diff = traced->stages[stage].diff;
    return LayoutSnapshotPtr(std::move(snapshot));
}

base::Result<void> Session::State::operator()(const LayOutGraph& command, Job& job) {
    const RetraceSnapshotPtr traced = command.stagesOf ? made.tryTrace(*command.stagesOf) : nullptr;
    if (const auto stage = traced ? stageOf(*traced, command.graph) : std::nullopt) {
        return sendResult(stageLayout(command, traced, *stage, job), job.sink);
    }
    auto loaded = graph(command.graph, job.progress);
    if (!loaded) {
        return std::move(loaded).error();
    }
    if (!(*loaded)->graph) {
        // Known of the graph, and told with it: no failure of this command.
        job.sink(std::make_shared<const LayoutSnapshot>(LayoutSnapshot{*loaded, command.options, nullptr}));
        return {};
    }
    auto laidOut =
        layout::computeLayout(*(*loaded)->graph, (*loaded)->modules, command.options, job.progress);
    if (!laidOut) {
        return std::move(laidOut).error();
    }
    auto snapshot = std::make_shared<LayoutSnapshot>();
    snapshot->graph = std::move(loaded).value();
    snapshot->options = command.options;
    snapshot->layout = std::move(laidOut).value();
    job.sink(LayoutSnapshotPtr(std::move(snapshot)));
    return {};
}

base::Result<void> Session::State::operator()(const LoadPayload& command, Job& job) {
    const LogSnapshotPtr log = logs.tryFind(command.log);
    if (!log || !log->traceLog) {
        return noSuchLog(command.log);
    }
    auto payload = loadPayload(*log, command.record);
    if (!payload) {
        return std::move(payload).error();
    }
    job.sink(std::move(payload).value());
    return {};
}

base::Result<void> Session::State::operator()(const CompareGraphs& command, Job& job) {
    auto left = parsedGraph(command.left, job.progress);
    if (!left) {
        return std::move(left).error();
    }
    auto right = parsedGraph(command.right, job.progress);
    if (!right) {
        return std::move(right).error();
    }
    job.progress.report("Comparing", 0, 0);
    auto diff = std::make_shared<DiffSnapshot>();
    diff->left = std::move(left).value();
    diff->right = std::move(right).value();
    diff->diff = ir::diffGraphs(*diff->left->graph, *diff->right->graph);
    if (job.progress.stopRequested()) {
        return base::canceledError();
    }
    diff->unifiedText = base::unifiedDiff(diff->left->printed.text, diff->right->printed.text,
                                          titleOf(*diff->left, logs.tryFind(command.left.log)),
                                          titleOf(*diff->right, logs.tryFind(command.right.log)));
    job.sink(DiffSnapshotPtr(std::move(diff)));
    return {};
}

base::Result<RunSnapshotPtr> Session::State::run(const ArtifactReference& reference,
                                                 const RunOptions& runOptions, GraphRunner runner, Job& job) {
    auto loaded = parsedGraph(reference, job.progress);
    if (!loaded) {
        return std::move(loaded).error();
    }
    const std::lock_guard lock(backendMutex);
    job.progress.report("Opening LibTorch", 0, 0);
    auto opened = openBackend();
    if (!opened) {
        return std::move(opened).error();
    }
    const std::string title = titleOf(**loaded, logs.tryFind(reference.log));
    return runner(**opened, *loaded, title, runOptions, options.reproducerFolder, job.progress);
}

base::Result<void> Session::State::operator()(const RunGraph& command, Job& job) {
    return sendResult(run(command.graph, command.options, runGraph, job), job.sink);
}

base::Result<void> Session::State::operator()(const RunStep& command, Job& job) {
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
    job.sink(std::make_shared<const StepRunSnapshot>(
        StepRunSnapshot{std::move(forward).value(), std::move(backward).value()}));
    return {};
}

base::Result<RetraceResult> Session::State::trace(const RetraceRequest& request, const std::string& name,
                                                  Job& job) {
    const std::lock_guard lock(backendMutex);
    job.progress.report("Opening LibTorch", 0, 0);
    auto opened = openBackend();
    if (!opened) {
        return std::move(opened).error();
    }
    job.progress.report("Tracing", 0, 0, name);
    return (*opened)->retrace(request, job.progress);
}

/// Tells of a pause and waits for its answer, on the tracing thread. The graphs of the last pauses can be
/// loaded like others.
PauseAnswer Session::State::pause(TracePause pause, const Retrace& command, const RetraceTarget& target,
                                  Job& job) {
    pause.number = command.gate->open();
    pause.name = target.name;
    if (pause.graph) {
        pause.partial = describeGraph(pausedReference(command.log, target, pause.number), pause.graph, {});
        const LogSnapshotPtr log = logs.tryFind(command.log);
        made.insert(pause.partial, [&] { return log && logs.tryFind(command.log) == log; });
        constexpr std::uint64_t kept = 16;
        if (pause.number > kept) {
            made.erase(pausedReference(command.log, target, pause.number - kept));
        }
    }
    job.sink(std::make_shared<const TracePause>(std::move(pause)));
    return command.gate->wait(job.progress.stopToken());
}

std::set<std::string, std::less<>> Session::State::knownOperators() {
    const std::lock_guard lock(backendMutex);
    auto opened = openBackend();
    return opened ? operatorNames((*opened)->operatorSchemas()) : std::set<std::string, std::less<>>();
}

base::Result<void> Session::State::operator()(const Retrace& command, Job& job) {
    const LogSnapshotPtr log = logs.tryFind(command.log);
    if (!log) {
        return noSuchLog(command.log);
    }
    const RetraceTarget* current = nullptr;
    const RetraceTools tools{
        .log = [&](std::uint32_t number) { return logs.tryFind(number); },
        .graph = [&](const ArtifactReference& reference) { return parsedGraph(reference, job.progress); },
        .trace =
            [&](RetraceRequest request, const std::string& name) {
                if (command.gate) {
                    request.pauses = {command.breakpoints, command.pauseAtStart, [&](TracePause at) {
                                          return pause(std::move(at), command, *current, job);
                                      }};
                }
                return trace(request, name, job);
            },
        .knownOperators = [&] { return knownOperators(); },
        .stop = job.progress.stopToken(),
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
        const auto isCurrent = [&] { return logs.tryFind(command.log) == log; };
        made.insert(*done, isCurrent);
        for (const RetraceStage& stage : (*done)->stages) {
            const bool isOwn =
                stage.graph && stage.kind != TraceStageKind::Program && stage.kind != TraceStageKind::Joint;
            if (isOwn) {
                made.insert(stage.graph, isCurrent);
            }
        }
        job.sink(std::move(done).value());
    }
    return {};
}

StepTools Session::State::stepTools(Job& job) {
    return {.log = [this](std::uint32_t number) { return logs.tryFind(number); },
            .graph = [this, &job](
                         const ArtifactReference& reference) { return parsedGraph(reference, job.progress); },
            .trace = [this](const ArtifactReference& reference) { return made.tryTrace(reference); },
            .progress = job.progress};
}

base::Result<void> Session::State::operator()(const PartitionStep& command, Job& job) {
    return sendResult(steps.partition(command, stepTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const SweepBudgets& command, Job& job) {
    return sendResult(steps.sweep(command, stepTools(job)), job.sink);
}

base::Result<void> Session::State::operator()(const FindAlternative& command, Job& job) {
    return sendResult(steps.alternative(command, stepTools(job)), job.sink);
}

Session::Session(BackendFactory backendFactory, SessionOptions options)
    : m_state(std::make_unique<State>(std::move(backendFactory), std::move(options))) {}

Session::~Session() = default;

void Session::execute(const Command& command, const Sink& sink, std::stop_token stop) {
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
    // A job that was told to stop ends with Canceled even where it was done at that moment.
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

base::Result<GraphSnapshotPtr> Session::graph(const ArtifactReference& reference, base::Progress progress) {
    return m_state->graph(reference, std::move(progress));
}

std::vector<LogSnapshotPtr> Session::logs() const {
    return m_state->logs.all();
}

LogSnapshotPtr Session::tryLog(std::uint32_t log) const {
    return m_state->logs.tryFind(log);
}

base::Result<std::vector<std::string>> Session::operatorSchemas() {
    const std::lock_guard lock(m_state->backendMutex);
    auto opened = m_state->openBackend();
    if (!opened) {
        return std::move(opened).error();
    }
    return (*opened)->operatorSchemas();
}

base::Result<std::vector<CoverageRow>> Session::coverage() {
    const std::lock_guard lock(m_state->backendMutex);
    auto opened = m_state->openBackend();
    if (!opened) {
        return std::move(opened).error();
    }
    return (*opened)->coverage();
}

} // namespace aotscope::session
