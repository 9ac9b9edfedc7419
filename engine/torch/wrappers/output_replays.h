#pragma once

#include "wrappers/runtime.h"

#include "aot/compiled_function.h"

namespace aotscope::torch {

/// For each output of the program that aliases something: the views from what it aliases, read off the
/// compiled forward.
[[nodiscard]] OutputReplays outputReplays(const aot::CompiledFunction& function,
                                          const aot::RuntimeWrapper& wrapper);

} // namespace aotscope::torch
