#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

struct FakeCall;

/// Marks results whose contiguity PyTorch knows without comparing sizes and strides: new contiguous memory,
/// and aliases of a tensor that was checked before. Mirrors the contiguity that c10::SymbolicShapeMeta caches
/// (torch 2.11, c10/core/SymbolicShapeMeta.h).
void noteKnownContiguity(const FakeCall& call, c10::ArrayRef<c10::IValue> results);

/// `tensor.contiguous()` that records no comparison if the contiguity is known, and marks it as known.
[[nodiscard]] at::Tensor contiguousMemory(const at::Tensor& tensor,
                                          at::MemoryFormat format = at::MemoryFormat::Contiguous);

} // namespace aotscope::torch
