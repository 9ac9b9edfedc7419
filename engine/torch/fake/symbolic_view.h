#pragma once

#include "fake/operator_model.h"

namespace aotscope::torch {

/// `aten.view` and `aten._unsafe_view` with symbolic sizes. A dimension that is split gets the quotient as
/// its size, even if that is a plain number; unbacked sizes are taken as requested. Nothing for other
/// operators, sizes that are all numbers, tensors without dimensions or elements, and invalid views, for
/// which the general route reports the error. Follows torch 2.11, torch/_refs/__init__.py:
/// _reshape_view_helper_core_alg, and torch/_subclasses/fake_impls.py: _view_unbacked_meta.
[[nodiscard]] std::optional<c10::IValue> symbolicView(const FakeCall& call);

/// `aten.expand` with unbacked sizes: the layout does not depend on whether one of them is 1. Nothing for
/// other sizes. Follows torch 2.15, torch/_prims/__init__.py: _broadcast_in_dim_meta.
[[nodiscard]] std::optional<c10::IValue> symbolicExpand(const FakeCall& call);

/// `aten.slice`, `aten.select`, `aten.select_scatter`, `aten.split` and `aten.split_with_sizes` where sizes
/// or positions are symbolic or unbacked. They are computed with the symbols themselves, because a sampled
/// position may lie outside of a sampled dimension. Nothing where the general route works. Follow torch 2.11,
/// torch/_subclasses/fake_impls.py: slice_forward, meta_select.
[[nodiscard]] std::optional<c10::IValue> symbolicSlice(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelect(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSelectScatter(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplit(const FakeCall& call);
[[nodiscard]] std::optional<c10::IValue> symbolicSplitWithSizes(const FakeCall& call);

/// The strides of a tensor that is expanded to `wanted`, of at least as many dimensions; in there, the
/// tensor's sizes take the place of -1. A new dimension of size 1 gets the stride it would have in a
/// contiguous tensor.
[[nodiscard]] SymbolicSizes expandedStrides(const at::Tensor& self, SymbolicSizes& wanted);

} // namespace aotscope::torch
