#include "operators/operator_rows.h"

#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

/// Fake quantization.
namespace aotscope::torch {

void addQuantizationRows(OperatorRows& rows) {
    // The fake-quantized tensor, and a mask of the values that were not clipped.
    rows.add({"fake_quantize_per_tensor_affine_cachemask",
              "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
              "fake_quantize_per_channel_affine_cachemask", "_fused_moving_avg_obs_fq_helper"},
             [](const ShapeCall& call) -> ShapeResults {
                 const at::Tensor self = call.tensor("self");
                 return {emptyLike(self), emptyLike(self, c10::kBool)};
             });
    rows.add({"_fake_quantize_learnable_per_tensor_affine", "_fake_quantize_learnable_per_channel_affine"},
             shapes::like<0>);
    rows.add({"_fake_quantize_learnable_per_tensor_affine_backward",
              "_fake_quantize_learnable_per_channel_affine_backward"},
             [](const ShapeCall& call) -> ShapeResults {
                 return {emptyLike(call.tensor("self")), emptyContiguous(call.tensor("scale")),
                         emptyContiguous(call.tensor("zero_point"), call.tensor("scale").scalar_type())};
             });
}

} // namespace aotscope::torch
