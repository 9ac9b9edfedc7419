#include "run/tensor_copy.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

at::Tensor wholeStorage(const at::Tensor& tensor) {
    const auto elements = static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
    return tensor.as_strided({elements}, {1}, 0);
}

at::Tensor storageBytes(const c10::Storage& storage) {
    at::Tensor bytes = at::empty({0}, at::TensorOptions(c10::kByte).device(storage.device()));
    bytes.set_(storage, 0, {static_cast<std::int64_t>(storage.nbytes())}, {1});
    return bytes;
}

at::Tensor withElements(const at::Tensor& tensor) {
    if (tensor._is_zerotensor()) {
        return at::zeros(tensor.sizes(), tensor.options());
    }
    return tensor.resolve_conj().resolve_neg();
}

at::Tensor readable(const at::Tensor& tensor) {
    return withElements(tensor).to(c10::kCPU);
}

at::Tensor copyWithStorage(const at::Tensor& tensor) {
    return wholeStorage(tensor).clone().as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

at::Tensor oncePerElement(const at::Tensor& tensor) {
    at::Tensor once = tensor;
    for (std::int64_t dim = 0; dim < tensor.dim(); ++dim) {
        if (tensor.stride(dim) == 0 && tensor.size(dim) > 1) {
            once = once.narrow(dim, 0, 1);
        }
    }
    return once;
}

void shrinkWeight(const at::Tensor& weight) {
    if (weight.dim() >= 2 && weight.is_floating_point() && weight.size(0) > 0) {
        const double summands = static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
        wholeStorage(weight).div_(std::sqrt(std::max(summands, 1.0)));
    }
}

} // namespace aotscope::torch
