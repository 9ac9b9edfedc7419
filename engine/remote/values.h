#pragma once

#include "aot/retrace.h"
#include "contract/backend.h"
#include "contract/coverage.h"
#include "contract/snapshots.h"
#include "contract/trace_pause.h"

#include "base/describe.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What session::Backend takes and gives, as bodies of messages and back. Reading what was written gives the
/// same value: that is a law with a test.
namespace aotscope::remote {

/// Graphs that both sides have: they are not sent, and what is read refers to the very same object. The first
/// one is the graph whose nodes a RunSnapshot or ReferenceSnapshot names.
using KnownGraphs = std::vector<ir::GraphPtr>;

/// The first message of an engine.
struct Hello {
    std::uint32_t version = 0;
};
AOTSCOPE_MEMBERS(Hello, version)

/// Why a call failed.
struct Failure {
    base::Error error;
};
AOTSCOPE_MEMBERS(Failure, error)

/// A call of Backend::run.
struct RunCall {
    ir::GraphPtr graph;
    session::RunOptions options;
};
AOTSCOPE_MEMBERS(RunCall, graph, options)

/// A call of Backend::compareWithReference.
struct ReferenceCall {
    ir::GraphPtr graph;
    ir::GraphPtr against;
    session::RunOptions options;
};
AOTSCOPE_MEMBERS(ReferenceCall, graph, against, options)

/// A call of Backend::checkKernels.
struct KernelsCall {
    ir::GraphPtr graph;
    session::RunOptions options;
};
AOTSCOPE_MEMBERS(KernelsCall, graph, options)

/// A call of Backend::measureHooks.
struct HooksCall {
    /// Without `onPart`.
    session::HookErrorsRequest request;
    /// Whether each part that is measured earlier is to be sent, as a Pause, which ends by any answer.
    bool inParts = false;
};
AOTSCOPE_MEMBERS(HooksCall, request, inParts)

/// A call of Backend::rerun.
struct RerunCall {
    session::RerunRequest request;
};
AOTSCOPE_MEMBERS(RerunCall, request)

/// A call of Backend::call.
struct FunctionCall {
    session::CallRequest request;
    std::vector<steps::StepBreakpoint> breakpoints;
    bool pausesAtStart = false;
    bool pausesAtEnd = false;
    std::int64_t checkpointLimit = 0;
    bool contents = false;
    bool byFusedKernel = false;
    /// Whether it may pause at all.
    bool pauses = false;
};
AOTSCOPE_MEMBERS(FunctionCall, request, breakpoints, pausesAtStart, pausesAtEnd, checkpointLimit, contents,
                 byFusedKernel, pauses)

/// A call of Backend::retrace.
struct RetraceCall {
    aot::RetraceRequest request;
    std::vector<session::Breakpoint> breakpoints;
    bool pausesAtStart = false;
    /// Whether it may pause at all.
    bool pauses = false;
};
AOTSCOPE_MEMBERS(RetraceCall, request, breakpoints, pausesAtStart, pauses)

/// T is one of the types above, aot::RetraceResult, session::RunSnapshot, session::ReferenceSnapshot,
/// session::HookErrors, session::RerunResult, session::KernelCheck, steps::CallRecord, session::TracePause,
/// session::PauseAnswer, steps::StepPause, steps::StepAnswer, session::DeviceList, session::CoverageRow's and
/// strings' vectors, std::string and base::ProgressState; a new one needs its members in values.cpp. Left
/// out, because they are set where the value is received: the described graphs of snapshots and pauses.
template<typename T>
[[nodiscard]] std::string encode(const T& value, const KnownGraphs& known = {});

/// Reads what `encode` wrote with the same known graphs. Errors: remote.malformed (names the field or the
/// position), and those of the graphs and metadata inside.
template<typename T>
[[nodiscard]] base::Result<T> decode(std::string_view body, const KnownGraphs& known = {});

} // namespace aotscope::remote
