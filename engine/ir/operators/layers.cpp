#include "ir/operators/operator_table.h"

/// Normalization, pooling, interpolation, losses.
namespace aotscope::ir::detail {

void addLayers(OperatorTable& table) {
    using enum Trait;
    using enum KernelRule;
    table.add({"prims.prepare_softmax_online"}, OnlineSoftmax);
    table.add({"aten._softmax"}, Reduces, {.kernel = {Softmax, {}, "$0 / $1"}});
    table.add({"aten._safe_softmax"}, Reduces,
              {.kernel = {Softmax, {}, "$2 == {T}(bits_float(0xff800000u)) ? {T}(0) : $0 / $1"}});
    table.add({"aten._log_softmax"}, Reduces, {.kernel = {LogSoftmax}});
    table.add({"aten._softmax_backward_data"}, Reduces, {.kernel = {SoftmaxGradient}});
    table.add({"aten._log_softmax_backward_data"}, Reduces, {.kernel = {LogSoftmaxGradient}});
    table.add({"aten.softmax", "aten.log_softmax", "aten.batch_norm_backward"}, Reduces);
    table.add({"aten.mse_loss"}, Reduces, {.kernel = {SquaredLoss}});
    table.add({"aten.mse_loss_backward"}, {}, {.kernel = {SquaredLossGradient}});
    table.add({"aten.native_layer_norm"}, Reduces,
              {.kernel = {Normalization}, .cpuOnly = CpuOnlyCall::LayerNorm});
    table.add({"aten.native_group_norm"}, Reduces | FollowedGradient, {.kernel = {Normalization}});
    table.add({"aten._fused_rms_norm"}, Reduces, {.kernel = {RmsNorm}});
    table.add({"aten.native_layer_norm_backward"}, Reduces,
              {.kernel = {NormalizationGradient},
               .nonNegative = positions(4),
               .cpuOnly = CpuOnlyCall::LayerNormBackward});
    table.add({"aten.native_group_norm_backward"}, Reduces,
              {.kernel = {NormalizationGradient}, .nonNegative = positions(3)});
    table.add({"aten._fused_rms_norm_backward"}, Reduces,
              {.kernel = {RmsNormGradient}, .nonNegative = positions(3)});
    table.add({"aten._native_batch_norm_legit_no_training"}, Reduces,
              {.kernel = {BatchNormInference}, .nonNegative = positions(4)});
    table.add({"aten.native_batch_norm", "aten._native_batch_norm_legit",
               "aten._native_batch_norm_legit_functional"},
              Reduces, {.nonNegative = positions(4)});
    table.add({"aten.native_batch_norm_backward"}, Reduces, {.nonNegative = positions(4, 6)});
    table.add({"aten.batch_norm", "aten.cudnn_batch_norm"}, {}, {.nonNegative = positions(4)});
    table.add({"prims._low_memory_max_pool_offsets_to_indices"}, Recomputable,
              {.indexes = {{0, Below::WindowOffset, 1}}});
    table.add({"aten.upsample_bilinear2d"}, ComputeIntensive);
    table.add({"aten.max_pool2d_with_indices_backward"}, {}, {.indexes = {{7, Below::LastSizes, 1, 2}}});
    table.add({"aten.max_pool3d_with_indices_backward"}, {}, {.indexes = {{7, Below::LastSizes, 1, 3}}});
    table.add({"aten.adaptive_max_pool2d_backward"}, {}, {.indexes = {{2, Below::LastSizes, 1, 2}}});
    table.add({"aten.adaptive_max_pool3d_backward"}, {}, {.indexes = {{2, Below::LastSizes, 1, 3}}});
    table.add({"aten.fractional_max_pool2d_backward"}, CanEndProcess,
              {.indexes = {{4, Below::LastSizes, 1, 2}}});
    table.add({"aten.fractional_max_pool3d_backward"}, CanEndProcess,
              {.indexes = {{4, Below::LastSizes, 1, 3}}});
    table.add({"aten.max_unpool2d", "aten.max_unpool3d"}, LaterGradient,
              {.indexes = {{1, Below::Product, 2}}});
    table.add({"prims._low_memory_max_pool2d_offsets_to_indices"}, {}, {.indexes = {{0, Below::Product, 1}}});
    table.add({"aten.im2col", "aten.col2im"}, {}, {.deed = "copies windows"});
    table.add({"aten.nll_loss_forward"}, LooksUp, {.indexes = {{1, Below::Classes, 0, 4}}});
    table.add({"aten.binary_cross_entropy"}, {}, {.probabilities = positions(0, 1)});
    table.add({"aten.nll_loss_backward", "aten.nll_loss2d_backward"}, {},
              {.indexes = {{2, Below::Classes, 1, 5}}});
    table.add({"aten.nll_loss2d_forward", "aten.cross_entropy_loss"}, {},
              {.indexes = {{1, Below::Classes, 0, 4}}});
    table.add({"aten.multi_margin_loss", "aten.multilabel_margin_loss_forward"}, {},
              {.indexes = {{1, Below::Classes, 0, 99}}});
    table.add({"aten.multi_margin_loss_backward", "aten.multilabel_margin_loss_backward"}, {},
              {.indexes = {{2, Below::Classes, 1, 99}}});
    table.add({"aten._ctc_loss"}, CanEndProcess, {.indexes = {{1, Below::Size, 0, 2}}});
    table.add({"aten._ctc_loss_backward"}, CanEndProcess, {.indexes = {{2, Below::Size, 1, 2}}});
    table.add({"aten.ctc_loss"}, CanEndProcess);
}

} // namespace aotscope::ir::detail
