#pragma once

#include "torch_headers.h"

#include "aot/versions/trace_rules.h"

namespace aotscope::torch {

/// Whether an operator has a composite kernel, from Python or C++ (CompositeImplicitAutograd).
[[nodiscard]] bool hasComposite(const c10::OperatorHandle& op);

/// Whether autograd would run the operator's composite kernel: the device of the first tensor has no separate
/// kernel. Follows torch 2.11, torch/utils/_python_dispatch.py: autograd_would_have_decomposed.
[[nodiscard]] bool runsComposite(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments);

/// Runs the composite kernel, one from Python first. Returns false with the stack unchanged when no kernel
/// applies.
bool decomposeComposite(const c10::OperatorHandle& op, c10::Stack& stack, const aot::TraceRules& rules);

} // namespace aotscope::torch
