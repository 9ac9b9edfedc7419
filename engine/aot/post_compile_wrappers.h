#pragma once

#include "aot/compiled_function.h"
#include "aot/wrapper_step.h"

#include <vector>

namespace aotscope::aot {

/// Every wrapper around a compile, in the order in which PyTorch puts them around the compiled graph
/// (`post_compile`): the first is the innermost, and a call passes them from the last to the first. Those
/// that PyTorch makes on a path and that do nothing are among them, with why; a path that has no such wrapper
/// leaves it out. Follows _aot_stage2b_compile_forward_or_inference, _aot_stage2c_make_autograd_function,
/// _aot_stage2c_make_inference_function and aot_stage2_export of torch 2.11's graph_compile.py, and what
/// their wrappers read of the metadata (runtime_wrappers.py).
///
/// `function` has its metadata and, of what was decided before the trace, AOTDedupeWrapper and
/// AOTSyntheticBaseWrapper among its wrappers; its graph; and its partition where one was made.
[[nodiscard]] std::vector<WrapperStep> postCompileWrappers(const CompiledFunction& function);

} // namespace aotscope::aot
