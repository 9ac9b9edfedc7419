#include "run/state/tensor_copy.h"

#include "run/state/value_access.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

at::Tensor inStorage(const c10::Storage& storage, const at::TensorOptions& options, const at::Tensor& like) {
    at::Tensor tensor = at::empty({0}, options);
    tensor.set_(storage, like.storage_offset(), like.sizes(), like.strides());
    return tensor;
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

namespace {

/// `value` with `change(tensor, like)` in place of the tensors that stand in the same places of `like`.
/// Tuples are gone through, and with `withLists` lists too, which become tuples.
template<typename Change>
c10::IValue changedLike(const c10::IValue& value, const c10::IValue& like, bool withLists,
                        const Change& change) {
    if (value.isTensor() && like.isTensor() && value.toTensor().defined() && like.toTensor().defined()) {
        return change(value.toTensor(), like.toTensor());
    }
    const auto hasItems = [&](const c10::IValue& each) {
        return each.isTuple() || (withLists && each.isList());
    };
    if (!hasItems(value) || !hasItems(like)) {
        return value;
    }
    std::vector<c10::IValue> items = elementsOf(value);
    const std::vector<c10::IValue> likes = elementsOf(like);
    for (std::size_t i = 0; i < std::min(items.size(), likes.size()); ++i) {
        items[i] = changedLike(items[i], likes[i], withLists, change);
    }
    return c10::ivalue::Tuple::create(std::move(items));
}

} // namespace

c10::IValue laidOutLike(const c10::IValue& value, const c10::IValue& like) {
    return changedLike(value, like, false, [](const at::Tensor& ours, const at::Tensor& theirs) {
        const bool isLaidOut = ours.layout() != c10::kStrided || theirs.layout() != c10::kStrided ||
                               ours.strides() == theirs.strides() || !theirs.is_non_overlapping_and_dense();
        return isLaidOut ? ours
                         : at::empty_strided(theirs.sizes(), theirs.strides(), ours.options()).copy_(ours);
    });
}

c10::IValue withTypesOf(const c10::IValue& value, const c10::IValue& like) {
    return changedLike(value, like, true, [](const at::Tensor& ours, const at::Tensor& theirs) {
        return ours.to(theirs.scalar_type());
    });
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
