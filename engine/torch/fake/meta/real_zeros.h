#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// Runs an operator that has a CPU kernel but no shape rule on real CPU tensors of zeros. Pops its arguments,
/// meta tensors, and pushes meta tensors with the metadata of the results; a result that is an argument
/// becomes that argument. Follows torch 2.11, torch/_subclasses/fake_tensor.py: run_fallback_kernel.
///
/// Adds the operator's name to `ran`, which keeps each once, for the window and the command line to show.
///
/// Returns false and leaves the stack as it was for operators without a CPU kernel, with data-dependent
/// results or with views among the results, and for arguments of more than `elementLimit` elements. Throws
/// c10::Error if the operator fails.
bool runOnRealZeros(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<std::string>& ran);

/// How many elements the arguments of one call may have together.
inline constexpr std::int64_t elementLimit = std::int64_t{1} << 28;

} // namespace aotscope::torch
