#pragma once

#include "torch_headers.h"

#include <c10/core/DefaultDtype.h>

#include <map>
#include <utility>

namespace aotscope::torch {

/// Copies values to float64 (complex ones to complex128); integers and bools keep their dtype. Tensors of one
/// copier that share a storage share the copy's, and every tensor keeps its strides and offset.
class Float64Copier {
public:
    [[nodiscard]] c10::IValue operator()(const c10::IValue& value);
    [[nodiscard]] at::Tensor tensor(const at::Tensor& tensor);

private:
    std::map<std::pair<const c10::StorageImpl*, c10::ScalarType>, at::Tensor> m_storages;
};

/// The dtype that stands for `type` in exact arithmetic.
[[nodiscard]] c10::ScalarType exactType(c10::ScalarType type);

/// Float64 where a result is of a smaller float dtype, without copying others.
[[nodiscard]] c10::IValue widened(const c10::IValue& value);

/// While it lives, numbers without a dtype become float64, as if that were torch's default dtype.
class Float64Default {
public:
    Float64Default() { c10::set_default_dtype(caffe2::TypeMeta::Make<double>()); }
    ~Float64Default() { c10::set_default_dtype(m_before); }
    Float64Default(const Float64Default&) = delete;
    Float64Default& operator=(const Float64Default&) = delete;

private:
    caffe2::TypeMeta m_before = c10::get_default_dtype();
};

} // namespace aotscope::torch
