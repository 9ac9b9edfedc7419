#pragma once

#include "aot/retrace.h"
#include "contract/trace_pause.h"

#include "base/progress.h"

#include <utility>

namespace aotscope::torch {

class TraceThread;

/// The same pauses, with `before` called before each and `after` after its answer, unless that aborts.
template<typename Pauses, typename Before, typename After>
[[nodiscard]] Pauses pausesAround(const Pauses& pauses, Before before, After after) {
    Pauses around = pauses;
    if (pauses.onPause) {
        around.onPause = [onPause = pauses.onPause, before, after](auto pause) {
            before();
            auto answer = onPause(std::move(pause));
            if (answer.kind != decltype(answer.kind)::Abort) {
                after();
            }
            return answer;
        };
    }
    return around;
}

/// Compiles a function as AOTAutograd does: metadata pass, choice of path, trace. Runs on `thread`; a trace
/// with pauses runs on the caller's thread, after the traces on `thread`. Errors: trace.unsupported (names
/// the operator or call), trace.input, session.canceled. Follows torch 2.11,
/// torch/_functorch/aot_autograd.py: aot_module_simplified.
[[nodiscard]] base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                                       const session::TracePauses& pauses,
                                                       base::Progress progress, TraceThread& thread);

} // namespace aotscope::torch
