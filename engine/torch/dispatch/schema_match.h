#pragma once

#include "dispatch/operators.h"

namespace aotscope::torch {

/// Converts Python-like arguments to the stack that a schema expects: positional arguments first, the rest by
/// name, defaults filled in. Integers become Scalars, a single number fills a list of fixed size, a number
/// becomes a zero-dimensional tensor where a tensor is expected, and every device becomes the CPU. Throws
/// RunFailure (run.arguments), which names the argument that does not fit.
[[nodiscard]] c10::Stack matchSchema(const c10::FunctionSchema& schema, std::vector<c10::IValue> args,
                                     const NamedValues& kwargs);

} // namespace aotscope::torch
