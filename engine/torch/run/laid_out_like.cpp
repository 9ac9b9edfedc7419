#include "run/laid_out_like.h"

#include <ATen/ops/empty_strided.h>

#include <utility>
#include <vector>

namespace aotscope::torch {

using c10::IValue;

IValue laidOutLike(const IValue& value, const IValue& like) {
    if (value.isTensor() && like.isTensor() && value.toTensor().defined() && like.toTensor().defined()) {
        const at::Tensor& ours = value.toTensor();
        const at::Tensor& theirs = like.toTensor();
        if (ours.layout() != c10::kStrided || theirs.layout() != c10::kStrided ||
            ours.strides() == theirs.strides() || !theirs.is_non_overlapping_and_dense()) {
            return value;
        }
        at::Tensor laidOut = at::empty_strided(theirs.sizes(), theirs.strides(), ours.options());
        laidOut.copy_(ours);
        return laidOut;
    }
    if (value.isTuple() && like.isTuple()) {
        const auto& ours = value.toTupleRef().elements();
        const auto& theirs = like.toTupleRef().elements();
        std::vector<IValue> items;
        for (std::size_t i = 0; i < ours.size(); ++i) {
            items.push_back(i < theirs.size() ? laidOutLike(ours[i], theirs[i]) : ours[i]);
        }
        return c10::ivalue::Tuple::create(std::move(items));
    }
    return value;
}

} // namespace aotscope::torch
