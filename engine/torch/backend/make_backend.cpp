#include "backend/make_backend.h"

#include "backend/call_compiled.h"
#include "backend/coverage_tables.h"
#include "cuda/devices.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/libtorch_release.h"
#include "dispatch/operators.h"
#include "rerun/rerun_nodes.h"
#include "run/measuring/hook_errors.h"
#include "run/measuring/run_graph.h"
#include "run/reference/reference_run.h"
#include "run/state/memory_limit.h"
#include "torch/kernels/fused_graph.h"
#include "torch/kernels/kernel_check.h"
#include "trace/retrace.h"
#include "trace/trace_thread.h"

#include <utility>
#include <variant>

namespace aotscope::torch {

namespace {

class TorchBackend final : public session::Backend {
public:
    TorchBackend() { installMemoryLimit(); }

protected:
    void answerAny(const session::AnyCall& call, base::Progress progress) override {
        std::visit([&](const auto& asked) { asked.answer = answerTo(asked.call, std::move(progress)); },
                   call);
    }

private:
    static std::string answerTo(const session::DescriptionCall& /*call*/,
                                const base::Progress& /*progress*/) {
        return descriptionOn({});
    }

    base::Result<session::RunSnapshot> answerTo(const session::RunCall& call,
                                                const base::Progress& progress) {
        const GlobalStateScope state = enter(call.options.state);
        return onDevice(call.options.fused ? runFusedGraph(*call.graph, call.options, progress)
                                           : runGraph(*call.graph, call.options, progress),
                        call.options.device);
    }

    base::Result<session::ReferenceSnapshot> answerTo(const session::ReferenceCall& call,
                                                      const base::Progress& progress) {
        const GlobalStateScope state = enter(call.options.state);
        return onDevice(runWithReference(*call.graph, *call.against, call.options, progress),
                        call.options.device);
    }

    base::Result<session::KernelCheck> answerTo(const session::KernelsCall& call,
                                                const base::Progress& progress) {
        const GlobalStateScope state = enter(call.options.state);
        return onDevice(checkKernels(*call.graph, call.options, progress), call.options.device);
    }

    base::Result<session::HookErrors> answerTo(const session::HookErrorsCall& call, base::Progress progress) {
        const GlobalStateScope state = enter(call.request.options.state);
        return m_hookMeasurer.measure(call, std::move(progress));
    }

    base::Result<session::RerunResult> answerTo(const session::RerunRequest& request,
                                                base::Progress progress) {
        const GlobalStateScope state = enter(request.run.state);
        auto result = rerunNodes(request, m_keptValues, std::move(progress));
        const auto device = session::rerunDevice(request);
        return onDevice(std::move(result), device ? *device : session::DeviceChoice());
    }

    base::Result<aot::RetraceResult> answerTo(const session::RetraceCall& call, base::Progress progress) {
        auto result = retrace(call.request, call.pauses, std::move(progress), m_traceThread);
        if (result) {
            result->libTorch = libTorchVersion;
        }
        return result;
    }

    base::Result<steps::CallRecord> answerTo(const session::FunctionCall& call,
                                             const base::Progress& progress) {
        // A canceled trace may still run.
        m_traceThread.finish();
        return callCompiled(call.request,
                            pausesAround(
                                call.pauses, [] {}, [this] { m_traceThread.finish(); }),
                            progress);
    }

    static std::vector<std::string> answerTo(const session::SchemasCall& /*call*/,
                                             const base::Progress& /*progress*/) {
        return allSchemas();
    }

    static std::vector<session::CoverageRow> answerTo(const session::CoverageCall& /*call*/,
                                                      const base::Progress& /*progress*/) {
        return coverageTables();
    }

    static session::DeviceList answerTo(const session::DevicesCall& /*call*/,
                                        const base::Progress& /*progress*/) {
        return machineDevices();
    }

    /// Finishes a canceled trace first, which may still run under another state.
    [[nodiscard]] GlobalStateScope enter(const aot::GlobalState& state) {
        m_traceThread.finish();
        return GlobalStateScope(state);
    }

    [[nodiscard]] static std::string descriptionOn(session::DeviceChoice device) {
        return "LibTorch " TORCH_VERSION " (" + (device.isCuda() ? device.text() : "CPU") + ")";
    }

    /// Notes in an answer where it is from.
    template<typename Answer>
    static base::Result<Answer> onDevice(base::Result<Answer> answer, session::DeviceChoice device) {
        if (answer) {
            answer->backend = descriptionOn(device);
        }
        return answer;
    }

    TraceThread m_traceThread;
    HookMeasurer m_hookMeasurer;
    KeptValues m_keptValues;
};

} // namespace

} // namespace aotscope::torch

aotscope::session::Backend* aotscopeMakeTorchBackend() {
    // A raw pointer crosses the C boundary; the caller puts it into a unique_ptr.
    return std::make_unique<aotscope::torch::TorchBackend>().release();
}
