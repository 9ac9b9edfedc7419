#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Attention.
namespace aotscope::torch {

void addAttentionRows(OperatorRows& rows) {
    rows.add({"_scaled_dot_product_flash_attention_for_cpu"}, shapes::flashForCpu, symbolic::attention,
             InCore{decomposed::flashAttentionForCpu});
    rows.add({"_scaled_dot_product_flash_attention_for_cpu_backward"}, shapes::flashForCpuBackward);
    rows.add({"_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention.quantized"},
             shapes::flash);
    rows.add({"_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_cudnn_attention_backward",
              "_flash_attention_backward"},
             shapes::likeQueryKeyValue);
    rows.add({"_scaled_dot_product_cudnn_attention"}, shapes::cudnnAttention);
    rows.add({"_scaled_dot_product_fused_attention_overrideable"}, shapes::overrideableAttention);
    rows.add({"_scaled_dot_product_efficient_attention"}, shapes::efficient);
    rows.add({"_scaled_dot_product_efficient_attention_backward"}, shapes::efficientBackward);
    rows.add({"_flash_attention_forward", "_flash_attention_forward.quantized"}, shapes::flashForward);
    rows.add({"_efficient_attention_forward"}, shapes::efficientForward);
    rows.add({"_efficient_attention_backward"}, shapes::efficientAttentionBackward);
}

} // namespace aotscope::torch
