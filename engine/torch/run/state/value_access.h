#pragma once

#include "dispatch/map_tensors.h"

#include "torch_headers.h"

#include <string>
#include <vector>

/// Reads arguments as the C++ types that a replacement needs; throws RunFailure (run.arguments) for other
/// types.
namespace aotscope::torch {

[[nodiscard]] at::Tensor tensorArgument(const c10::IValue& value);
[[nodiscard]] std::int64_t intArgument(const c10::IValue& value);
/// A list or tuple of integers.
[[nodiscard]] std::vector<std::int64_t> intsArgument(const c10::IValue& value);
[[nodiscard]] c10::ScalarType dtypeArgument(const c10::IValue& value);
/// Elements of a list or tuple; any other value is one element, None is none.
[[nodiscard]] std::vector<c10::IValue> elementsOf(const c10::IValue& value);

/// The defined tensor that a value is; null: it is none.
[[nodiscard]] inline const at::Tensor* tensorIn(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() ? &value.toTensor() : nullptr;
}

/// The storage of a tensor; null: it has none.
[[nodiscard]] inline const c10::StorageImpl* storageIn(const at::Tensor& tensor) {
    return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// "3", "2.500000", "True"; empty: it is no number.
[[nodiscard]] std::string numberText(const c10::IValue& value);

/// The defined tensors in a value.
[[nodiscard]] std::vector<at::Tensor> tensorsIn(const c10::IValue& value);

} // namespace aotscope::torch
