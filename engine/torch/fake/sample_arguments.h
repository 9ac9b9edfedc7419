#pragma once

#include "dispatch/map_tensors.h"
#include "fake/fake_tensor.h"

/// An operator's arguments for one choice of the symbols' values.
namespace aotscope::torch {

/// An argument for one sample or check: meta tensors in place of fake and real tensors, integers in place of
/// symbolic ones. Throws c10::Error if a fake tensor has no meta tensor for the check (metaForCheck).
[[nodiscard]] c10::IValue metaArgument(const c10::IValue& value, std::size_t sample);

/// Whether an argument differs between samples.
[[nodiscard]] bool dependsOnSymbols(const c10::IValue& value);

/// The fake tensor among the arguments that a meta tensor belongs to, which an operator returned; null if it
/// is none of theirs. The arguments own it.
[[nodiscard]] const at::Tensor* argumentOf(const at::Tensor& meta, c10::ArrayRef<c10::IValue> arguments);

} // namespace aotscope::torch
