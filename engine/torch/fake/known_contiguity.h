#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

struct FakeCall;

/// Marks results that PyTorch makes as new contiguous memory, or as another name for a tensor it has looked
/// at: it need not ask their sizes and strides whether they are contiguous.
void noteKnownContiguity(const FakeCall& call, c10::ArrayRef<c10::IValue> results);

/// `tensor.contiguous()`, which asks nothing of a tensor whose layout is known, and remembers what it asked.
[[nodiscard]] at::Tensor contiguousMemory(const at::Tensor& tensor,
                                          at::MemoryFormat format = at::MemoryFormat::Contiguous);

} // namespace aotscope::torch
