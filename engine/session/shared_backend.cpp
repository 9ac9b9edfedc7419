#include "session/shared_backend.h"

#include "recompile/program_kind.h"

#include "base/log.h"

#include <utility>

namespace aotscope::session {

class SharedBackend::Turn {
public:
    /// Waits for the turn. If `stop` is requested first, `isHeld` is false.
    explicit Turn(SharedBackend& backend, const std::stop_token& stop = {}) : m_backend(backend) {
        (void)take(stop);
    }
    ~Turn() { give(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    [[nodiscard]] bool isHeld() const { return m_isHeld; }
    /// Takes the turn if it is free; does not wait.
    bool tryTake() {
        const std::lock_guard lock(m_backend.m_mutex);
        m_isHeld = !std::exchange(m_backend.m_taken, true);
        return m_isHeld;
    }
    bool take(const std::stop_token& stop) {
        std::unique_lock lock(m_backend.m_mutex);
        m_isHeld = m_backend.m_free.wait(lock, stop, [this] { return !m_backend.m_taken; });
        m_backend.m_taken = m_backend.m_taken || m_isHeld;
        return m_isHeld;
    }
    void give() {
        if (m_isHeld) {
            const std::lock_guard lock(m_backend.m_mutex);
            m_backend.m_taken = false;
            m_isHeld = false;
        }
        m_backend.m_free.notify_all();
    }

private:
    SharedBackend& m_backend;
    bool m_isHeld = false;
};

base::Result<Backend*> SharedBackend::open() {
    if (!m_backend) {
        if (!m_factory) {
            return base::Error{.code = "session.no_backend",
                               .message = "This program was built without LibTorch, so it cannot run graphs.",
                               .hint = "Build it with -DAOTSCOPE_TORCH=ON."};
        }
        auto opened = m_factory();
        if (!opened) {
            return std::move(opened).error();
        }
        m_backend = std::move(opened).value();
        base::logInfo("aotscope.session", "backend: " + m_backend->description());
    }
    return m_backend.get();
}

template<typename Call>
auto SharedBackend::inTurn(const std::stop_token& stop, Call&& call,
                           const std::function<void(Turn&)>& beforeOpening)
    -> std::invoke_result_t<Call, Backend&> {
    Turn turn(*this, stop);
    if (!turn.isHeld()) {
        return base::canceledError();
    }
    if (beforeOpening) {
        beforeOpening(turn);
    }
    auto opened = open();
    if (!opened) {
        return std::move(opened).error();
    }
    return std::forward<Call>(call)(**opened);
}

template<typename Call>
auto SharedBackend::inTurn(base::Progress& progress, Call&& call) -> std::invoke_result_t<Call, Backend&> {
    return inTurn(progress.stopToken(), std::forward<Call>(call),
                  [&](Turn& /*turn*/) { progress.report("Opening LibTorch", 0, 0); });
}

base::Result<RunSnapshotPtr> SharedBackend::run(GraphRunner runner, const GraphSnapshotPtr& graph,
                                                const std::string& title, const RunOptions& options,
                                                const std::filesystem::path& reproducerFolder,
                                                base::Progress progress) {
    return inTurn(progress, [&](Backend& backend) {
        return runner(backend, graph, title, options, reproducerFolder, progress);
    });
}

base::Result<RerunSnapshotPtr> SharedBackend::rerun(const GraphSnapshotPtr& graph, const std::string& title,
                                                    const RerunNodes& command,
                                                    const std::filesystem::path& reproducerFolder,
                                                    base::Progress progress) {
    return inTurn(progress, [&](Backend& backend) {
        return rerunNodes(backend, graph, title, command, reproducerFolder, progress);
    });
}

base::Result<ReferenceSnapshot> SharedBackend::compareWithReference(const ir::Graph& graph,
                                                                    const ir::Graph& against,
                                                                    const RunOptions& options,
                                                                    base::Progress progress) {
    return inTurn(progress, [&](Backend& backend) {
        return backend.compareWithReference(graph, against, options, progress);
    });
}

base::Result<KernelCheck> SharedBackend::checkKernels(const ir::Graph& graph, const RunOptions& options,
                                                      base::Progress progress) {
    return inTurn(progress, [&](Backend& backend) { return backend.checkKernels(graph, options, progress); });
}

base::Result<HookErrors> SharedBackend::measureHooks(const HookErrorsRequest& request,
                                                     base::Progress progress) {
    return inTurn(progress, [&](Backend& backend) { return backend.measureHooks(request, progress); });
}

template<typename Pause, typename Answer>
std::function<Answer(Pause)> SharedBackend::lending(Turn& turn, std::function<Answer(Pause)> onPause,
                                                    base::Progress progress, std::string stage) {
    return [&turn, progress = std::move(progress), stage = std::move(stage),
            onPause = std::move(onPause)](Pause pause) mutable {
        turn.give();
        Answer answer = onPause(std::move(pause));
        if (!turn.tryTake()) {
            progress.report("Waiting for the run to end", 0, 0);
            if (!turn.take(progress.stopToken())) {
                return Answer{Answer::Kind::Abort};
            }
            progress.report(stage, 0, 0);
        }
        return answer;
    };
}

base::Result<aot::RetraceResult> SharedBackend::retrace(const aot::RetraceRequest& request,
                                                        TracePauses pauses, const std::string& name,
                                                        base::Progress progress) {
    const auto begin = [&](Turn& turn) {
        if (pauses.wanted()) {
            pauses.onPause = lending(turn, std::move(pauses.onPause), progress, "Tracing");
        }
        progress.report("Opening LibTorch", 0, 0);
    };
    const auto answer = [&](Backend& backend) {
        progress.report("Tracing", 0, 0, name);
        return backend.retrace(request, pauses, progress);
    };
    return inTurn(progress.stopToken(), answer, begin);
}

base::Result<steps::CallRecord> SharedBackend::call(const CallRequest& request, steps::StepPauses pauses,
                                                    const std::string& name, std::string& description,
                                                    base::Progress progress) {
    const auto begin = [&](Turn& turn) {
        if (pauses.wanted()) {
            pauses.onPause = lending(turn, std::move(pauses.onPause), progress, "Calling");
        }
        progress.report("Opening LibTorch", 0, 0);
    };
    const auto answer = [&](Backend& backend) {
        progress.report("Calling", 0, 0, name);
        description = backend.description();
        return backend.call(request, pauses, progress);
    };
    return inTurn(progress.stopToken(), answer, begin);
}

base::Result<std::string> SharedBackend::description(const std::stop_token& stop) {
    return inTurn(stop, [](Backend& backend) { return base::Result(backend.description()); });
}

base::Result<std::vector<std::string>> SharedBackend::operatorSchemas() {
    return inTurn(std::stop_token(), [](Backend& backend) { return backend.operatorSchemas(); });
}

base::Result<std::vector<CoverageRow>> SharedBackend::coverage() {
    return inTurn(std::stop_token(), [](Backend& backend) { return backend.coverage(); });
}

base::Result<DeviceList> SharedBackend::devices(const std::stop_token& stop) {
    return inTurn(stop, [](Backend& backend) { return base::Result(backend.devices()); });
}

base::Result<std::set<std::string, std::less<>>> SharedBackend::knownOperators() {
    auto schemas = operatorSchemas();
    return schemas ? base::Result(operatorNames(*schemas)) : std::move(schemas).error();
}

} // namespace aotscope::session
