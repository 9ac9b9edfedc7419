#pragma once

#include "wrappers/runtime.h"

#include "aot/compiled_function.h"

namespace aotscope::torch {

/// For each output of the program: how it is regenerated if it aliases something, by the rules of the release
/// that the function was compiled for.
[[nodiscard]] OutputReplays outputReplays(const aot::CompiledFunction& function,
                                          const aot::RuntimeWrapper& wrapper);

} // namespace aotscope::torch
