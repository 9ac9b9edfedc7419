#include "trace/retrace.h"

#include "trace/trace_attempts.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/handled_error.h"
#include "dispatch/release_rules.h"
#include "fake/cuda_stand_in.h"
#include "ops/graph_state.h"
#include "run/execution/executor.h"
#include "trace/function_trace.h"
#include "trace/trace_pauser.h"
#include "trace/trace_thread.h"

#include "aot/versions/versions.h"
#include "base/log.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace aotscope::torch {

namespace {

aot::RetraceResult retraceOrThrow(const aot::RetraceRequest& request, base::Progress progress,
                                  TracePauser* pauser, SymbolChoice choice = {}) {
    const UseTraceRules rules(aot::torchRules(request.torch).trace);
    FunctionTrace trace(request, std::move(progress), pauser, std::move(choice));
    try {
        return trace.run();
    } catch (const Canceled&) {
        throw; // Not repeated, even with a guard to try.
    } catch (const std::exception&) {
        if (const std::string guard = trace.requiredGuard(); pauser == nullptr && !guard.empty()) {
            throw GuardNeeded(guard);
        }
        throw;
    }
}

/// The symbol choice of a trace that succeeded, with notes about the failed attempts.
struct WorkingChoice {
    SymbolChoice choice;
    std::vector<std::string> notes;
};

/// Finds the symbol choice by tracing without pauses: if the paused trace restarted with sizes found equal,
/// each attempt would hit its breakpoints again. When every attempt fails, this is the last choice, so that
/// breakpoints are hit up to the failure.
WorkingChoice workingChoice(aot::RetraceRequest request, const base::Progress& progress,
                            const std::vector<std::string>& facts) {
    WorkingChoice working;
    working.choice.stated = facts;
    if (request.program->symbols().empty()) {
        return working;
    }
    request.stages = false;
    request.numbers = false;
    try {
        working.notes = inAttempts(request.symbolHints.size(), [&](const SymbolChoice& choice) {
                            working.choice = choice;
                            working.choice.stated = facts;
                            return retraceOrThrow(request, progress, nullptr, working.choice);
                        }).notes;
    } catch (const Canceled&) {
        throw;
    } catch (const std::exception&) {
        // The paused trace fails in the same way and reports it.
        working.notes.clear();
    }
    return working;
}

/// Traces with pauses; restarts for each fact that the person adds.
aot::RetraceResult retraceWithPauses(const aot::RetraceRequest& request, const session::TracePauses& pauses,
                                     const base::Progress& progress) {
    TracePauser pauser(pauses);
    for (;;) {
        const auto waitedBefore = pauser.waited();
        try {
            const WorkingChoice working = workingChoice(request, progress, pauser.facts());
            aot::RetraceResult result = retraceOrThrow(request, progress, &pauser, working.choice);
            for (const std::string& note : working.notes) {
                if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) {
                    result.notes.push_back(note);
                }
            }
            result.nanoseconds -= (pauser.waited() - waitedBefore).count();
            return result;
        } catch (const TraceRestart&) {
            base::logDebug("aotscope.trace", "restarted with the fact " + pauser.facts().back());
        }
    }
}

base::Result<aot::RetraceResult> retraceHere(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses, base::Progress progress) {
    return guardedResult("trace.unsupported", [&] {
        if (onCuda(*request.program)) {
            installCudaStandIn();
        }
        GlobalStateScope state(request.state);
        const session::TracePauses lending = pausesAround(
            pauses, [&] { state.lend(); }, [&] { state.takeBack(); });
        const c10::AutoGradMode grad(request.state.gradEnabled);
        ops::GraphState ambient;
        for (const aot::AmbientAutocast& autocast : request.state.autocasts) {
            // PyTorch traces without autocast's weight cache: each cast is a node.
            ambient.enterAutocast(c10::Device(autocast.device).type(), scalarType(autocast.dtype), true,
                                  false);
        }
        return pauses.wanted() ? retraceWithPauses(request, lending, progress)
                               : inAttempts(request.symbolHints.size(), [&](const SymbolChoice& choice) {
                                     return retraceOrThrow(request, progress, nullptr, choice);
                                 });
    });
}

} // namespace

base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                         const session::TracePauses& pauses, base::Progress progress,
                                         TraceThread& thread) {
    if (pauses.wanted()) {
        // Pauses are answered on the caller's thread.
        thread.finish();
        // A re-trace that was started and canceled meanwhile may still run on that thread.
        return retraceHere(request,
                           pausesAround(
                               pauses, [] {}, [&] { thread.finish(); }),
                           std::move(progress));
    }
    const std::stop_token stop = progress.stopToken();
    return thread.run([request, stop] { return retraceHere(request, {}, base::Progress({}, stop)); }, stop);
}

} // namespace aotscope::torch
