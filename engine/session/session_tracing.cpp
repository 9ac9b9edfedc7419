// The commands that trace and call.
#include "session/session_state.h"

#include "explore/split_retraced.h"
#include "files/graph_snapshot.h"
#include "files/retrace_targets.h"
#include "recompile/compiled_call.h"
#include "recompile/program_kind.h"

#include "cache/cache_key.h"

#include <filesystem>
#include <set>
#include <string>
#include <utility>

namespace aotscope::session {

namespace {

/// Traces without the cache.
CachedResult bypassed(const TraceWork& trace, const char* why) {
    return {trace(), {.state = aot::CacheState::Bypass, .reason = why}};
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
        const bool isOwn = stage.graph && stage.graph != traced->program && stage.graph != traced->made;
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
        .trace =
            [this, &job](const aot::RetraceRequest& request, const std::string& name) {
                return backend.answer(RetraceCall{request}, job.progress, "Tracing", name);
            },
        .traceHook =
            [this, &job](const aot::RetraceRequest& request) {
                return backend.answer(RetraceCall{request}, job.progress, "Tracing", "saved-tensors hooks");
            },
        .knownOperators = [this]() -> base::Result<std::set<std::string, std::less<>>> {
            const auto schemas = backend.answer(SchemasCall());
            return schemas ? base::Result(operatorNames(*schemas)) : schemas.error();
        },
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
    AOTSCOPE_CHECK(graphs.logs().find(command.log));
    const std::uint64_t content = graphs.logs().contentOf(command.log);
    RetraceTools retrace = retraceTools(job);
    retrace.cached = [&](const aot::RetraceRequest& request, const TraceWork& trace) {
        return cached(request, trace, job);
    };
    const CallTools tools{
        .retrace = std::move(retrace),
        .partition = partitionTools(job),
        .cachedSplit =
            [&](const aot::CompiledFunction& traced, const aot::CompileChoices& asked,
                const CompileWork& compile) {
                auto environment = compileEnvironment(job.progress.stopToken());
                return environment
                           ? session::cachedSplit(functions, traced, asked, *std::move(environment), compile)
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
                asked.byFusedKernel = command.byFusedKernel;
                asked.onPause = [&](steps::StepPause at) { return pause(std::move(at), name, job); };
                auto opened = backendDescription(job.progress.stopToken());
                if (!opened) {
                    return base::Result<steps::CallRecord>(std::move(opened).error());
                }
                description = *std::move(opened);
                return backend.answer(FunctionCall{request, std::move(asked)}, job.progress, "Calling", name);
            },
    };
    return sendResult(callCompiled(command, tools), job.sink);
}

base::Result<std::string> Session::State::backendDescription(const std::stop_token& stop) {
    return backend.use({{}, stop}, [](Backend& opened) { return base::Result(opened.description()); });
}

/// Opens the backend: its release and its build decide what a compile gives.
base::Result<cache::CompileEnvironment> Session::State::compileEnvironment(const std::stop_token& stop) {
    AOTSCOPE_TRY(description, backendDescription(stop));
    return cache::CompileEnvironment{.libTorch = std::move(description), .engine = cache::engineIdentity()};
}

CachedResult Session::State::cached(const aot::RetraceRequest& request, const TraceWork& trace, Job& job) {
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
                                                          const base::Progress& progress) {
    AOTSCOPE_TRY(log, graphs.logs().find(retraced.log));
    const auto environment = retraced.cache && retraced.cache->state != aot::CacheState::Bypass
                                 ? std::optional(compileEnvironment(progress.stopToken()))
                                 : std::nullopt;
    const auto compile = [&] { return splitRetraced(retraced, *log, progress); };
    if (!environment || !*environment || !isSplittable(retraced)) {
        return compile();
    }
    return cachedSplit(functions, functionOf(retraced), splitChoices(retraced, *log), **environment, compile)
        .result;
}

base::Result<void> Session::State::operator()(const Retrace& command, Job& job) {
    AOTSCOPE_TRY(log, graphs.logs().find(command.log));
    const std::uint64_t content = graphs.logs().contentOf(command.log);
    const RetraceTarget* current = nullptr;
    RetraceTools tools = retraceTools(job);
    tools.trace = [&](const aot::RetraceRequest& request, const std::string& name) {
        TracePauses asked{command.breakpoints, command.pauseAtStart,
                          [&](TracePause at) { return pause(std::move(at), command, *current, job); }};
        return backend.answer(RetraceCall{request, std::move(asked)}, job.progress, "Tracing", name);
    };
    tools.cached = [&](const aot::RetraceRequest& request, const TraceWork& trace) {
        return command.pauseAtStart || !command.breakpoints.empty()
                   ? bypassed(trace, "the trace pauses at breakpoints")
                   : cached(request, trace, job);
    };
    for (const RetraceTarget& target : command.targets.empty() ? retraceTargets(*log) : command.targets) {
        current = &target;
        AOTSCOPE_TRY(done, retraceTarget(command.log, target, command.options, tools));
        AOTSCOPE_CHECK(job.progress.checkStop());
        keepTraced(done, content);
        job.sink(std::move(done));
    }
    return {};
}

} // namespace aotscope::session
