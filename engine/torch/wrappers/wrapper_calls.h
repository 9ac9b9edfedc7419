#pragma once

#include "wrappers/boxed_call.h"

#include "aot/wrapper_step.h"

#include <string>
#include <vector>

/// The runtime wrappers that only prepare arguments and results, each around an inner call. `names`: of the
/// arguments, for messages. Follow torch 2.15, torch/_functorch/_aot_autograd/runtime_wrappers.py:
/// post_compile of the classes with the same names.
namespace aotscope::torch {

using ArgumentNames = std::vector<std::string>;

/// Checks that no argument requires grad unless one did at compile time. Throws RunFailure (call.guard).
[[nodiscard]] BoxedCall wrapperCall(const aot::DebugAssertWrapper& wrapper, const ArgumentNames& names,
                                    BoxedCall inner);
/// Passes each tensor once. Throws RunFailure (call.guard) when the arguments are not the same tensor where
/// they were at compile time.
[[nodiscard]] BoxedCall wrapperCall(const aot::AOTDedupeWrapper& wrapper, const ArgumentNames& names,
                                    BoxedCall inner);
/// Passes a None for each token, and drops the tokens that the graph returns first.
[[nodiscard]] BoxedCall wrapperCall(const aot::EffectTokensWrapper& wrapper, const ArgumentNames& names,
                                    BoxedCall inner);
/// Returns tensors without data, shaped like the results, at the first call: PyTorch's fake tensors are
/// tensors of the meta device here.
[[nodiscard]] BoxedCall wrapperCall(const aot::FakifiedOutWrapper& wrapper, const ArgumentNames& names,
                                    BoxedCall inner);
/// Passes the generator's seed and offset after the arguments, and keeps the offset that the graph returns,
/// as CUDARngStateHelper does with the CUDA generator.
[[nodiscard]] BoxedCall wrapperCall(const aot::FunctionalizedRngRuntimeWrapper& wrapper,
                                    const ArgumentNames& names, BoxedCall inner);
/// Passes one base instead of the arguments that lie in its memory: the tensor that autograd knows as their
/// base, else their whole storage. The graph makes the arguments again as views of it.
[[nodiscard]] BoxedCall wrapperCall(const aot::AOTSyntheticBaseWrapper& wrapper, const ArgumentNames& names,
                                    BoxedCall inner);

} // namespace aotscope::torch
