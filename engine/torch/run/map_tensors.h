#pragma once

#include "run/value_access.h"

#include <utility>
#include <vector>

namespace aotscope::torch {

/// The value with `change(tensor)` in place of every defined tensor.
template<typename Change>
[[nodiscard]] c10::IValue mapTensors(const c10::IValue& value, Change&& change, int depth = 0) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(change(value.toTensor())) : value;
    }
    if (depth < 64 && value.isTuple()) {
        std::vector<c10::IValue> items;
        for (const c10::IValue& item : value.toTupleRef().elements()) {
            items.push_back(mapTensors(item, change, depth + 1));
        }
        return c10::ivalue::Tuple::create(std::move(items));
    }
    if (depth < 64 && value.isList()) {
        c10::impl::GenericList list(c10::AnyType::get());
        for (const c10::IValue& item : elementsOf(value)) {
            list.push_back(mapTensors(item, change, depth + 1));
        }
        return list;
    }
    return value;
}

} // namespace aotscope::torch
