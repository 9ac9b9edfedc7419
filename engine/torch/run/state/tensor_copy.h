#pragma once

#include "torch_headers.h"

namespace aotscope::torch {

/// The tensor's whole storage as a one-dimensional view.
[[nodiscard]] at::Tensor wholeStorage(const at::Tensor& tensor);

/// The bytes of a storage as a one-dimensional tensor that shares it.
[[nodiscard]] at::Tensor storageBytes(const c10::Storage& storage);

/// A tensor in that storage, which lies there as `like` does in its own; it has no base.
[[nodiscard]] at::Tensor inStorage(const c10::Storage& storage, const at::TensorOptions& options,
                                   const at::Tensor& like);

/// The tensor with its elements in memory as they are: lazy conjugation and negation carried out, and the
/// zeros written that aten._efficientzerotensor leaves out. The tensor itself where nothing is lazy.
[[nodiscard]] at::Tensor withElements(const at::Tensor& tensor);

/// The same in the CPU's memory, so that it can be read: a copy of a tensor on a GPU.
[[nodiscard]] at::Tensor readable(const at::Tensor& tensor);

/// A copy with the same strides and its own storage.
[[nodiscard]] at::Tensor copyWithStorage(const at::Tensor& tensor);

/// `value` with the strides of the tensors in `like`, which has the same structure and sizes.
[[nodiscard]] c10::IValue laidOutLike(const c10::IValue& value, const c10::IValue& like);

/// `value` with the dtypes of the tensors in `like`, which has the same structure.
[[nodiscard]] c10::IValue withTypesOf(const c10::IValue& value, const c10::IValue& like);

/// The tensor without the repetitions of an expanded one, which cannot be written to.
[[nodiscard]] at::Tensor oncePerElement(const at::Tensor& tensor);

/// Scales a weight as layers initialize it (by the square root of the fan-in), so that activations keep their
/// magnitude in a deep model.
void shrinkWeight(const at::Tensor& weight);

} // namespace aotscope::torch
