#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>
#include <vector>

/// PyTorch's quick way for pointwise operators whose sizes are symbols (`make_fast_binary_impl`).
namespace aotscope::torch {

/// Sums, products and quotients whose sizes are symbols take a quick way in PyTorch: where all operands are
/// contiguous, or all have their channels inside, the result is new memory of that format, whatever their
/// strides say of dimensions of one element. Nothing where the quick way is not gone. `result`: its sizes.
[[nodiscard]] std::optional<at::MemoryFormat>
quickFormat(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments, at::IntArrayRef result);

/// The strides of what the quick way returns where channels lie inside; empty otherwise.
[[nodiscard]] std::vector<c10::SymInt> quickStrides(const c10::OperatorHandle& op,
                                                    c10::ArrayRef<c10::IValue> arguments);

/// Asks for the layout of operands as the quick way does: strides that were seen as those of contiguous
/// memory are equal to them from then on.
void askForQuickLayout(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                       ShapeEnvironment& environment);

} // namespace aotscope::torch
