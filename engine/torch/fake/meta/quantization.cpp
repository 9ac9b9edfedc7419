#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

namespace aotscope::torch::shapes {

/// The fake-quantized tensor, and a mask of the values that were not clipped.
ShapeResults withMask(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {emptyLike(self), emptyLike(self, c10::kBool)};
}

ShapeResults learnableBackward(const ShapeCall& call) {
    return {emptyLike(call.tensor("self")), emptyContiguous(call.tensor("scale")),
            emptyContiguous(call.tensor("zero_point"), call.tensor("scale").scalar_type())};
}

ShapeResults weightNorm(const ShapeCall& call) {
    const at::Tensor v = call.tensor("v");
    const at::Tensor g = call.tensor("g");
    Sizes norms(static_cast<std::size_t>(v.dim()), 1);
    const auto dim = static_cast<std::size_t>(wrapDim(call.integer("dim"), v.dim()));
    norms[dim] = v.sizes()[dim];
    const c10::ScalarType type = g.scalar_type() == c10::kBFloat16 ? c10::kFloat : g.scalar_type();
    return {emptyLike(v), newEmpty(g, norms, type)};
}

ShapeResults weightNormBackward(const ShapeCall& call) {
    return {emptyLike(call.tensor("saved_v")), emptyLike(call.tensor("saved_g"))};
}

} // namespace aotscope::torch::shapes
