#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>
#include <vector>

/// The fast path for pointwise operators with symbolic sizes. Follows torch 2.11,
/// torch/_subclasses/fake_impls.py: make_fast_binary_impl.
namespace aotscope::torch {

/// The memory format that the fast path gives a result of sizes `result`. For add, sub, mul and div with
/// symbolic sizes, the result is new contiguous memory if all operands are contiguous, and new channels-last
/// memory if all are channels last, whatever their strides for dimensions of size 1. Of an operator that
/// has a `format` in its row, that one. Nothing where the fast path does not apply.
[[nodiscard]] std::optional<at::MemoryFormat>
fastPathFormat(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, at::IntArrayRef result);

/// The strides of a channels-last result of the fast path; empty otherwise.
[[nodiscard]] std::vector<c10::SymInt> fastPathStrides(const c10::OperatorHandle& op,
                                                       c10::ArrayRef<c10::IValue> arguments);

/// Adds the guards of the fast path: strides that match those of contiguous memory are equal to them from
/// then on.
void guardFastPath(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                   ShapeEnvironment& environment);

} // namespace aotscope::torch
