#pragma once

#include "fake/fake_tensor.h"

/// Calls of operators on fake tensors. Follows torch 2.11, torch/_subclasses/fake_tensor.py:
/// FakeTensorMode._dispatch_impl.
namespace aotscope::torch {

/// Calls an operator on fake tensors: pops its arguments (in schema order) and pushes its results. Shapes and
/// aliasing come from the meta kernels, the device from `resultDevice`. An argument that is changed in place
/// is returned as the same tensor. Of real tensors only the metadata is used; numbers wrapped as tensors stay
/// wrapped. Throws c10::Error with PyTorch's message if the arguments do not fit.
void callOnFakes(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment);

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

/// Runs a call on constants: all its arguments are numbers, or tensors of one element whose values the traced
/// program fixed (`torch.tensor(4)`) or computed from such. Pops the arguments and pushes fake tensors that
/// keep their values, so that `torch.div(32, 8)` can be a size. Returns false and leaves `stack` as it was if
/// an argument is no constant or a result has more than one element.
///
/// Follows torch 2.11, torch/_subclasses/fake_tensor.py: FakeTensorMode._dispatch_impl (FakeTensor.constant,
/// CONSTANT_NUMEL_LIMIT).
[[nodiscard]] bool callOnConstants(const c10::OperatorHandle& op, c10::Stack& stack,
                                   const ShapeEnvironment& environment);

/// The device of an operator's results: its `device` argument, else the common device of its tensors (a
/// zero-dimensional CPU tensor fits any device), else the CPU. Throws c10::Error if two devices meet. Follows
/// torch 2.11, torch/_subclasses/fake_tensor.py: FakeTensor._find_common_device.
[[nodiscard]] c10::Device resultDevice(const c10::FunctionSchema& schema,
                                       c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
