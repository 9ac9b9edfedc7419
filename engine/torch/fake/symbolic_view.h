#pragma once

#include "fake/operator_model.h"

namespace aotscope::torch {

/// `aten.view` and `aten._unsafe_view` of symbolic sizes, written as PyTorch's reference algorithm computes
/// them: a dimension it splits has the quotient as its size, known to be a number or not; sizes that only the
/// data tell are those asked for. Nothing for other operators, sizes that are all numbers, tensors without
/// dimensions or elements, and views that there are not: the general route says why.
[[nodiscard]] std::optional<c10::IValue> symbolicView(const FakeCall& call);

} // namespace aotscope::torch
