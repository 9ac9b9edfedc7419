#pragma once

#include "aot/retrace.h"
#include "contract/call_options.h"
#include "contract/coverage.h"
#include "contract/devices.h"
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
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// The calls of a backend: what runs and traces graphs. A call is a struct with the type of its answer, so
/// that a new one is a struct here, in the list AnyCall, and a function of engine/torch/backend. `hasGraphs`:
/// whether the graphs that it cannot do without are there. `handler`: the function in it that is called, on
/// the calling thread, while the call waits.
namespace aotscope::session {

/// "LibTorch 2.11.0 (CPU)"
struct DescriptionCall {
    using Answer = std::string;
};

/// Runs a graph node by node. A failing node ends the run; the snapshot then holds the error and the nodes
/// that ran before. Errors: run.unsupported_input (which placeholder and why), run.too_large,
/// session.canceled.
struct RunCall {
    using Answer = RunSnapshot;
    ir::GraphPtr graph;
    RunOptions options;

    [[nodiscard]] bool hasGraphs() const { return graph != nullptr; }
};
AOTSCOPE_MEMBERS(RunCall, graph, options)

/// Runs a graph, and beside it a reference in float64 on the same inputs: `against`, which may be the same
/// graph. Nodes correspond by name. Errors: as RunCall; run.reference_input (the reference has an input that
/// the graph does not have).
struct ReferenceCall {
    using Answer = ReferenceSnapshot;
    ir::GraphPtr graph;
    ir::GraphPtr against;
    RunOptions options;

    [[nodiscard]] bool hasGraphs() const { return graph && against; }
};
AOTSCOPE_MEMBERS(ReferenceCall, graph, against, options)

/// Writes the fused kernels of a graph, compiles them for the device of the options, runs each there on the
/// real inputs of its nodes, and the whole graph with all of them in place, and compares with the graph's own
/// operators. What differs is no error of the call. Errors: as RunCall; on the CPU kernels.no_host_compiler,
/// on a GPU kernels.no_nvrtc, kernels.no_architecture.
struct KernelsCall {
    using Answer = KernelCheck;
    ir::GraphPtr graph;
    RunOptions options;

    [[nodiscard]] bool hasGraphs() const { return graph != nullptr; }
};
AOTSCOPE_MEMBERS(KernelsCall, graph, options)

/// Compiles a function again as AOTAutograd does, without tensor data. Errors: trace.unsupported (names the
/// call that cannot be traced), trace.input, session.canceled.
struct RetraceCall {
    using Answer = aot::RetraceResult;
    aot::RetraceRequest request;
    TracePauses pauses = {};

    [[nodiscard]] bool hasGraphs() const { return request.program != nullptr; }
    static auto& handler(auto& call) { return call.pauses.onPause; }
};
AOTSCOPE_MEMBERS(RetraceCall, request, pauses)

/// A compiled function to call with real tensors.
struct CallRequest {
    /// What was compiled: its program for the eager call, and what is known of its inputs.
    aot::RetraceRequest request;
    /// The finished compile: traced, partitioned if it has a backward, and with all its wrappers.
    aot::CompiledFunction function;
    CallOptions options;
};
AOTSCOPE_MEMBERS(CallRequest, request, function, options)

/// Calls a compiled function through its wrappers, with autograd around it, and compares with the program in
/// eager mode. A call that fails is no error: the record has it, with the events before it. Errors:
/// call.unsupported (names what cannot be called), those of the inputs as for RunCall, session.canceled.
struct FunctionCall {
    using Answer = steps::CallRecord;
    CallRequest request;
    steps::StepPauses pauses = {};

    [[nodiscard]] bool hasGraphs() const { return request.request.program && request.function.graph; }
    static auto& handler(auto& call) { return call.pauses.onPause; }
};
AOTSCOPE_MEMBERS(FunctionCall, request, pauses)

/// All operator schemas of the dispatcher, one per line, sorted.
struct SchemasCall {
    using Answer = std::vector<std::string>;
};

/// Which names on PyTorch's own lists can be traced, area by area.
struct CoverageCall {
    using Answer = std::vector<CoverageRow>;
};

/// The CPU and GPUs that graphs can run on, and why there is no GPU. Other calls on a GPU that is not there
/// give the error of checkDevice.
struct DevicesCall {
    using Answer = DeviceList;
};

/// A call, and where its answer goes.
template<typename T>
struct Asked {
    using Call = T;
    const Call& call;
    base::Result<typename Call::Answer>& answer;
};

/// All calls. A call goes to an engine in another process with its place in this list.
using AnyCall =
    std::variant<Asked<DescriptionCall>, Asked<RunCall>, Asked<ReferenceCall>, Asked<KernelsCall>,
                 Asked<HookErrorsCall>, Asked<RerunRequest>, Asked<RetraceCall>, Asked<FunctionCall>,
                 Asked<SchemasCall>, Asked<CoverageCall>, Asked<DevicesCall>>;

/// Runs and traces graphs. The session uses only this interface; the implementation (engine/torch) is in a
/// module that is opened for the first command that needs it. Calls come from one thread at a time, except
/// that others may call while a trace is paused.
class Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    virtual ~Backend() = default;

    /// Errors: those of the call; of an engine in another process (remote/remote_backend.h).
    template<typename Call>
    [[nodiscard]] base::Result<typename Call::Answer> answer(const Call& call, base::Progress progress = {}) {
        base::Result<typename Call::Answer> answer{base::Error{}};
        answerAny(Asked<Call>{call, answer}, std::move(progress));
        return answer;
    }
    /// The answer to DescriptionCall, or why there is none.
    [[nodiscard]] std::string description();
    /// The answer to DevicesCall; without any device, and with the reason, if there is none.
    [[nodiscard]] DeviceList devices();

protected:
    virtual void answerAny(const AnyCall& call, base::Progress progress) = 0;
};

/// Creates the backend on first use. On failure the error says what is missing and what to do.
using BackendFactory = std::function<base::Result<std::unique_ptr<Backend>>()>;

} // namespace aotscope::session
