#pragma once

#include "fake/operator_model.h"

/// `aten.slice`, `aten.select`, `aten.select_scatter`, `aten.split` and `aten.split_with_sizes` where sizes
/// or positions are symbolic or unbacked. They are computed with the symbols themselves, because a sampled
/// position may lie outside of a sampled dimension. Nothing where the general route works. Follows torch
/// 2.11, torch/_subclasses/fake_impls.py: slice_forward, meta_select.
namespace aotscope::torch {

[[nodiscard]] std::optional<c10::IValue> symbolicSlice(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelect(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelectScatter(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplit(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplitWithSizes(const FakeCall& call);

} // namespace aotscope::torch
