#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>

namespace aotscope::torch {

/// `aten.view` and `aten._unsafe_view` of symbolic sizes, written as PyTorch's reference algorithm computes
/// them: a dimension it splits has the quotient as its size, known to be a number or not; sizes that only the
/// data tell are those asked for. Nothing for other operators, sizes that are all numbers, tensors without
/// dimensions or elements, and views that there are not: the general route says why.
[[nodiscard]] std::optional<at::Tensor> symbolicView(const c10::OperatorHandle& op,
                                                     c10::ArrayRef<c10::IValue> arguments,
                                                     ShapeEnvironment& environment);

} // namespace aotscope::torch
