#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// Whether an operator is made of others, in Python's kernels or in C++ (CompositeImplicitAutograd).
[[nodiscard]] bool hasComposite(const c10::OperatorHandle& op);

/// Whether autograd would have run the operator's composite kernel, had the operator come by there
/// (`autograd_would_have_decomposed`): where the device of the first tensor has no kernel of its own.
[[nodiscard]] bool runsComposite(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

/// Runs the composite kernel, Python's before C++'s. False, with the stack as it was, when it does not apply.
bool decomposeComposite(const c10::OperatorHandle& op, c10::Stack& stack);

} // namespace aotscope::torch
