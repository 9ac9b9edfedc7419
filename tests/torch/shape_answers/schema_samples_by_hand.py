"""Arguments of operators that the schema alone does not tell, for `schema_samples.py`: name -> list of (args, kwargs)."""
import torch

class T:
    """A tensor argument that is made anew for each mode."""
    def __init__(self, shape, dtype=torch.float32, stride=None, offset=0):
        self.shape, self.dtype, self.stride, self.offset = list(shape), dtype, stride, offset
    def make(self):
        if self.stride is None:
            return torch.zeros(self.shape, dtype=self.dtype)
        reach = 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride)) if 0 not in self.shape else 0
        return torch.zeros(reach + self.offset, dtype=self.dtype).as_strided(self.shape, self.stride, self.offset)

def t(*shape, dtype=torch.float32):
    return T(shape, dtype)

f64, i64, i32, u8, b8, c64, bf16 = (torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool, torch.complex64,
                                    torch.bfloat16)

def call(*args, **kwargs):
    return args, kwargs

by_hand = {}

# Resampling: forward and backward of one to three dimensions.
for name, dims, align in (("_upsample_bicubic2d_aa", 2, True), ("_upsample_bilinear2d_aa", 2, True), ("_upsample_lanczos2d_aa", 2, True),
                          ("upsample_bicubic2d", 2, True), ("upsample_bilinear2d", 2, True), ("upsample_linear1d", 1, True),
                          ("upsample_trilinear3d", 3, True), ("upsample_nearest1d", 1, False), ("upsample_nearest2d", 2, False),
                          ("upsample_nearest3d", 3, False), ("_upsample_nearest_exact1d", 1, False),
                          ("_upsample_nearest_exact2d", 2, False), ("_upsample_nearest_exact3d", 3, False)):
    size, out, corners = [7, 8, 9][:dims], [4, 5, 6][:dims], [False] if align else []
    by_hand[name + ".default"] = [call(t(2, 3, *size), out, *corners), call(t(2, 3, *size, dtype=f64), out, *corners)]
    by_hand[name + "_backward.default"] = [call(t(2, 3, *out), out, [2, 3, *size], *corners)]
    if not name.startswith("_upsample_l"):
        by_hand[name + ".vec"] = [call(t(2, 3, *size), out, *corners, None), call(t(2, 3, *size), None, *corners, [2.0] * dims)]

# Lists of tensors.
l2 = lambda dtype=torch.float32: [t(4, 6, dtype=dtype), t(3, dtype=dtype)]
steps = lambda: [t(), t()]
for name in ("_fused_adam", "_fused_adamw"):
    for overload, lr in (("default", 0.1), ("tensor_lr", t())):
        by_hand[f"{name}.{overload}"] = [call(l2(), l2(), l2(), l2(), [], steps(), lr=lr, beta1=0.9, beta2=0.9, weight_decay=0.0, eps=1e-8,
                                              amsgrad=False, maximize=False)]
for overload, lr in (("default", 0.1), ("tensor_lr", t())):
    by_hand["_fused_sgd." + overload] = [call(l2(), l2(), l2(), weight_decay=0.0, momentum=0.9, lr=lr, dampening=0.0, nesterov=False,
                                              maximize=False, is_first_step=False)]
    by_hand["_fused_adagrad." + overload] = [call(l2(), l2(), l2(), steps(), lr=lr, lr_decay=0.0, weight_decay=0.0, eps=1e-8,
                                                  maximize=False)]
for name in ("_foreach_addcdiv", "_foreach_addcmul"):
    by_hand[name + ".ScalarList"] = [call(l2(), l2(), l2(), [0.5, 2.0])]
    by_hand[name + ".Tensor"] = [call(l2(), l2(), l2(), t(2))]
by_hand["_foreach_mm.default"] = [call([t(4, 6), t(3, 2)], [t(6, 5), t(2, 7)])]
by_hand["_amp_foreach_non_finite_check_and_unscale.default"] = [call(l2(), t(1), t(1))]
by_hand["_amp_update_scale.default"] = [call(t(), t(dtype=i32), t(), 2.0, 0.5, 3)]
by_hand["dequantize.tensors"] = [call(l2())]

