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

/// The device of an operator's results: its `device` argument, else the common device of its tensors (a
/// zero-dimensional CPU tensor fits any device), else the CPU. Throws c10::Error if two devices meet. Follows
/// torch 2.11, torch/_subclasses/fake_tensor.py: FakeTensor._find_common_device.
[[nodiscard]] c10::Device resultDevice(const c10::FunctionSchema& schema,
                                       c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
