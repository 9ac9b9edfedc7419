#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>

namespace aotscope::torch {

/// `aten.slice`, `aten.select`, `aten.split` and `aten.split_with_sizes` of sizes or positions that are
/// symbols, or that only the data tell: computed with the symbols as PyTorch's fake implementations do, as
/// the values of a variant may lie outside of the dimension. Nothing for other operators.
[[nodiscard]] std::optional<c10::IValue> symbolicSlice(const c10::OperatorHandle& op,
                                                       c10::ArrayRef<c10::IValue> arguments,
                                                       ShapeEnvironment& environment);

} // namespace aotscope::torch