# Convolutions and pools.
by_hand["_convolution.default"] = [
    call(t(2, 3, 8, 9), t(4, 3, 3, 3), t(4), [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True),
    call(t(2, 3, 8, 9), t(3, 4, 3, 3), None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1, False, False, True, True),
    call(t(2, 3, 8), t(4, 3, 3), t(4), [2], [1], [1], False, [0], 1, False, False, True, True)]
by_hand["slow_conv_transpose2d.default"] = [call(t(2, 3, 8, 9), t(3, 4, 3, 3), [3, 3], t(4), [2, 2], [1, 1], [1, 1], [1, 1])]
by_hand["_slow_conv2d_backward.output_mask"] = [
    call(t(2, 4, 6, 7), t(2, 3, 8, 9), t(4, 3, 3, 3), [3, 3], [1, 1], [0, 0], [True, True, True])]
by_hand["_nnpack_spatial_convolution.default"] = [call(t(2, 3, 8, 9), t(4, 3, 3, 3), t(4), [1, 1])]
by_hand["conv_tbc.default"] = [call(t(7, 2, 3), t(3, 3, 5), t(5), 1)]
by_hand["max_pool2d_backward.default"] = [call(t(2, 3, 4, 4), t(2, 3, 8, 8), [2, 2])]
by_hand["affine_grid_generator.default"] = [call(t(2, 2, 3), [2, 3, 8, 9], False), call(t(2, 3, 4), [2, 3, 5, 6, 7], True)]
for name in ("_grid_sampler_2d_cpu_fallback",):
    by_hand[name + ".default"] = [call(t(2, 3, 8, 9), t(2, 4, 5, 2), 0, 0, False)]
    by_hand[name + "_backward.default"] = [call(t(2, 3, 4, 5), t(2, 3, 8, 9), t(2, 4, 5, 2), 0, 0, False)]

# Losses and normalization.
by_hand["_ctc_loss.default"] = [call(t(12, 3, 7), t(3, 5, dtype=i64), [12, 11, 10], [5, 4, 3])]
by_hand["_ctc_loss.Tensor"] = [call(t(12, 3, 7), t(3, 5, dtype=i64), t(3, dtype=i64), t(3, dtype=i64))]
by_hand["_ctc_loss_backward.default"] = [
    call(t(3), t(12, 3, 7), t(3, 5, dtype=i64), [12, 11, 10], [5, 4, 3], t(3), t(3, 12, 11), 0)]
by_hand["multi_margin_loss.default"] = [call(t(5, 7), t(5, dtype=i64))]
by_hand["multilabel_margin_loss_forward.default"] = [call(t(5, 7), t(5, 7, dtype=i64), 1)]
by_hand["native_batch_norm.default"] = [call(t(2, 3, 8, 9), t(3), t(3), t(3), t(3), True, 0.1, 1e-5),
                                        call(t(2, 3, 8, 9), None, None, None, None, True, 0.1, 1e-5)]
by_hand["batch_norm_update_stats.default"] = [call(t(2, 3, 8, 9), t(3), t(3), 0.1)]
by_hand["batch_norm_elemt.default"] = [call(t(2, 3, 8, 9), t(3), t(3), t(3), t(3), 1e-5)]
by_hand["embedding_renorm.default"] = [call(t(7, 5), t(3, dtype=i64), 1.0, 2.0)]
by_hand["glu_backward_jvp.default"] = [call(t(4, 6), t(4, 3), t(4, 6), t(4, 3), t(4, 6), 1)]

# Matrices.
by_hand["_addmm_activation.default"] = [call(t(6), t(4, 5), t(5, 6)), call(t(4, 6), t(4, 5), t(5, 6), use_gelu=True)]
by_hand["_compute_linear_combination.default"] = [call(t(3, 4, 5), t(2, 3))]
by_hand["_euclidean_dist.default"] = [call(t(4, 6), t(5, 6)), call(t(2, 4, 6), t(2, 5, 6))]
by_hand["matmul_backward.default"] = [call(t(4, 5), t(4, 6), t(6, 5), [True, True])]
by_hand["linalg_lstsq.default"] = [call(t(6, 4), t(6, 3))]
by_hand["_grouped_mm.default"] = [call(t(32, 64, dtype=bf16), t(4, 64, 48, dtype=bf16), t(4, dtype=i32))]
by_hand["_transform_bias_rescale_qkv.default"] = [call(t(2, 5, 24), t(24), 2)]
by_hand["_native_multi_head_attention.default"] = [
    call(t(2, 5, 8), t(2, 5, 8), t(2, 5, 8), 8, 2, t(24, 8), t(24), t(8, 8), t(8))]
by_hand["_transformer_encoder_layer_fwd.default"] = [
    call(t(2, 5, 8), 8, 2, t(24, 8), t(24), t(8, 8), t(8), False, False, 1e-5, t(8), t(8), t(8), t(8), t(16, 8), t(16), t(8, 16), t(8))]
by_hand["_fused_sdp_choice.default"] = [call(t(2, 4, 8, 16), t(2, 4, 9, 16), t(2, 4, 9, 16))]
by_hand["_triton_scaled_dot_attention.default"] = [call(t(2, 4, 8, 16), t(2, 4, 8, 16), t(2, 4, 8, 16))]

# Indices, lengths and copies.
by_hand["_pack_padded_sequence.default"] = [call(t(4, 3, 5), t(3, dtype=i64), False)]
by_hand["_convert_indices_from_coo_to_csr.default"] = [call(t(7, dtype=i64), 5), call(t(7, dtype=i64), 5, out_int32=True)]
by_hand["_convert_indices_from_csr_to_coo.default"] = [call(t(6, dtype=i64), t(9, dtype=i64))]
by_hand["_index_put_impl.default"] = [call(t(5, 6), [t(3, dtype=i64)], t(3, 6)), call(t(5, 6), [None, t(3, dtype=i64)], t(5, 3))]
by_hand["scatter.reduce"] = [call(t(4, 6), 1, t(4, 3, dtype=i64), t(4, 3), reduce="add")]
by_hand["scatter.value_reduce"] = [call(t(4, 6), 1, t(4, 3, dtype=i64), 0.5, reduce="multiply")]
by_hand["view_as_complex_copy.default"] = [call(t(4, 6, 2)), call(t(2))]
by_hand["view_as_real_copy.default"] = [call(t(4, 6, dtype=c64))]
by_hand["view_copy.dtype"] = [call(t(4, 6), i32), call(t(4, 6), f64), call(t(4, 6), torch.int16)]
by_hand["split_copy.Tensor"] = [call(t(7, 6), 3), call(t(4, 6), 2, 1)]
by_hand["split_with_sizes_copy.default"] = [call(t(7, 6), [3, 4])]
by_hand["unsafe_split_with_sizes.default"] = [call(t(7, 6), [3, 4]), call(t(4, 6), [1, 5], 1)]
by_hand["_reshape_copy.default"] = [call(t(4, 6), [6, 4]), call(t(4, 6), [-1])]
by_hand["_reshape_alias_copy.default"] = [call(t(4, 6), [6, 4], [4, 1])]
by_hand["_new_zeros_with_same_feature_meta.default"] = [call(t(4, 6), t(4, 6)), call(t(3, 4, 6), t(4, 6), self_num_batch_dims=1)]
by_hand["select_copy.int"] = [call(t(4, 6), 0, 1), call(t(4, 6), 1, 2)]
by_hand["slice_copy.Tensor"] = [call(t(7, 6), 0, 1, 5, 2), call(t(4, 6), 1, 2)]
by_hand["squeeze_copy.dims"] = [call(t(4, 1, 6), [1]), call(t(4, 1, 6, 1), [1, 3])]
by_hand["resize.default"] = [call(t(4, 6), [6, 4])]
by_hand["resize_as.default"] = [call(t(4, 6), t(6, 4))]
by_hand["_resize_output.default"] = [call(t(4, 6), [4, 6], torch.device("cpu"))]
by_hand["isin.Scalar_Tensor"] = [call(2.0, t(4))]
by_hand["isin.Tensor_Scalar"] = [call(t(4, 6), 2.0)]
by_hand["range.default"] = [call(1, 7)]
by_hand["range.step"] = [call(1, 7, 2)]
by_hand["_thnn_fused_lstm_cell.default"] = [call(t(2, 20), t(2, 20), t(2, 5))]
by_hand["_philox_key_split.default"] = [call(t(2, dtype=torch.uint64), 3)]
by_hand["_philox_key_fold_in.default"] = [call(t(2, dtype=torch.uint64), 3)]
for name in ("_philox_normal", "_philox_uniform", "_philox_randint"):
    by_hand[name + ".default"] = [call(t(4, 6), t(2, dtype=torch.uint64))]
for name, extra in (("mm", ()), ("bmm", (2,)), ("addmm", ()), ("baddbmm", (2,))):
    operands = [t(*extra, 4, 5, dtype=bf16), t(*extra, 5, 6, dtype=bf16)]
    first = [t(*extra, 4, 6)] if "add" in name else []
    by_hand[name + ".dtype"] = [call(*first, *operands, torch.float32)]
by_hand["normal.float_Tensor"] = [call(0.0, t(4, 6))]
by_hand["bernoulli.Tensor"] = [call(t(4, 6), t(4, 6))]
by_hand["_assert_tensor_metadata.default"] = [call(t(4, 6), [4, 6], [6, 1], torch.float32)]
by_hand["_functional_assert_scalar.default"] = [call(1, "message", t(0))]
by_hand["_functional_sym_constrain_range.default"] = [call(4, 2, 9, t(0))]
by_hand["_functional_sym_constrain_range_for_size.default"] = [call(4, 2, 9, t(0))]
by_hand["norm.ScalarOpt_dtype"] = [call(t(4, 6), 2, dtype=f64), call(t(3, 4, 5), 1, dtype=f64)]
by_hand["norm.ScalarOpt_dim_dtype"] = [call(t(4, 6), 2, [1], False, dtype=f64), call(t(3, 4, 5), 2, [0], True, dtype=f64)]
by_hand["split.Tensor"] = [call(t(7, 6), 3)]
by_hand["as_strided_copy.default"] = [call(t(4, 6), [3, 2], [6, 2], 1)]
by_hand["as_strided_.default"] = [call(t(4, 6), [3, 2], [6, 2], 1)]
by_hand["set_.source_Tensor"] = [call(t(4, 6), t(6, 4))]
