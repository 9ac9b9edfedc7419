#pragma once

#include "aot/compiled_function.h"
#include "aot/wrapper_step.h"

#include <vector>

namespace aotscope::aot {

/// All wrappers of a compile, in the order in which PyTorch's `post_compile` adds them: the first is the
/// innermost, and a call goes through them from last to first. Wrappers that PyTorch adds on this path but
/// that do nothing are listed too, with the reason. Follows torch 2.11,
/// torch/_functorch/_aot_autograd/graph_compile.py: _aot_stage2b_compile_forward_or_inference,
/// _aot_stage2c_make_autograd_function, _aot_stage2c_make_inference_function and aot_stage2_export; and what
/// the wrappers in runtime_wrappers.py read of the metadata.
///
/// `function` must have its metadata, its graph, the pre-trace wrappers AOTDedupeWrapper and
/// AOTSyntheticBaseWrapper, and its partition if it was partitioned.
[[nodiscard]] std::vector<WrapperStep> postCompileWrappers(const CompiledFunction& function);

} // namespace aotscope::aot
