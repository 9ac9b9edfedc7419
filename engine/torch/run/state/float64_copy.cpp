#include "run/state/float64_copy.h"

#include "dispatch/map_tensors.h"
#include "run/state/tensor_copy.h"

namespace aotscope::torch {

using c10::IValue;

c10::ScalarType exactType(c10::ScalarType type) {
    return c10::isFloatingType(type) ? c10::kDouble : c10::isComplexType(type) ? c10::kComplexDouble : type;
}

at::Tensor Float64Copier::tensor(const at::Tensor& tensor) {
    const c10::ScalarType type = exactType(tensor.scalar_type());
    if (tensor.layout() != c10::kStrided || !tensor.has_storage()) {
        return tensor.to(type, false, true);
    }
    if (tensor.is_conj() || tensor.is_neg() || tensor._is_zerotensor()) {
        return withElements(tensor).to(type, false, true);
    }
    at::Tensor& all = m_storages[{tensor.storage().unsafeGetStorageImpl(), tensor.scalar_type()}];
    if (!all.defined()) {
        all = wholeStorage(tensor).to(type, false, true);
    }
    return all.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

IValue Float64Copier::operator()(const IValue& value) {
    return mapTensors(value, [this](const at::Tensor& each) { return tensor(each); });
}

IValue widened(const IValue& value) {
    return mapTensors(value, [](const at::Tensor& each) { return each.to(exactType(each.scalar_type())); });
}

} // namespace aotscope::torch
