#pragma once

#include "torch_headers.h"

#include <string>
#include <vector>

namespace aotscope::torch {

/// The route for operators with a CPU kernel and no shape rule: runs the operator on real CPU tensors of
/// zeros with the metadata of the meta tensors on the stack, and leaves meta tensors with the metadata of the
/// results there instead. PyTorch's fake tensors do the same (`run_fallback_kernel`). A result that is an
/// argument is that argument again.
///
/// Returns false, with the stack as it was, for what must not be tried: operators without CPU kernel, with
/// data-dependent results or views among the results, or with more than `elementLimit` elements to make. A
/// failing operator throws c10::Error.
bool runOnRealZeros(const c10::OperatorHandle& op, c10::Stack& stack);

/// Elements that the arguments of one call may have together.
inline constexpr std::int64_t elementLimit = std::int64_t{1} << 28;

/// Names of the operators this thread has sent along this route since the last call, in order of first use,
/// so that window and command line can say so.
[[nodiscard]] std::vector<std::string> takeRealZerosOperators();

} // namespace aotscope::torch
