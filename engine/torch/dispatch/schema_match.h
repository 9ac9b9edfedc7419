#pragma once

#include "dispatch/operators.h"

namespace aotscope::torch {

/// Lays Python-like arguments out as a schema wants them: positional first, the rest by name, defaults filled
/// in; integers become Scalars, lists of integers repeat to a fixed size, numbers become zero-dimensional
/// tensors where a tensor is wanted, every device becomes the CPU. Throws RunFailure (run.arguments) that
/// names the argument when it does not fit.
[[nodiscard]] c10::Stack matchSchema(const c10::FunctionSchema& schema, std::vector<c10::IValue> args,
                                     const NamedValues& kwargs);

} // namespace aotscope::torch
