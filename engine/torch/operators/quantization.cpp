#include "operators/operator_rows.h"

#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

/// Fake quantization.
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

} // namespace

void addQuantizationRows(OperatorRows& rows) {
    rows.add({"fake_quantize_per_tensor_affine_cachemask",
              "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
              "fake_quantize_per_channel_affine_cachemask", "_fused_moving_avg_obs_fq_helper"},
             withMask);
    rows.add({"_fake_quantize_learnable_per_tensor_affine", "_fake_quantize_learnable_per_channel_affine"},
             shapes::like<0>);
    rows.add({"_fake_quantize_learnable_per_tensor_affine_backward",
              "_fake_quantize_learnable_per_channel_affine_backward"},
             learnableBackward);
}

} // namespace aotscope::torch
