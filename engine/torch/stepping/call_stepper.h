#pragma once

#include "wrappers/call_recorder.h"
#include "wrappers/caller_arguments.h"

#include "aot/compiled_function.h"
#include "steps/step_pause.h"

#include <functional>

namespace aotscope::torch {

/// Lets a person step through a call forward and back in time, watched through `recorder`. `pass` makes the
/// whole call on the caller's tensors; it is called as often as a person goes back. Going back ends the
/// passage through the call with an exception, restores the caller's state, and goes through the call again
/// up to the event: nodes before the nearest checkpoint are not recomputed. Memory that an operator leaves
/// uninitialized
/// (`torch.empty`) is filled with zeros, or no passage would repeat another. Throws what `pass` throws,
/// Canceled, RunFailure.
void stepThrough(const steps::StepPauses& pauses, const aot::CompiledFunction& function,
                 const CallerTensors& callers, CallRecorder& recorder, const std::function<void()>& pass);

} // namespace aotscope::torch
