#include "ir/higher_order.h"
#include "ir/operators/operator_table.h"

/// Attention.
namespace aotscope::ir::detail {

void addAttention(OperatorTable& table) {
    using enum Trait;
    table.add({"aten.scaled_dot_product_attention"}, LaterResult);
    table.add({"aten._scaled_dot_product_flash_attention", "aten._scaled_dot_product_efficient_attention"},
              ComputeIntensive, {.flops = {FlopRule::Attention}});
    table.add({"aten._flash_attention_forward"}, ComputeIntensive,
              {.flops = {FlopRule::PackedAttention, 0, 3}, .laterFlops = {FlopRule::FlashAttention, 0, 3}});
    table.add({"aten._efficient_attention_forward"}, ComputeIntensive,
              {.flops = {FlopRule::PackedAttention, 0, 4}});
    table.add({"aten._scaled_dot_product_efficient_attention_backward",
               "aten._scaled_dot_product_flash_attention_backward",
               "aten._scaled_dot_product_cudnn_attention_backward"},
              {}, {.flops = {FlopRule::AttentionBackward, 1}});
    table.add({"aten._scaled_dot_product_cudnn_attention"}, {}, {.flops = {FlopRule::Attention}});
    table.add({"aten._flash_attention_backward"}, {},
              {.flops = {FlopRule::PackedAttentionBackward, 1, 6},
               .laterFlops = {FlopRule::FlashAttentionBackward, 1, 6}});
    table.add({"aten._efficient_attention_backward"}, {},
              {.flops = {FlopRule::PackedAttentionBackward, 1, 6}});
    table.add({"aten._scaled_dot_product_flash_attention_for_cpu"}, {},
              {.laterFlops = {FlopRule::Attention}, .cpuOnly = CpuOnlyCall::Attention});
    table.add({"aten._scaled_dot_product_flash_attention_for_cpu_backward"}, {},
              {.laterFlops = {FlopRule::AttentionBackward, 1}, .cpuOnly = CpuOnlyCall::AttentionBackward});
    table.add({higherOrder(HigherOrder::FlexAttention).target}, {}, {.laterFlops = {FlopRule::Attention}});
    table.add({higherOrder(HigherOrder::FlexAttentionBackward).target}, {},
              {.laterFlops = {FlopRule::AttentionBackward}});
}

} // namespace aotscope::ir::detail
