#include "fake/meta/layouts.h"
#include "fake/meta/like_operand.h"
#include "fake/meta/rules.h"

namespace aotscope::torch {

namespace {

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

} // namespace

void addQuantizationRules(ShapeKernels& kernels) {
    kernels.add({"aten::fake_quantize_per_tensor_affine_cachemask",
                 "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
                 "aten::fake_quantize_per_channel_affine_cachemask", "aten::_fused_moving_avg_obs_fq_helper"},
                withMask);
    kernels.add({"aten::_fake_quantize_learnable_per_tensor_affine",
                 "aten::_fake_quantize_learnable_per_channel_affine"},
                likeSelf);
    kernels.add({"aten::_fake_quantize_learnable_per_tensor_affine_backward",
                 "aten::_fake_quantize_learnable_per_channel_affine_backward"},
                learnableBackward);
    kernels.add({"aten::_weight_norm_interface"}, weightNorm);
    kernels.add({"aten::_weight_norm_interface_backward"}, weightNormBackward);
}

} // namespace aotscope::torch
