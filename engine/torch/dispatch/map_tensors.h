#pragma once

#include "torch_headers.h"

#include <ATen/core/List.h>

#include <optional>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// The elements of a tuple or list.
[[nodiscard]] inline c10::ArrayRef<c10::IValue> itemsIn(const c10::IValue& value) {
    return value.isTuple() ? value.toTupleRef().elements().asArrayRef() : value.toListRef();
}

/// Calls `visit(const at::Tensor&)` for every defined tensor in a value, those in lists and tuples included.
template<typename Visit>
void forEachTensor(const c10::IValue& value, Visit&& visit, int depth = 0) {
    if (value.isTensor()) {
        if (value.toTensor().defined()) {
            visit(value.toTensor());
        }
    } else if (depth < 64 && (value.isTuple() || value.isList())) {
        for (const c10::IValue& item : itemsIn(value)) {
            forEachTensor(item, visit, depth + 1);
        }
    }
}

/// The value with `change(tensor)` in place of every defined tensor. Lists of tensors keep their type; values
/// in tuples and in lists of anything are changed too.
template<typename Change>
c10::IValue mapTensors(const c10::IValue& value, Change&& change, int depth = 0) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(change(value.toTensor())) : value;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(tensor.defined() ? change(tensor) : tensor);
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
            list.push_back(tensor && tensor->defined() ? std::optional<at::Tensor>(change(*tensor)) : tensor);
        }
        return list;
    }
    if (depth < 64 && value.isTuple()) {
        std::vector<c10::IValue> items;
        for (const c10::IValue& item : itemsIn(value)) {
            items.push_back(mapTensors(item, change, depth + 1));
        }
        return c10::ivalue::Tuple::create(std::move(items));
    }
    if (depth < 64 && value.isList() && value.toList().elementType()->kind() == c10::TypeKind::AnyType) {
        c10::impl::GenericList list(c10::AnyType::get());
        for (const c10::IValue& item : itemsIn(value)) {
            list.push_back(mapTensors(item, change, depth + 1));
        }
        return list;
    }
    return value;
}

} // namespace aotscope::torch
