#include "operators/operator_rows.h"

#include "fake/meta/rules.h"

/// Operators that write to an argument or return nothing: their results have the shapes of what they write.
namespace aotscope::torch {

void addInPlaceRows(OperatorRows& rows) {
    rows.add({"_functional_assert_async.msg"}, shapes::depToken);
    rows.add({"bernoulli_.Tensor", "bernoulli_.float", "cauchy_", "log_normal_", "exponential_", "geometric_",
              "rrelu_with_noise_"},
             shapes::itself);
    rows.add({"masked_fill_.Scalar", "masked_fill_.Tensor", "masked_scatter_", "put_",
              "index_fill_.int_Scalar", "index_fill_.int_Tensor", "embedding_renorm_", "_index_put_impl_"},
             shapes::itself);
    rows.add({"_add_relu_.Tensor", "floor_divide_.Tensor", "relu_", "logit_", "__ilshift__.Scalar",
              "__ilshift__.Tensor", "__irshift__.Scalar", "__irshift__.Tensor", "addbmm_", "hardtanh_",
              "hardswish_", "abs_", "logical_and_", "logical_or_", "logical_xor_", "logical_not_",
              "nan_to_num_", "mvlgamma_", "_amp_update_scale_"},
             shapes::itself);
    rows.add({"_assert_async", "_assert_async.msg", "_fused_adam_", "_fused_adam_.tensor_lr", "_fused_adamw_",
              "_fused_adamw_.tensor_lr", "_fused_sgd_", "_fused_sgd_.tensor_lr", "_fused_adagrad_",
              "_fused_adagrad_.tensor_lr", "_amp_foreach_non_finite_check_and_unscale_", "_cummax_helper",
              "_cummin_helper"},
             shapes::nothing);
}

} // namespace aotscope::torch
