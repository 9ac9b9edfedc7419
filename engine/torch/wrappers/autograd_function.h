#pragma once

#include "wrappers/backward_half.h"
#include "wrappers/boxed_call.h"
#include "wrappers/result_views.h"

#include "aot/wrapper_step.h"

#include <memory>

namespace aotscope::torch {

/// The compiled forward as one node of autograd's graph, whose backward is the compiled backward.
/// `wrapper.saved` must be set; `backward` is also held by the nodes of running backwards. Follows
/// torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py: AOTDispatchAutograd and the
/// CompiledFunction that it builds.
///
/// A result that RuntimeWrapper makes again (TensorAlias) is returned as it is: autograd does not see it.
[[nodiscard]] BoxedCall autogradFunctionCall(const aot::AOTDispatchAutograd& wrapper,
                                             std::shared_ptr<BackwardHalf> backward, ResultViews views,
                                             BoxedCall forward);

} // namespace aotscope::torch
