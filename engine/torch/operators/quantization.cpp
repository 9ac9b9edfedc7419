#include "operators/operator_rows.h"

#include "fake/meta/rules.h"

/// Fake quantization.
namespace aotscope::torch {

void addQuantizationRows(OperatorRows& rows) {
    rows.add({"fake_quantize_per_tensor_affine_cachemask",
              "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
              "fake_quantize_per_channel_affine_cachemask", "_fused_moving_avg_obs_fq_helper"},
             shapes::withMask);
    rows.add({"_fake_quantize_learnable_per_tensor_affine", "_fake_quantize_learnable_per_channel_affine"},
             shapes::likeSelf);
    rows.add({"_fake_quantize_learnable_per_tensor_affine_backward",
              "_fake_quantize_learnable_per_channel_affine_backward"},
             shapes::learnableBackward);
}

} // namespace aotscope::torch
