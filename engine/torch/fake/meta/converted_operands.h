#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// PyTorch's references of pointwise operators convert each operand to the dtype they compute in (float32 for
/// bfloat16), before they choose the layout of the result; a converted tensor is dense. Replaces the meta
/// tensors among the arguments on the stack for which this makes a difference (expanded ones) by dense ones
/// of their own dtype. Other operators' arguments stay. Follows torch 2.11, torch/_refs/__init__.py:
/// _make_elementwise_binary_reference, and torch/_prims/__init__.py: _convert_element_type_meta.
void convertOperands(const c10::OperatorHandle& op, c10::Stack& stack);

} // namespace aotscope::torch
