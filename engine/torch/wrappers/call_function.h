#pragma once

#include "wrappers/boxed_call.h"
#include "wrappers/call_recorder.h"
#include "wrappers/caller_arguments.h"
#include "wrappers/caller_side.h"
#include "wrappers/run_time_hooks.h"

#include "contract/backend.h"
#include "steps/call_record.h"
#include "steps/step_pause.h"

#include "base/progress.h"

#include <functional>
#include <vector>

namespace aotscope::torch {

/// A compiled function, its program, and what is known of its arguments.
struct CallSubject {
    const session::CallRequest& request;
    /// One per argument of the caller.
    std::vector<CallerInput> inputs;
    /// The program in eager mode, on real tensors and with autograd.
    std::function<Values(Values)> program;
    /// A saved-tensors hook that is called while the function runs; empty: there is none.
    PackHook packHook = {};
    /// On which devices the function and the program run.
    RunPlace place = {};
    /// Makes the calls on the caller's tensors by calling `pass`, which makes all of them, once or, after
    /// putting everything back, again. Empty: once. Throws what `pass` throws.
    std::function<void(const CallerTensors& callers, CallRecorder& recorder,
                       const std::function<void()>& pass)>
        goThrough = {};
};

/// Calls the function as often as the options say, each time with the backward if an output
/// requires grad, records everything, and compares with the program in eager mode. A call that fails ends the
/// record with its error. Throws Canceled, and RunFailure if there are no arguments to call it with or the
/// function cannot be called at all.
[[nodiscard]] steps::CallRecord callFunction(const CallSubject& subject, const base::Progress& progress);

} // namespace aotscope::torch
