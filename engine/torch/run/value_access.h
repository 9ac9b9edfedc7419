#pragma once

#include "torch_headers.h"

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

/// Calls `visit(const at::Tensor&)` for every defined tensor in a value.
template<typename Visit>
void forEachTensor(const c10::IValue& value, Visit&& visit, int depth = 0) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) {
            visit(value.toTensor());
        }
    } else if (depth < 64 && (value.isTuple() || value.isList())) {
        for (const c10::IValue& item : elementsOf(value)) {
            forEachTensor(item, visit, depth + 1);
        }
    }
}

/// The defined tensors in a value.
[[nodiscard]] std::vector<at::Tensor> tensorsIn(const c10::IValue& value);

} // namespace aotscope::torch
