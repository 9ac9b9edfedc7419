#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

namespace aotscope::torch {

/// Carries out a call on fake tensors whose result only the data tell: the number of nonzero elements, an
/// item, the distinct values. Its sizes or value are new unbacked symbols, the same
/// ones each time the same tensor is asked (PyTorch's fake implementations and their memos). Pops the
/// arguments and pushes the results; false: the call is none of these, and `stack` holds its arguments still,
/// masks among indices replaced by the positions they stand for.
[[nodiscard]] bool callDataDependent(const c10::OperatorHandle& op, c10::Stack& stack,
                                     ShapeEnvironment& environment);

} // namespace aotscope::torch
