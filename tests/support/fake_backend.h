#pragma once

#include "contract/backend.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::test {

/// Shared by a test and the backends that it created.
struct FakeBackendControl {
    /// Executes a run; by default every node takes 1 ns and returns a float32 tensor [1].
    std::function<base::Result<session::RunSnapshot>(const ir::Graph&, const session::RunOptions&,
                                                     base::Progress&)>
        onRun;
    /// Executes a trace; by default nothing can be traced.
    std::function<base::Result<aot::RetraceResult>(const aot::RetraceRequest&, const session::TracePauses&,
                                                   base::Progress&)>
        onRetrace;
    /// Compares with a reference; by default nothing is wrong.
    std::function<base::Result<session::ReferenceSnapshot>(const ir::Graph&, const ir::Graph&,
                                                           const session::RunOptions&)>
        onReference;
    /// Checks kernels; by default there are none.
    std::function<base::Result<session::KernelCheck>(const ir::Graph&, const session::RunOptions&)> onKernels;
    /// Measures hooks; by default there are no errors.
    std::function<base::Result<session::HookErrors>(const session::HookErrorsCall&)> onHooks;
    /// Runs nodes again; by default the first repetition takes 1000 ns, each later one 1 ns more.
    std::function<base::Result<session::RerunResult>(const session::RerunRequest&, base::Progress&)> onRerun;
    /// Executes a compiled call; by default nothing happens in it.
    std::function<base::Result<steps::CallRecord>(const session::CallRequest&, const steps::StepPauses&,
                                                  base::Progress&)>
        onCall;
    base::Result<std::vector<session::CoverageRow>> coverage{std::vector<session::CoverageRow>()};
    base::Result<std::vector<std::string>> schemas{
        std::vector<std::string>{"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"}};
    /// By default a CPU, and no GPU.
    session::DeviceList devices{{{{}, "fake processor"}}, {}, {}, "There is no GPU."};
    /// If set, runs wait until `open` is set or they are canceled.
    std::atomic<bool> gated = false;
    std::atomic<int> made = 0;
    std::atomic<int> started = 0;
    std::atomic<int> running = 0;
    std::atomic<int> mostRunning = 0;

    std::mutex mutex;
    std::condition_variable_any changed;

    void openGate() {
        const std::lock_guard lock(mutex);
        gated = false;
        changed.notify_all();
    }
    void awaitStarted(int count) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return started >= count; });
    }
};

/// A backend without LibTorch, for tests of the code around it.
class FakeBackend : public session::Backend {
public:
    explicit FakeBackend(std::shared_ptr<FakeBackendControl> control) : m_control(std::move(control)) {}

    static session::RunSnapshot everyNodeRan(const ir::Graph& graph, const session::RunOptions& options) {
        session::RunSnapshot run;
        run.seed = options.seed;
        run.device = options.device;
        run.symbols = options.symbols;
        run.backend = "fake backend";
        for (const ir::NodeId node : graph.order()) {
            session::NodeRun ran;
            ran.node = node;
            ran.nanoseconds = 1;
            ran.outputs.push_back({"float32", {1}, {1}, 4, 0.5, 0.5, 0.5, 0, 0});
            run.nanoseconds += 1;
            run.nodes.push_back(std::move(ran));
        }
        return run;
    }

    static session::RerunResult eachSlower(const session::RerunRequest& request) {
        session::RerunResult result;
        result.nodes = request.nodes;
        for (std::size_t i = 0; i < request.settings.repetitions; ++i) {
            result.samples.push_back(1000 + static_cast<std::int64_t>(i));
        }
        result.device = "cpu";
        result.backend = "fake backend";
        return result;
    }

protected:
    void answerAny(const session::AnyCall& call, base::Progress progress) override {
        std::visit([&](const auto& asked) { asked.answer = answerTo(asked.call, progress); }, call);
    }

private:
    std::string answerTo(const session::DescriptionCall& /*call*/, base::Progress& /*progress*/) {
        return "fake backend";
    }
    base::Result<session::RunSnapshot> answerTo(const session::RunCall& call, base::Progress& progress) {
        FakeBackendControl& control = *m_control;
        const int running = ++control.running;
        control.mostRunning = std::max(control.mostRunning.load(), running);
        {
            std::unique_lock lock(control.mutex);
            ++control.started;
            control.changed.notify_all();
            control.changed.wait(lock, progress.stopToken(), [&] { return !control.gated; });
        }
        --control.running;
        if (progress.stopRequested()) {
            return base::canceledError();
        }
        return control.onRun ? control.onRun(*call.graph, call.options, progress)
                             : everyNodeRan(*call.graph, call.options);
    }
    base::Result<session::ReferenceSnapshot> answerTo(const session::ReferenceCall& call,
                                                      base::Progress& progress) {
        session::ReferenceSnapshot nothingWrong;
        nothingWrong.backend = "fake backend";
        return unlessStopped(progress, m_control->onReference, nothingWrong, *call.graph, *call.against,
                             call.options);
    }
    base::Result<session::KernelCheck> answerTo(const session::KernelsCall& call, base::Progress& progress) {
        session::KernelCheck none;
        none.backend = "fake backend";
        none.wholeRun.agrees = true;
        return unlessStopped(progress, m_control->onKernels, none, *call.graph, call.options);
    }
    base::Result<session::HookErrors> answerTo(const session::HookErrorsCall& call,
                                               base::Progress& progress) {
        return unlessStopped(progress, m_control->onHooks, session::HookErrors(), call);
    }
    base::Result<session::RerunResult> answerTo(const session::RerunRequest& request,
                                                base::Progress& progress) {
        return unlessStopped(progress, m_control->onRerun, eachSlower(request), request, progress);
    }
    base::Result<aot::RetraceResult> answerTo(const session::RetraceCall& call, base::Progress& progress) {
        const base::Error nothing{.code = "trace.unsupported", .message = "The fake backend traces nothing."};
        return unlessStopped(progress, m_control->onRetrace, nothing, call.request, call.pauses, progress);
    }
    base::Result<steps::CallRecord> answerTo(const session::FunctionCall& call, base::Progress& progress) {
        return unlessStopped(progress, m_control->onCall, steps::CallRecord(), call.request, call.pauses,
                             progress);
    }
    base::Result<std::vector<std::string>> answerTo(const session::SchemasCall& /*call*/,
                                                    base::Progress& /*progress*/) {
        return m_control->schemas;
    }
    base::Result<std::vector<session::CoverageRow>> answerTo(const session::CoverageCall& /*call*/,
                                                             base::Progress& /*progress*/) {
        return m_control->coverage;
    }
    session::DeviceList answerTo(const session::DevicesCall& /*call*/, base::Progress& /*progress*/) {
        return m_control->devices;
    }

    /// What a test's function answers, else the default.
    template<typename Answer, typename... Parameters, typename... Arguments>
    static base::Result<Answer>
    unlessStopped(const base::Progress& progress,
                  const std::function<base::Result<Answer>(Parameters...)>& answer,
                  std::type_identity_t<base::Result<Answer>> byDefault, Arguments&... arguments) {
        if (progress.stopRequested()) {
            return base::canceledError();
        }
        return answer ? answer(arguments...) : std::move(byDefault);
    }

    std::shared_ptr<FakeBackendControl> m_control;
};

[[nodiscard]] inline session::BackendFactory fakeBackendFactory(std::shared_ptr<FakeBackendControl> control) {
    return [control]() -> base::Result<std::unique_ptr<session::Backend>> {
        ++control->made;
        return std::unique_ptr<session::Backend>(std::make_unique<FakeBackend>(control));
    };
}

} // namespace aotscope::test
