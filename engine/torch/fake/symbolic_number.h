#pragma once

#include "torch_headers.h"

#include <c10/core/SymNodeImpl.h>

namespace aotscope::torch {

/// Remembers on a number wrapped as a tensor that the number is symbolic, as PyTorch's `_wrapped_number`
/// attribute does: the tensor itself can only hold a value.
struct SymbolicNumber final : c10::BackendMeta {
    explicit SymbolicNumber(c10::SymNode number) : node(std::move(number)) {}
    c10::SymNode node;
};

/// The symbolic number a wrapped tensor stands for; null when it stands for the value it holds.
[[nodiscard]] inline const SymbolicNumber* symbolicNumber(const at::Tensor& tensor) {
    return dynamic_cast<const SymbolicNumber*>(tensor.unsafeGetTensorImpl()->get_backend_meta());
}

} // namespace aotscope::torch
