#pragma once

#include "fake/operator_model.h"

/// `aten.slice`, `aten.select`, `aten.split` and `aten.split_with_sizes` of sizes or positions that are
/// symbols, or that only the data tell: computed with the symbols as PyTorch's fake implementations do, as
/// the values of a sample may lie outside of the dimension. Nothing where the general way serves.
namespace aotscope::torch {

[[nodiscard]] std::optional<c10::IValue> symbolicSlice(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelect(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelectScatter(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplit(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplitWithSizes(const FakeCall& call);

} // namespace aotscope::torch
