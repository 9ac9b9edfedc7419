#pragma once

#include "torch_headers.h"

#include <ATen/core/List.h>

#include <optional>

namespace aotscope::torch {

/// Replaces every defined tensor in a value.
template<typename Replace>
c10::IValue mapTensors(const c10::IValue& value, Replace&& replace) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? c10::IValue(replace(value.toTensor())) : value;
    }
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) {
            list.push_back(tensor.defined() ? replace(tensor) : tensor);
        }
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
            list.push_back(tensor && tensor->defined() ? std::optional<at::Tensor>(replace(*tensor))
                                                       : tensor);
        }
        return list;
    }
    return value;
}

} // namespace aotscope::torch
