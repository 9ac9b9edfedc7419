#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

namespace aotscope::torch {

/// Computes a call on fake tensors whose result depends on their data: the number of nonzero elements, an
/// item, the distinct values. The unknown size or value becomes a new unbacked symbol; where PyTorch keeps a
/// memo, another call on the same tensor returns the same symbol. Pops the arguments and pushes the results.
/// Returns false for any other operator; `stack` then still holds the arguments, but masks among the indices
/// of `aten.index` are replaced by the integer indices they select.
///
/// Follows torch 2.11, torch/_subclasses/fake_impls.py: nonzero, _unique, masked_select, local_scalar_dense,
/// bincount, repeat_interleave_tensor.
[[nodiscard]] bool callDataDependent(const c10::OperatorHandle& op, c10::Stack& stack,
                                     ShapeEnvironment& environment);

} // namespace aotscope::torch
