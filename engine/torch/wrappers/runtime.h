#pragma once

#include "wrappers/boxed_call.h"
#include "wrappers/call_observer.h"
#include "wrappers/view_replay.h"

#include "aot/wrapper_step.h"

#include <vector>

namespace aotscope::torch {

/// How aliased outputs are regenerated, one per output of the program.
using OutputReplays = std::vector<AliasRecipe>;

/// Around every call: detaches inputs that never get a gradient, increases version counters, sets grad mode,
/// writes mutations back to the caller's tensors, regenerates aliased outputs, and drops intermediate bases.
/// `shallowCopies`: per entry of the wrapper's mutations, whether the program assigned `x.data` (torch 2.15).
/// `observer` may be null. Follows torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py:
/// RuntimeWrapper.
[[nodiscard]] BoxedCall runtimeCall(const aot::RuntimeWrapper& wrapper, OutputReplays replays,
                                    std::vector<bool> shallowCopies, CallObserver* observer, BoxedCall inner);

} // namespace aotscope::torch
