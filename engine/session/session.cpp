#include "session/session.h"

#include "base/mapped.h"
#include "contract/errors.h"
#include "files/generated_code.h"
#include "files/payload_snapshot.h"
#include "runs/profile.h"
#include "session/session_state.h"

#include "base/log.h"

#include <exception>
#include <set>
#include <utility>
#include <vector>

namespace aotscope::session {

void Session::State::forget(std::uint32_t log) {
    values.eraseLog(log);
    graphs.forget(log);
    partitions.eraseLog(log);
}

/// Makes a snapshot of what these logs hold and sends it, unless one of them was closed or replaced in the
/// meantime: nobody shows it any more, and its numbers may name other records now.
template<typename Make>
base::Result<void> Session::State::sendMadeOf(std::initializer_list<std::uint32_t> logs, Job& job,
                                              Make&& make) {
    const auto contents = [&] {
        return base::mapped(logs, [&](const std::uint32_t log) { return graphs.logs().contentOf(log); });
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
    AOTSCOPE_TRY(followed, graphs.logs().follow(command.log, job.progress));
    if (!followed.after) {
        return {};
    }
    if (followed.continues) {
        graphs.forgetRead(ChangedCompiles::between(*followed.before, *followed.after));
    } else {
        // The file was replaced, so everything computed from the old one is dropped.
        forget(command.log);
        job.sink(LogClosed{command.log});
    }
    job.sink(followed.after);
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
    return sendMadeOf({command.graph.log}, job, [&] { return graphs.graph(command.graph, job.progress); });
}

base::Result<void> Session::State::operator()(const LayOutGraph& command, Job& job) {
    return sendMadeOf({command.graph.log}, job, [&] { return graphs.layout(command, job.progress); });
}

base::Result<void> Session::State::operator()(const LoadPayload& command, Job& job) {
    return sendMadeOf({command.log}, job, [&]() -> base::Result<PayloadSnapshotPtr> {
        AOTSCOPE_TRY(log, graphs.logs().findTraceLog(command.log));
        return loadPayload(*log, command.record, job.progress);
    });
}

base::Result<void> Session::State::operator()(const LoadGeneratedCode& command, Job& job) {
    return sendMadeOf({command.compile.log}, job, [&]() -> base::Result<GeneratedCodeSnapshotPtr> {
        AOTSCOPE_TRY(log, graphs.logs().findTraceLog(command.compile.log));
        return readGeneratedCode(*log, command, job.progress);
    });
}

base::Result<void> Session::State::operator()(const CompareGraphs& command, Job& job) {
    return sendMadeOf({command.left.log, command.right.log}, job,
                      [&] { return graphs.compare(command, job.progress); });
}

RunOptions Session::State::inState(const ArtifactReference& graph, RunOptions runOptions) const {
    if (const auto state = graphs.stateOf(graph)) {
        runOptions.state = *state;
    }
    return runOptions;
}

base::Result<RunSnapshotPtr> Session::State::run(const ArtifactReference& reference,
                                                 const RunOptions& runOptions, GraphRunner runner, Job& job) {
    AOTSCOPE_TRY(loaded, graphs.parsedGraph(reference, job.progress));
    return run(loaded, inState(reference, runOptions), runner, job);
}

base::Result<RunSnapshotPtr> Session::State::run(const GraphSnapshotPtr& graph, const RunOptions& runOptions,
                                                 GraphRunner runner, Job& job) {
    return backend.use(job.progress, [&](Backend& opened) {
        return runner(
            {opened, graph, graphs.titleOf(*graph), runOptions, options.reproducerFolder, job.progress});
    });
}

base::Result<void> Session::State::operator()(const RunGraph& command, Job& job) {
    const GraphRunner runner = command.options.profile ? runProfiled : runGraph;
    return sendResult(run(command.graph, command.options, runner, job), job.sink);
}

base::Result<void> Session::State::operator()(const CheckKernels& command, Job& job) {
    return sendMadeOf({command.graph.log}, job, [&]() -> base::Result<KernelCheckSnapshotPtr> {
        AOTSCOPE_TRY(loaded, graphs.parsedGraph(command.graph, job.progress));
        AOTSCOPE_TRY(check,
                     backend.answer(KernelsCall{loaded->graph, inState(command.graph, command.options)},
                                    job.progress));
        return std::make_shared<const KernelCheckSnapshot>(
            KernelCheckSnapshot{std::move(loaded), std::move(check)});
    });
}

base::Result<void> Session::State::operator()(const RunTrainingStep& command, Job& job) {
    const GraphRunner runner = command.options.profile ? runProfiled : runForTimes;
    AOTSCOPE_TRY(forward, run(command.forward, command.options, runner, job));
    RunOptions handedOver = command.options;
    handedOver.symbols = forward->symbols;
    AOTSCOPE_TRY(backward, run(command.backward, handedOver, runner, job));
    TrainingStepSnapshot step{std::move(forward), std::move(backward), nullptr};
    if (step.forward->profile && step.backward->profile) {
        AOTSCOPE_TRY(profile, profileOfStep(*step.forward->profile, *step.backward->profile, job.progress));
        step.profile = std::move(profile);
    }
    job.sink(std::make_shared<const TrainingStepSnapshot>(std::move(step)));
    return {};
}

base::Result<void> Session::State::operator()(const LoadValue& command, Job& job) {
    return sendMadeOf({command.graph.log}, job, [&]() -> base::Result<ValueSnapshotPtr> {
        AOTSCOPE_TRY(loaded, graphs.parsedGraph(command.graph, job.progress));
        const auto runUpTo = [&](const RunOptions& runOptions) {
            return run(command.graph, runOptions, runGraph, job);
        };
        return values.view(loaded, command, runUpTo);
    });
}

base::Result<void> Session::State::operator()(const CompareWithReference& command, Job& job) {
    const auto make = [&]() -> base::Result<ReferenceSnapshotPtr> {
        auto graph = graphs.parsedGraph(command.graph, job.progress);
        AOTSCOPE_TRY(against,
                     command.against && graph ? graphs.parsedGraph(*command.against, job.progress) : graph);
        AOTSCOPE_TRY(compared, backend.answer(ReferenceCall{(*graph)->graph, against->graph,
                                                            inState(command.graph, command.options)},
                                              job.progress));
        auto snapshot = std::make_shared<ReferenceSnapshot>(std::move(compared));
        snapshot->graph = *graph;
        snapshot->against = command.against ? against : nullptr;
        return ReferenceSnapshotPtr(std::move(snapshot));
    };
    return sendMadeOf({command.graph.log, command.against.value_or(command.graph).log}, job, make);
}

base::Result<void> Session::State::operator()(const RerunNodes& command, Job& job) {
    return sendMadeOf({command.graph.log}, job, [&]() -> base::Result<RerunSnapshotPtr> {
        AOTSCOPE_TRY(loaded, graphs.parsedGraph(command.graph, job.progress));
        RerunNodes asked = command;
        asked.run = inState(command.graph, std::move(asked.run));
        return backend.use(job.progress, [&](Backend& opened) {
            return rerunNodes(opened, loaded, graphs.titleOf(*loaded), asked, options.reproducerFolder,
                              job.progress);
        });
    });
}

base::Result<void> Session::State::operator()(const ListDevices& /*command*/, Job& job) {
    const auto list = [](Backend& opened) -> base::Result<DeviceListPtr> {
        return std::make_shared<const DeviceList>(opened.devices());
    };
    return sendResult(backend.use({{}, job.progress.stopToken()}, list), job.sink);
}

base::Result<void> Session::State::operator()(const MatchTimeline& command, Job& job) {
    return sendMadeOf({command.log}, job, [&]() -> base::Result<ProfileSnapshotPtr> {
        const LogSnapshotPtr trace = graphs.logs().tryFind(command.log);
        if (!trace || !trace->timeline()) {
            return noSuchLog(command.log);
        }
        std::vector<GraphSnapshotPtr> parsed;
        for (const ArtifactReference& reference : command.graphs) {
            AOTSCOPE_TRY(graph, graphs.parsedGraph(reference, job.progress));
            parsed.push_back(std::move(graph));
        }
        job.progress.report("Finding the nodes of the graphs", 0, 0);
        return std::make_shared<const ProfileSnapshot>(ProfileSnapshot{
            command.log,
            std::make_shared<const Profile>(matchedProfile(trace->timeline(), std::move(parsed)))});
    });
}

base::Result<void> Session::State::operator()(const PlanKernels& command, Job& job) {
    return sendMadeOf({command.graph.log}, job, [&]() -> base::Result<KernelPlanSnapshotPtr> {
        AOTSCOPE_TRY(loaded, graphs.parsedGraph(command.graph, job.progress));
        auto snapshot = std::make_shared<KernelPlanSnapshot>();
        snapshot->graph = loaded;
        snapshot->symbols = command.symbols;
        snapshot->plan = kernels::planFusion(*loaded->graph, {command.symbols, {}});
        snapshot->kernelOf = kernels::kernelsOfNodes(*loaded->graph, snapshot->plan);
        return KernelPlanSnapshotPtr(std::move(snapshot));
    });
}

base::Result<void> Session::State::operator()(const BuildKernel& command, Job& job) {
    return sendResult(kernelBuilder.build(command.kernel, job.progress), job.sink);
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
    } catch (const std::exception& exception) {
        error = exceptionError("The command", exception);
    } catch (...) {
        error = base::Error{.code = "session.exception",
                            .message = "The command ended with an unknown exception."};
    }
    // A job that was requested to stop ends with Canceled even if it finished at that moment.
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
                                                   const base::Progress& progress) {
    return m_state->split(retraced, progress);
}

SharedBackend& Session::backend() {
    return m_state->backend;
}

} // namespace aotscope::session
