#pragma once

#include "torch_headers.h"

#include <ATen/ScalarOps.h>
#include <c10/core/SymNodeImpl.h>

namespace aotscope::torch {

/// Keeps the symbolic number on a tensor that wraps it, as PyTorch's `_wrapped_number` attribute does: the
/// tensor itself can only hold a value.
struct SymbolicNumber final : c10::BackendMeta {
    explicit SymbolicNumber(c10::SymNode number) : node(std::move(number)) {}
    c10::SymNode node;
};

/// The symbolic number that a wrapped tensor stands for; null if it stands for the value it holds.
[[nodiscard]] inline const SymbolicNumber* symbolicNumber(const at::Tensor& tensor) {
    return dynamic_cast<const SymbolicNumber*>(tensor.unsafeGetTensorImpl()->get_backend_meta());
}

/// Wraps a symbolic number as a tensor; `value` is its hint, which the tensor holds.
[[nodiscard]] inline at::Tensor wrappedSymbolicNumber(const c10::Scalar& value, c10::SymNode node) {
    at::Tensor tensor = at::scalar_to_tensor(value);
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<SymbolicNumber>(std::move(node)));
    return tensor;
}

} // namespace aotscope::torch
