#include "backend/make_backend.h"

#include "backend/call_compiled.h"
#include "backend/coverage_tables.h"
#include "cuda/devices.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/operators.h"
#include "rerun/rerun_nodes.h"
#include "run/hook_errors.h"
#include "run/memory_limit.h"
#include "run/reference_run.h"
#include "run/run_graph.h"
#include "torch/kernels/fused_graph.h"
#include "torch/kernels/kernel_check.h"
#include "trace/retrace.h"
#include "trace/trace_thread.h"

#include <torch/headeronly/version.h>

namespace aotscope::torch {

namespace {

class TorchBackend final : public session::Backend {
public:
    TorchBackend() { installMemoryLimit(); }

    std::string description() const override { return "LibTorch " TORCH_VERSION " (CPU)"; }

    base::Result<session::RunSnapshot> run(const ir::Graph& graph, const session::RunOptions& options,
                                           base::Progress progress) override {
        const GlobalStateScope state = enter(options.state);
        base::Result<session::RunSnapshot> result = options.fused
                                                        ? runFusedGraph(graph, options, progress)
                                                        : runGraph(graph, options, std::move(progress));
        if (result) {
            result->backend = descriptionOn(options.device);
        }
        return result;
    }

    base::Result<session::ReferenceSnapshot> compareWithReference(const ir::Graph& graph,
                                                                  const ir::Graph& against,
                                                                  const session::RunOptions& options,
                                                                  base::Progress progress) override {
        const GlobalStateScope state = enter(options.state);
        auto result = runWithReference(graph, against, options, std::move(progress));
        if (result) {
            result->backend = descriptionOn(options.device);
        }
        return result;
    }

    base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph,
                                                    const session::RunOptions& options,
                                                    base::Progress progress) override {
        const GlobalStateScope state = enter(options.state);
        auto check = torch::checkKernels(graph, options, std::move(progress));
        if (check) {
            check->backend = descriptionOn(options.device);
        }
        return check;
    }

    base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                                   base::Progress progress) override {
        const GlobalStateScope state = enter(request.options.state);
        return m_hookMeasurer.measure(request, std::move(progress));
    }

    base::Result<session::RerunResult> rerun(const session::RerunRequest& request,
                                             base::Progress progress) override {
        const GlobalStateScope state = enter(request.run.state);
        auto result = rerunNodes(request, m_keptValues, std::move(progress));
        if (result) {
            const auto device = session::rerunDevice(request);
            result->backend = descriptionOn(device ? *device : session::DeviceChoice());
        }
        return result;
    }

    base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses,
                                             base::Progress progress) override {
        base::Result<aot::RetraceResult> result =
            torch::retrace(request, pauses, std::move(progress), m_traceThread);
        if (result) {
            result->libTorch = aot::TorchVersion{TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR};
        }
        return result;
    }

    base::Result<steps::CallRecord> call(const session::CallRequest& request, const steps::StepPauses& pauses,
                                         base::Progress progress) override {
        // A canceled trace may still run.
        m_traceThread.finish();
        steps::StepPauses alone = pauses;
        if (pauses.onPause) {
            alone.onPause = [&](steps::StepPause pause) {
                steps::StepAnswer answer = pauses.onPause(std::move(pause));
                if (answer.kind != steps::StepAnswer::Kind::Abort) {
                    m_traceThread.finish();
                }
                return answer;
            };
        }
        return callCompiled(request, alone, progress);
    }

    base::Result<std::vector<std::string>> operatorSchemas() const override { return allSchemas(); }

    base::Result<std::vector<session::CoverageRow>> coverage() const override { return coverageTables(); }

    session::DeviceList devices() const override { return machineDevices(); }

private:
    /// Finishes a canceled trace first, which may still run under another state.
    [[nodiscard]] GlobalStateScope enter(const aot::GlobalState& state) {
        m_traceThread.finish();
        return GlobalStateScope(state);
    }

    [[nodiscard]] std::string descriptionOn(session::DeviceChoice device) const {
        return device.isCuda() ? "LibTorch " TORCH_VERSION " (" + device.text() + ")" : description();
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
