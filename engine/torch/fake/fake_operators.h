#pragma once

#include "fake/fake_tensor.h"

/// Calling operators on fake tensors.
namespace aotscope::torch {

/// Calls an operator whose arguments (on the stack, in schema order) are fake tensors, numbers and lists of
/// them, and puts its results in their place: shapes and aliasing from LibTorch's meta kernels, devices as
/// PyTorch resolves mixed ones. An argument changed in place comes back as the same tensor. Real tensors
/// among the arguments count with their metadata; numbers wrapped as tensors stay what they are. Throws
/// c10::Error with PyTorch's words when the arguments don't fit.
void callOnFakes(const c10::OperatorHandle& op, c10::Stack& stack, ShapeEnvironment& environment);

/// The device of an operator's results: what its `device` argument says, else the common device of its
/// tensors (zero-dimensional CPU tensors join any other), else the CPU. Throws c10::Error when tensors of two
/// devices meet.
[[nodiscard]] c10::Device resultDevice(const c10::FunctionSchema& schema,
                                       c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
