#pragma once

#include "aot/retrace.h"
#include "contract/call_options.h"
#include "contract/coverage.h"
#include "contract/device_list.h"
#include "contract/hook_errors.h"
#include "contract/kernel_check.h"
#include "contract/reference_run.h"
#include "contract/rerun_request.h"
#include "contract/run_options.h"
#include "contract/snapshots.h"
#include "contract/trace_pause.h"

#include "steps/call_record.h"
#include "steps/step_pause.h"

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::session {

/// A compiled function to call with real tensors.
struct CallRequest {
    /// What was compiled: its program for the eager call, and what is known of its inputs.
    aot::RetraceRequest request;
    /// The finished compile: traced, partitioned if it has a backward, and with all its wrappers.
    aot::CompiledFunction function;
    CallOptions options;
};
AOTSCOPE_MEMBERS(CallRequest, request, function, options)

/// Runs and traces graphs. The session uses only this interface; the implementation (engine/torch) is in a
/// module that is opened for the first command that needs it. Calls come from one thread at a time, except
/// that others may call while a trace is paused.
class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    /// "LibTorch 2.11.0 (CPU)"
    [[nodiscard]] virtual std::string description() const = 0;

    /// Runs a graph node by node. A failing node ends the run; the snapshot then holds the error and the
    /// nodes that ran before. Errors: run.unsupported_input (which placeholder and why), run.too_large,
    /// session.canceled.
    [[nodiscard]] virtual base::Result<RunSnapshot> run(const ir::Graph& graph, const RunOptions& options,
                                                        base::Progress progress) = 0;

    /// Runs a graph, and beside it a reference in float64 on the same inputs: `against`, which may be the
    /// same graph. Nodes correspond by name. Errors: as `run`; run.reference_input (the reference has an
    /// input that the graph does not have).
    [[nodiscard]] virtual base::Result<ReferenceSnapshot> compareWithReference(const ir::Graph& graph,
                                                                               const ir::Graph& against,
                                                                               const RunOptions& options,
                                                                               base::Progress progress) = 0;

    /// Writes the fused kernels of a graph, compiles them for the device of the options, runs each there on
    /// the real inputs of its nodes, and the whole graph with all of them in place, and compares with the
    /// graph's own operators. What differs is no error of the call. Errors: as `run`; on the CPU
    /// kernels.no_host_compiler, on a GPU kernels.no_nvrtc, kernels.no_architecture.
    [[nodiscard]] virtual base::Result<KernelCheck>
    checkKernels(const ir::Graph& graph, const RunOptions& options, base::Progress progress) = 0;

    /// Runs a forward, packs and unpacks what it saves, and runs the backward on that, to see the errors. A
    /// hook that fails is no error of the call: its entry says so. Errors: as `run`; run.hooks (a backward
    /// that cannot be run again, because it writes to its inputs).
    [[nodiscard]] virtual base::Result<HookErrors> measureHooks(const HookErrorsRequest& request,
                                                                base::Progress progress) = 0;

    /// Runs nodes of a graph again and again, with the inputs that they have in a run. Errors: as `run`, with
    /// the node; those of rerunRegion; rerun.twist (what cannot be changed), rerun.stand_in,
    /// rerun.changes_storage; of a fused kernel those of checkKernels.
    [[nodiscard]] virtual base::Result<RerunResult> rerun(const RerunRequest& request,
                                                          base::Progress progress) = 0;

    /// Compiles a function again as AOTAutograd does, without tensor data. With `pauses` wanted, it calls
    /// `onPause` on the calling thread and waits for the answer. Errors: trace.unsupported (names the call
    /// that cannot be traced), trace.input, session.canceled.
    [[nodiscard]] virtual base::Result<aot::RetraceResult>
    retrace(const aot::RetraceRequest& request, const TracePauses& pauses, base::Progress progress) = 0;

    /// Calls a compiled function through its wrappers, with autograd around it, and compares with the program
    /// in eager mode. A call that fails is no error: the record has it, with the events before it. With
    /// `pauses` wanted, it calls `onPause` on the calling thread and waits for the answer. Errors:
    /// call.unsupported (names what cannot be called), those of the inputs as for `run`, session.canceled.
    [[nodiscard]] virtual base::Result<steps::CallRecord>
    call(const CallRequest& request, const steps::StepPauses& pauses, base::Progress progress) = 0;

    /// All operator schemas of the dispatcher, one per line, sorted. Errors: of an engine in another process
    /// (remote/remote_backend.h).
    [[nodiscard]] virtual base::Result<std::vector<std::string>> operatorSchemas() const = 0;

    /// Which names on PyTorch's own lists can be traced, area by area. Errors: as operatorSchemas.
    [[nodiscard]] virtual base::Result<std::vector<CoverageRow>> coverage() const = 0;

    /// The CPU and GPUs that graphs can run on, and why there is no GPU. Other calls on a GPU that is not
    /// there give the error of checkDevice.
    [[nodiscard]] virtual DeviceList devices() const = 0;
};

/// Creates the backend on first use. On failure the error says what is missing and what to do.
using BackendFactory = std::function<base::Result<std::unique_ptr<Backend>>()>;

} // namespace aotscope::session
