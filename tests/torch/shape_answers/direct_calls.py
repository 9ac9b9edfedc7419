"""Records calls of operators that no operator sample reaches: kernels of CUDA, fused cells, quantization, optimizers."""
import sys, itertools
sys.argv = sys.argv[:2]
import torch
from record import Recorder, cases, write, FakeTensorMode, enable_python_dispatcher
aten = torch.ops.aten
f32, f16, bf16, i64, i32, u8 = torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8

def attempt(device, make):
    mode = FakeTensorMode(); rec = Recorder(); rec.device = device
    def t(*size, dtype=f32, like=None):
        with mode:
            return torch.empty(*size, dtype=dtype, device=device)
    try:
        with enable_python_dispatcher(), mode, rec:
            make(t)
    except Exception as e:
        print(device, make.__name__ if hasattr(make,'__name__') else make, type(e).__name__, str(e)[:150], file=sys.stderr)

def both(make):
    for d in ("cpu", "cuda"):
        attempt(d, make)

# attention
for dt in (f16, bf16):
    for (b, h, q, k, e, v) in ((2, 4, 16, 16, 8, 8), (1, 2, 33, 70, 64, 64), (2, 3, 130, 40, 96, 32)):
        for perm in (False, True):
            def qkv(t, b=b, h=h, q=q, k=k, e=e, v=v, dt=dt, perm=perm):
                if perm:
                    return (t(b, q, h, e, dtype=dt).transpose(1, 2), t(b, k, h, e, dtype=dt).transpose(1, 2), t(b, k, h, v, dtype=dt).transpose(1, 2))
                return t(b, h, q, e, dtype=dt), t(b, h, k, e, dtype=dt), t(b, h, k, v, dtype=dt)
            def flash(t):
                x = qkv(t)
                for mask in (False, True):
                    o = aten._scaled_dot_product_flash_attention(*x, 0.1, False, mask)
                g = torch.empty_like(o[0])
                aten._scaled_dot_product_flash_attention_backward(g, *x, o[0], o[1], o[2], o[3], o[4], o[5], 0.1, False, o[6], o[7])
            def eff(t):
                x = qkv(t)
                for lse in (True, False):
                    o = aten._scaled_dot_product_efficient_attention(*x, None, lse)
                bias = t(b, h, q, k, dtype=dt)
                o = aten._scaled_dot_product_efficient_attention(*x, bias, True)
                g = torch.empty_like(o[0])
                aten._scaled_dot_product_efficient_attention_backward(g, *x, bias, o[0], o[1], o[2], o[3], 0.0, [True, True, True, True])
                aten._scaled_dot_product_efficient_attention_backward(g, *x, None, o[0], o[1], o[2], o[3], 0.0, [True, True, True, False])
            def cud(t):
                x = qkv(t)
                o = aten._scaled_dot_product_cudnn_attention(*x, None, True)
                g = torch.empty_like(o[0])
                aten._scaled_dot_product_cudnn_attention_backward(g, *x, o[0], o[1], o[6], o[7], None, None, None, q, k, 0.0, False)
            def over(t):
                aten._scaled_dot_product_fused_attention_overrideable(*qkv(t))
            def raw(t):
                x = [y.transpose(1, 2) for y in qkv(t)]
                o = aten._flash_attention_forward(*x, None, None, q, k, 0.0, False, False)
                o = aten._efficient_attention_forward(*x, None, None, None, None, None, 0.0, 0, True)
                aten._efficient_attention_backward(torch.empty_like(o[0]), *x, None, o[0], None, None, q, k, o[1], 0.0, o[2], o[3], 0, False)
            def varlen(t):
                x = [y.transpose(1, 2).reshape(-1, y.shape[1], y.shape[3]) for y in qkv(t)]
                cq = t(b + 1, dtype=i32)
                o = aten._flash_attention_forward(*x, cq, cq, q, k, 0.0, False, False)
                aten._flash_attention_backward(torch.empty_like(o[0]), *x, o[0], o[1], cq, cq, q, k, 0.0, False, o[2], o[3])
            for f in (flash, eff, cud, over, raw, varlen):
                attempt("cuda", f)
for (b, h, q, k, e) in ((2, 4, 16, 16, 8), (1, 2, 33, 70, 64)):
    def cpu(t):
        x = (t(b, h, q, e), t(b, h, k, e), t(b, h, k, e))
        m = t(q, k)
        o = aten._scaled_dot_product_flash_attention_for_cpu(*x, attn_mask=m)
        aten._scaled_dot_product_flash_attention_for_cpu_backward(torch.empty_like(o[0]), *x, o[0], o[1], 0.0, False, attn_mask=m)
        y = tuple(z.transpose(1, 2).contiguous().transpose(1, 2) for z in x)
        o = aten._scaled_dot_product_flash_attention_for_cpu(*y, 0.0, True)
        aten._scaled_dot_product_flash_attention_for_cpu_backward(torch.empty_like(o[0]), *y, o[0], o[1], 0.0, True)
    attempt("cpu", cpu)

# recurrent
for n, hid in ((3, 5), (1, 8)):
    def lstm(t):
        hy, cy, w = aten._thnn_fused_lstm_cell(t(n, 4 * hid), t(n, 4 * hid), t(n, hid), t(4 * hid), t(4 * hid))
        aten._thnn_fused_lstm_cell_backward_impl(t(n, hid), t(n, hid), t(n, hid), cy, w, True)
        aten._thnn_fused_lstm_cell_backward_impl(t(n, hid), None, t(n, hid), cy, w, False)
    def gru(t):
        hy, w = aten._thnn_fused_gru_cell(t(n, 3 * hid), t(n, 3 * hid), t(n, hid), t(3 * hid), t(3 * hid))
        aten._thnn_fused_gru_cell_backward(t(n, hid), w, True)
    def rnn(t):
        ws = [t(4 * hid, 6), t(4 * hid, hid), t(4 * hid), t(4 * hid)]
        aten._cudnn_rnn(t(7, n, 6), ws, 4, t(1000), t(1, n, hid), t(1, n, hid), 2, hid, 0, 1, False, 0.0, True, False, [], None)
        aten._cudnn_rnn(t(n, 7, 6), ws, 4, t(1000), t(2, n, hid), None, 3, hid, 0, 1, True, 0.0, True, True, [], None)
    def onednn(t):
        o = aten.mkldnn_rnn_layer(t(7, n, 6), t(4 * hid, 6), t(4 * hid, hid), t(4 * hid), t(4 * hid), t(1, n, hid), t(1, n, hid), False, [], 2, hid, 1, True, False, False, True)
        aten.mkldnn_rnn_layer_backward(t(7, n, 6), t(4 * hid, 6), t(4 * hid, hid), t(4 * hid), t(4 * hid), t(1, n, hid), t(1, n, hid), o[0], o[1], o[2], t(7, n, hid), None, None, False, 2, hid, 1, True, True, False, [], False, o[3])
    attempt("cuda", lstm); attempt("cuda", gru); attempt("cuda", rnn); attempt("cpu", onednn)

# products
def products(t):
    aten._int_mm(t(17, 8, dtype=torch.int8), t(8, 16, dtype=torch.int8))
def scaled(t):
    a = t(32, 64, dtype=torch.float8_e4m3fn); b = t(48, 64, dtype=torch.float8_e4m3fn).t()
    s = t((), dtype=f32)
    aten._scaled_mm(a, b, s, s, None, None, bf16)
    aten._scaled_mm(a, b, s, s)
def halfmm(t):
    aten.mm.dtype(t(4, 8, dtype=bf16), t(8, 6, dtype=bf16), f32)
    aten.bmm.dtype(t(2, 4, 8, dtype=bf16), t(2, 8, 6, dtype=bf16), f32)
def int8w(t):
    aten._weight_int8pack_mm(t(4, 64, dtype=bf16), t(32, 64, dtype=torch.int8), t(32, dtype=bf16))
def int4w(t):
    w = aten._convert_weight_to_int4pack(t(64, 32, dtype=u8), 2)
    aten._weight_int4pack_mm(t(4, 64, dtype=bf16), w, 32, t(2, 64, 2, dtype=bf16))
def int4c(t):
    w = aten._convert_weight_to_int4pack_for_cpu(t(64, 64, dtype=i32), 2)
    aten._weight_int4pack_mm_for_cpu(t(4, 64, dtype=bf16), w, 32, t(2, 64, 2, dtype=bf16))
def grouped(t):
    aten._grouped_mm(t(32, 64, dtype=bf16), t(4, 64, 48, dtype=bf16), t(4, dtype=i32))
    aten._grouped_mm(t(4, 32, 64, dtype=bf16), t(4, 64, 48, dtype=bf16))
    aten._grouped_mm(t(32, 64, dtype=bf16), t(64, 48, dtype=bf16), t(4, dtype=i32))
both(products); attempt("cuda", scaled); attempt("cuda", halfmm); both(int8w); attempt("cuda", int4w); attempt("cpu", int4c); attempt("cuda", grouped)

# quantization
def fq(t):
    for x in (t(2, 3, 4, 5), t(2, 3, 4, 5).to(memory_format=torch.channels_last)):
        aten.fake_quantize_per_tensor_affine_cachemask(x, 0.1, 0, 0, 255)
        aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(x, t(1), t(1, dtype=i32), t(1, dtype=i64), 0, 255)
        aten.fake_quantize_per_channel_affine_cachemask(x, t(3), t(3, dtype=i32), 1, 0, 255)
        aten._fake_quantize_learnable_per_tensor_affine(x, t(1), t(1), 0, 255, 1.0)
        aten._fake_quantize_learnable_per_tensor_affine_backward(x, x, t(1), t(1), 0, 255, 1.0)
        aten._fake_quantize_learnable_per_channel_affine(x, t(3), t(3), 1, 0, 255, 1.0)
        aten._fake_quantize_learnable_per_channel_affine_backward(x, x, t(3), t(3), 1, 0, 255, 1.0)
        aten._fused_moving_avg_obs_fq_helper_functional(x, t(1, dtype=i64), t(1, dtype=i64), t(1), t(1), t(1), t(1, dtype=i32), 0.01, 0, 255, -1)
both(fq)

# normalization
for dt in (f32, bf16):
    def norms(t):
        for x in (t(2, 4, 5, 6, dtype=dt), t(2, 4, 5, 6, dtype=dt).to(memory_format=torch.channels_last), t(4, 2, 5, 6, dtype=dt).transpose(0, 1)):
            w, b, m, v = t(4), t(4), t(4), t(4)
            if dt is bf16:
                w, b = t(4, dtype=dt), t(4, dtype=dt)
            for tr in (True, False):
                o = aten.native_batch_norm(x, w, b, m, v, tr, 0.1, 1e-5)
                aten._native_batch_norm_legit_functional(x, w, b, m, v, tr, 0.1, 1e-5)
                aten.native_batch_norm_backward(torch.empty_like(x), x, w, m, v, o[1], o[2], tr, 1e-5, [True, True, True])
                aten.native_batch_norm_backward(x.contiguous(), x, w, m, v, o[1], o[2], tr, 1e-5, [True, False, True])
            aten._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 1e-5)
            aten._native_batch_norm_legit_no_training(x, w, b, m, v, 0.1, 1e-5)
            o = aten._batch_norm_with_update_functional(x, w, b, m, v, 0.1, 1e-5)
            aten._batch_norm_no_update(x, w, b, m, v, 0.1, 1e-5)
            aten.batch_norm_backward(torch.empty_like(x), x, w, m, v, o[1], o[2], True, 1e-5, [True, True, True], o[3])
            for ww, bb in ((w, b), (None, None), (w, None)):
                o = aten.native_group_norm(x, ww, bb, 2, 4, 30, 2, 1e-5)
                aten.native_group_norm_backward(torch.empty_like(x), x.contiguous(), o[1], o[2], ww, 2, 4, 30, 2, [True, ww is not None, bb is not None])
            wl = t(5, 6, dtype=dt)
            for ww, bb in ((wl, wl), (None, None), (wl, None)):
                o = aten.native_layer_norm(x, [5, 6], ww, bb, 1e-5)
                aten.native_layer_norm_backward(torch.empty_like(x), x, [5, 6], o[1], o[2], ww, bb, [True, ww is not None, bb is not None])
                o = aten._fused_rms_norm(x, [5, 6], ww, None)
                aten._fused_rms_norm_backward(torch.empty_like(x), x, [5, 6], o[1], ww, [True, ww is not None])
    both(norms)
def cudnnbn(t):
    for x in (t(2, 4, 5, 6), t(2, 4, 5, 6).to(memory_format=torch.channels_last)):
        aten.cudnn_batch_norm(x, t(4), t(4), t(4), t(4), True, 0.1, 1e-5)
        aten.miopen_batch_norm(x, t(4), t(4), t(4), t(4), True, 0.1, 1e-5)
attempt("cuda", cudnnbn)

# losses, segments, indices
def ctc(t):
    o = aten._ctc_loss.Tensor(t(50, 4, 20), t(4, 30, dtype=i64), t(4, dtype=i64), t(4, dtype=i64))
    aten._ctc_loss_backward.Tensor(o[0], t(50, 4, 20), t(4, 30, dtype=i64), t(4, dtype=i64), t(4, dtype=i64), o[0], o[1], 0)
both(ctc)
def segments(t):
    d = t(10, 4)
    o = aten.segment_reduce(d, "sum", lengths=t(3, dtype=i64))
    aten._segment_reduce_backward(t(3, 4), o, d, "sum", lengths=t(3, dtype=i64))
    aten.segment_reduce(d, "sum", offsets=t(4, dtype=i64))
both(segments)
def indices(t):
    aten.nonzero_static(t(4, 5), size=7)
    aten.repeat_interleave.Tensor(t(4, dtype=i64), output_size=9)
    aten.embedding_dense_backward(t(2, 3, 8), t(2, 3, dtype=i64), 10, -1, False)
    for mode in (0, 1, 2):
        for last in (False, True):
            o = aten._embedding_bag(t(10, 8), t(6, dtype=i64), t(3, dtype=i64), False, mode, False, None, last)
            aten._embedding_bag_forward_only(t(10, 8), t(6, dtype=i64), t(3, dtype=i64), False, mode, False, None, last, -1)
            aten._embedding_bag_dense_backward(torch.empty_like(o[0]), t(6, dtype=i64), o[1], o[2], o[3], 10, False, mode, None)
    aten._embedding_bag(t(10, 8), t(6, dtype=i64), t(3, dtype=i64), False, 0, False, t(6))
    aten._embedding_bag_per_sample_weights_backward(t(3, 8), t(10, 8), t(6, dtype=i64), t(3, dtype=i64), t(6, dtype=i64), 0)
    x = t(4, 5, 6, 7)
    i, j = t(3, dtype=i64), t(2, 1, dtype=i64)
    for y in (x, x.permute(2, 0, 3, 1), x.to(memory_format=torch.channels_last), x[:, :1]):
        for idx in ([i], [None, i], [i, None, i], [None, i, j], [None, None, j, i], [i, j, i, j], [None, None, None, i], [j, None, None, i]):
            aten.index.Tensor(y, idx)
            aten._unsafe_index.Tensor(y, idx)
        aten.index_put(y, [i], t(3, *y.shape[1:]))
        aten.index_select(y, 1, t(9, dtype=i64))
        aten.index_add(y, 0, t(2, dtype=i64), t(2, *y.shape[1:]))
both(indices)
def jagged(t):
    aten._jagged_to_padded_dense_forward(t(10, 4), [t(4, dtype=i64)], [5], 0.0)
    aten._padded_dense_to_jagged_forward(t(3, 5, 4), [t(4, dtype=i64)], 10)
both(jagged)

# layouts of views and copies where strides leave a choice
def odd(t):
    for x in (t(4, 1, 6), t(4, 1, 6).transpose(0, 2), t(4, 6)[:, :1], t(3, 4)[:, ::2], t(2, 1, 1, 5).to(memory_format=torch.channels_last), t(5, 1).t(), t(2, 3, 1, 4)[:, :, :, 0], t(1, 8, 16).transpose(0, 1), t(16).expand(1, 10, 16), t(16, 1).expand(16, 5), t(2, 4, 1, 8).transpose(1, 2)):
        y = x + 1; y = x.exp(); y = x * x; y = x.relu(); y = x > 0; y = x.clone(); y = x.to(torch.bfloat16); y = torch.empty_like(x)
        y = torch.where(x > 0, x, 0.0); y = x.sum(-1, keepdim=True); y = x - x.mean(0, keepdim=True); y = x.neg(); y = torch.rsqrt(x); y = torch.pow(x, 2)
        y = torch.softmax(x, -1); y = torch.nn.functional.gelu(x); y = torch.nn.functional.silu(x); y = torch.cat([x, x], 0); y = x.masked_fill(x > 0, 0)
        y = torch.zeros_like(x); y = x.contiguous(); y = x.unsqueeze(1); y = x.sort(-1); y = x.cumsum(0); y = torch.nn.functional.dropout(x, 0.5)
        for shape in ((-1,), (1, -1), (x.numel(), 1), (x.numel(), 1, 1), (1, x.numel(), 1), (*x.shape, 1), (1, *x.shape)):
            try:
                x.view(shape)
            except Exception:
                pass
            x.reshape(shape)
        if x.dim() == 3:
            torch.bmm(x, x.transpose(1, 2)); torch.nn.functional.layer_norm(x, [x.shape[-1]]); torch.nn.functional.linear(x, t(3, x.shape[-1]))
both(odd)

# upsampling, pooling, padding in other memory formats
def images(t):
    import torch.nn.functional as F
    for n, c in ((2, 3), (1, 1), (2, 8)):
        for x in (t(n, c, 8, 10), t(n, c, 8, 10).to(memory_format=torch.channels_last)):
            x.requires_grad_(True)
            for f in (lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), lambda x: F.interpolate(x, size=(5, 7), mode="bilinear"), lambda x: F.interpolate(x, size=(5, 7), mode="bicubic"), lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", antialias=True), lambda x: F.interpolate(x, size=(5, 7), mode="nearest-exact"), lambda x: F.interpolate(x, size=(5, 7), mode="area"), lambda x: F.max_pool2d(x, 2), lambda x: F.avg_pool2d(x, 3, 2, 1), lambda x: F.adaptive_avg_pool2d(x, 3), lambda x: F.adaptive_avg_pool2d(x, 1), lambda x: F.adaptive_max_pool2d(x, 3), lambda x: F.pad(x, (1, 2, 1, 1), mode="reflect"), lambda x: F.pad(x, (1, 2, 1, 1), mode="replicate"), lambda x: F.pad(x, (1, 2, 1, 1)), lambda x: F.pad(x, (1, 2, 1, 1), mode="circular"), lambda x: F.unfold(x, 3), lambda x: F.pixel_unshuffle(x, 2), lambda x: F.grid_sample(x, t(x.shape[0], 4, 5, 2)), lambda x: F.conv2d(x, t(4, x.shape[1], 3, 3)), lambda x: F.conv2d(x, t(4, x.shape[1], 1, 1).to(memory_format=torch.channels_last)), lambda x: F.conv_transpose2d(x, t(x.shape[1], 4, 3, 3), stride=2), lambda x: F.conv2d(x, t(2 * x.shape[1], 1, 3, 3), groups=x.shape[1]), lambda x: F.instance_norm(x), lambda x: F.batch_norm(x, None, None, training=True), lambda x: F.group_norm(x, 1)):
                try:
                    o = f(x)
                    torch.autograd.grad(o, x, torch.empty_like(o))
                    torch.autograd.grad(f(x), x, torch.empty(o.shape, device=o.device))
                except Exception as e:
                    print(type(e).__name__, str(e)[:100], file=sys.stderr)
    for x in (t(2, 3, 4, 6, 8), t(2, 3, 4, 6, 8).to(memory_format=torch.channels_last_3d)):
        x.requires_grad_(True)
        for f in (lambda x: F.interpolate(x, scale_factor=2, mode="nearest"), lambda x: F.interpolate(x, size=(5, 7, 3), mode="trilinear"), lambda x: F.max_pool3d(x, 2), lambda x: F.avg_pool3d(x, 2), lambda x: F.adaptive_avg_pool3d(x, 2), lambda x: F.conv3d(x, t(4, 3, 3, 3, 3)), lambda x: F.pad(x, (1, 1, 1, 1, 1, 1), mode="replicate")):
            try:
                o = f(x)
                torch.autograd.grad(o, x, torch.empty_like(o))
            except Exception as e:
                print(type(e).__name__, str(e)[:100], file=sys.stderr)
    for x in (t(2, 3, 9), t(2, 9, 3).transpose(1, 2), t(2, 1, 9)):
        x.requires_grad_(True)
        for f in (lambda x: F.interpolate(x, size=4, mode="nearest"), lambda x: F.interpolate(x, size=4, mode="linear"), lambda x: F.conv1d(x, t(4, x.shape[1], 3)), lambda x: F.conv_transpose1d(x, t(x.shape[1], 4, 3)), lambda x: F.max_pool1d(x, 2), lambda x: F.avg_pool1d(x, 2), lambda x: F.pad(x, (1, 1), mode="reflect")):
            try:
                o = f(x)
                torch.autograd.grad(o, x, torch.empty_like(o))
            except Exception as e:
                print(type(e).__name__, str(e)[:100], file=sys.stderr)
both(images)

# optimizers
def foreach(t):
    xs, ys = [t(3, 4), t(5)], [t(3, 4), t(5)]
    for f in (aten._foreach_add.List, aten._foreach_sub.List, aten._foreach_mul.List, aten._foreach_div.List, aten._foreach_maximum.List):
        f(xs, ys)
    for f in (aten._foreach_add.Scalar, aten._foreach_mul.Scalar, aten._foreach_div.Scalar, aten._foreach_sub.Scalar, aten._foreach_pow.Scalar):
        f(xs, 2.0)
    for f in (aten._foreach_neg, aten._foreach_sqrt, aten._foreach_reciprocal, aten._foreach_exp, aten._foreach_abs):
        f(xs)
    aten._foreach_addcdiv.Scalar(xs, ys, ys, 1.0); aten._foreach_addcmul.Scalar(xs, ys, ys, 1.0); aten._foreach_lerp.Scalar(xs, ys, 0.5)
    aten._foreach_norm.Scalar(xs); aten._foreach_add.ScalarList(xs, [1.0, 2.0]); aten._foreach_mul.Tensor(xs, t(())); aten._foreach_pow.ScalarAndTensor(2.0, xs)
    aten._fused_adam(xs, ys, ys, ys, [], [t(()), t(())], lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
both(foreach)
def loops(t):
    for x in (t(2, 3, 8, 9), t(3, 8, 9)):
        aten.slow_conv_dilated2d(x, t(4, 3, 3, 3), [3, 3], t(4), [2, 1], [1, 1], [2, 1])
        aten._slow_conv2d_forward(x if x.dim() == 4 else x.unsqueeze(0), t(4, 3, 3, 3), [3, 3], t(4), [2, 1], [1, 1])
    for x in (t(2, 3, 6, 8, 9), t(3, 6, 8, 9)):
        aten.slow_conv_dilated3d(x, t(4, 3, 3, 3, 3), [3, 3, 3], t(4), [2, 1, 1], [1, 1, 1], [1, 2, 1])
        aten.slow_conv_transpose3d(x, t(3, 4, 3, 3, 3), [3, 3, 3], t(4), [2, 2, 2], [1, 1, 1], [1, 1, 1], [1, 1, 1])
    aten.slow_conv3d_forward(t(2, 3, 6, 8, 9), t(4, 3, 3, 3, 3), [3, 3, 3], t(4), [2, 1, 1], [1, 1, 1])
attempt("cpu", loops)
def masked(t):
    x = t(2, 3, 4, 4)
    o = aten._masked_softmax(x, t(2, 3, 4, 4, dtype=torch.bool), -1, 2)
    aten._masked_softmax_backward(torch.empty_like(o), o, t(2, 3, 4, 4, dtype=torch.bool), -1)
attempt("cpu", masked)
def odds(t):
    aten._add_relu.Scalar(t(3, 4), 2)
    aten._add_relu.Tensor(t(3, 4), t(3, 4))
    aten._standard_gamma(t(3, 4)); aten._standard_gamma_grad(t(3, 4), t(3, 4)); aten._sample_dirichlet(t(3, 4)); aten._dirichlet_grad(t(3, 4), t(3, 4), t(3, 4))
    aten.binomial(t(3, 4), t(3, 4)); aten.poisson(t(3, 4))
    aten._aminmax(t(3, 4)); aten._aminmax.dim(t(3, 4), 1, True)
    aten.histogram.bins_tensor(t(10), t(5)); aten.histogram.bin_ct(t(10), 4)
    aten.bucketize.Scalar(1.0, t(5)); aten.searchsorted.Scalar(t(5), 1.0)
    aten.glu_jvp(t(3, 2), t(3, 4), t(3, 4), 1)
    aten.geqrf(t(2, 5, 3)); aten.cholesky_solve(t(1, 4, 2), t(3, 4, 4)); aten._linalg_eigvals(t(2, 4, 4)); aten._cholesky_solve_helper(t(3, 4, 2), t(3, 4, 4), False)
    aten.fractional_max_pool3d_backward(t(1, 2, 2, 2, 2), t(1, 2, 6, 6, 6), [2, 2, 2], [2, 2, 2], t(1, 2, 2, 2, 2, dtype=i64))
    aten._pdist_forward(t(5, 3)); aten._cdist_forward(t(2, 5, 3), t(1, 4, 3), 2.0, None)
    aten.multinomial(t(2, 7), 3); aten.linear_backward
    aten._weight_norm_interface(t(4, 3), t(4, 1), 0)
    aten._weight_norm_interface_backward(t(4, 3), t(4, 3), t(4, 1), t(4, 1), 0)
    aten._functional_assert_async.msg(t((), dtype=torch.bool), "m", t(0))
for f in (odds,):
    both(f)
def cudas(t):
    aten._fused_dropout(t(3, 4), 0.5)
    aten._masked_scale(t(2, 3, 4, 5).to(memory_format=torch.channels_last), t(2, 3, 4, 5, dtype=u8), 2.0)
    aten.addmm.dtype(t(4, 6, dtype=f32), t(4, 8, dtype=bf16), t(8, 6, dtype=bf16), f32)
    aten.baddbmm.dtype(t(2, 4, 6, dtype=f32), t(2, 4, 8, dtype=bf16), t(2, 8, 6, dtype=bf16), f32)
attempt("cuda", cudas)
def v2(t):
    s = t((), dtype=f32)
    aten._scaled_mm_v2(t(32, 64, dtype=torch.float8_e4m3fn), t(48, 64, dtype=torch.float8_e4m3fn).t(), [s], [0], [], [s], [0], [], None, bf16)
attempt("cuda", v2)
# one call each: what would be left over otherwise
b8 = torch.bool
for one in (
    lambda t: aten.__lshift__.Scalar(t(3, 4, dtype=i64), 2), lambda t: aten.__lshift__.Tensor(t(3, 4, dtype=i64).t(), t(4, 3, dtype=i32)),
    lambda t: aten.__rshift__.Scalar(t(3, 4, dtype=i64), 2), lambda t: aten.__rshift__.Tensor(t(3, 4, dtype=i64), t(4, dtype=i64)),
    lambda t: aten.__ilshift__.Scalar(t(3, 4, dtype=i64), 2), lambda t: aten.__irshift__.Tensor(t(3, 4, dtype=i64), t(3, 4, dtype=i64)),
    lambda t: aten._flash_attention_forward.quantized(t(2, 8, 4, 16, dtype=bf16), t(2, 9, 4, 16, dtype=bf16), t(2, 9, 4, 16, dtype=bf16), None, None, 8, 9, 0.0, False, False, None, None, None),
    lambda t: aten._scaled_dot_product_flash_attention.quantized(t(2, 4, 8, 16, dtype=torch.float8_e4m3fn), t(2, 4, 8, 16, dtype=torch.float8_e4m3fn), t(2, 4, 8, 16, dtype=torch.float8_e4m3fn), None, None, None),
    lambda t: aten._fused_moving_avg_obs_fq_helper(t(2, 3), t(1, dtype=i64), t(1, dtype=i64), t(1), t(1), t(1), t(1, dtype=i32), 0.01, 0, 255, -1),
    lambda t: aten._logcumsumexp(t(3, 4).t(), 0), lambda t: aten.logcumsumexp(t(3, 4).t(), 0), lambda t: aten.cummax(t(3, 4).t(), 0),
    lambda t: aten._upsample_bicubic2d_aa(t(2, 3, 8, 8), [4, 5], False), lambda t: aten._upsample_bicubic2d_aa(t(2, 3, 8, 8).to(memory_format=torch.channels_last), [4, 5], False),
    lambda t: aten.bernoulli.p(t(3, 4).t(), 0.5), lambda t: aten.bernoulli(t(3, 4).t()), lambda t: aten.bernoulli_.Tensor(t(3, 4), t(3, 4)),
    lambda t: aten.copy(t(4, 6)[:, ::2], t(4, 3)), lambda t: aten.copy(t(4, 6).t(), t(6, 4)), lambda t: aten.copy(t(4, 6)[1:], t(6)), lambda t: aten.copy(t(4, 6, dtype=bf16), t(())),
    lambda t: aten.cudnn_batch_norm(t(2, 4, 5, 6).to(memory_format=torch.channels_last), t(4), t(4), t(4), t(4), False, 0.1, 1e-5),
    lambda t: aten.cudnn_batch_norm_backward(t(2, 4, 5, 6), t(2, 4, 5, 6), t(4), t(4), t(4), t(4), t(4), 1e-5, t(0, dtype=u8)),
    lambda t: aten.miopen_batch_norm_backward(t(2, 4, 5, 6), t(2, 4, 5, 6), t(4), t(4), t(4), t(4), t(4), 1e-5),
    lambda t: aten.hardswish_(t(3, 4)), lambda t: aten.hardtanh_(t(3, 4)), lambda t: aten.relu_(t(3, 4)),
    lambda t: aten.linear_backward(t(2, 5, 3), t(2, 5, 4), t(4, 3), [True, True, True]), lambda t: aten.linear_backward(t(2, 5, 3), t(2, 5, 4), t(4, 3), [True, False, False]),
    lambda t: aten.linspace.Scalar_Tensor(0.0, t(()), 5), lambda t: aten.linspace.Tensor_Scalar(t(()), 1.0, 5), lambda t: aten.linspace.Tensor_Tensor(t((), dtype=i64), t((), dtype=i64), 5, dtype=torch.float64),
    lambda t: aten.multi_margin_loss(t(5, 7), t(5, dtype=i64)), lambda t: aten.multi_margin_loss(t(5, 7), t(5, dtype=i64), 1, 1, None, 0), lambda t: aten.multi_margin_loss(t(7), t((), dtype=i64), 1, 1, None, 0),
    lambda t: aten.multi_margin_loss_backward(t(()), t(5, 7), t(5, dtype=i64), 1, 1, None, 1),
    lambda t: aten.multilabel_margin_loss_forward(t(5, 7), t(5, 7, dtype=i64), 1), lambda t: aten.multilabel_margin_loss_forward(t(5, 7), t(5, 7, dtype=i64), 0), lambda t: aten.multilabel_margin_loss_forward(t(7), t(7, dtype=i64), 0),
    lambda t: aten.multilabel_margin_loss_backward(t(()), t(5, 7), t(5, 7, dtype=i64), 1, t(5, 7)),
    lambda t: aten.remainder.Scalar_Tensor(3, t(3, 4).t()), lambda t: aten.remainder.Scalar_Tensor(3.5, t(3, dtype=i64)),
    lambda t: aten.rrelu_with_noise_functional(t(3, 4), t(3, 4), 0.1, 0.3, True),
    lambda t: aten.slow_conv3d_forward(t(2, 3, 6, 8, 9), t(4, 3, 3, 3, 3), [3, 3, 3], t(4), [2, 1, 1], [1, 1, 1]),
    lambda t: aten.slow_conv_dilated3d(t(3, 6, 8, 9), t(4, 3, 3, 3, 3), [3, 3, 3], t(4), [2, 1, 1], [1, 1, 1], [1, 2, 1]),
    lambda t: aten.slow_conv_transpose3d(t(2, 3, 6, 8, 9), t(3, 4, 3, 3, 3), [3, 3, 3], t(4), [2, 2, 2], [1, 1, 1], [1, 1, 1], [1, 1, 1]),
    lambda t: aten.slow_conv_transpose3d(t(3, 6, 8, 9), t(3, 4, 3, 3, 3), [3, 3, 3], None, [2, 2, 2], [1, 1, 1], [1, 1, 1], [1, 1, 1]),
    lambda t: aten._scaled_grouped_mm(t(32, 64, dtype=torch.float8_e4m3fn), t(4, 48, 64, dtype=torch.float8_e4m3fn).transpose(1, 2), t(32), t(4, 48), t(4, dtype=i32)),
    lambda t: aten._grouped_mm(t(32, 64, dtype=bf16), t(4, 64, 44, dtype=bf16), t(4, dtype=i32)),
    lambda t: aten.lift_fresh_copy(t(3, 4).t()), lambda t: aten.fill.Tensor(t(3, 4).t(), t(())), lambda t: aten.fill.Scalar(t(3, 4)[:, ::2], 1), lambda t: aten.zero(t(3, 4).t()), lambda t: aten.detach_copy(t(3, 4).t()),
    lambda t: aten._conj(t(3, 4, dtype=torch.complex64)), lambda t: aten.uniform(t(3, 4).t()), lambda t: aten.exponential(t(3, 4).t()), lambda t: aten.geometric(t(3, 4).t(), 0.5), lambda t: aten.normal_functional(t(3, 4).t()), lambda t: aten.cauchy(t(3, 4).t()), lambda t: aten.log_normal(t(3, 4).t()),
    lambda t: aten.div.Scalar_mode(t(3, 4).t(), 2, rounding_mode="floor"), lambda t: aten.div.Scalar_mode(t(3, 4, dtype=i64), 2, rounding_mode="trunc"), lambda t: aten.fmod.Scalar(t(3, 4).t(), 2), lambda t: aten.bitwise_and.Scalar(t(3, 4, dtype=i64).t(), 3), lambda t: aten.bitwise_or.Scalar(t(3, 4, dtype=b8), True), lambda t: aten.bitwise_xor.Scalar(t(3, 4, dtype=i64), 3),
    lambda t: aten.masked_fill.Tensor(t(3, 4).t(), t(4, 3, dtype=b8), t(())), lambda t: aten.masked_fill.Scalar(t(3, 4).t(), t(4, 3, dtype=b8), 0), lambda t: aten.masked_scatter(t(3, 4).t(), t(4, 3, dtype=b8), t(20)),
    lambda t: aten.convolution_backward(t(2, 4, 6, 6), t(2, 3, 8, 8), t(4, 3, 3, 3), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]),
    lambda t: aten.convolution_backward(t(2, 4, 6, 6).to(memory_format=torch.channels_last), t(2, 3, 8, 8), t(4, 3, 3, 3), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, False]),
    lambda t: aten.convolution_backward(t(2, 4, 6), t(2, 3, 8), t(4, 3, 3), [4], [1], [0], [1], False, [0], 1, [False, True, True]),
    lambda t: aten.select_backward(t(3, 5), [3, 4, 5], 1, 2), lambda t: aten.slice_backward(t(3, 2, 5), [3, 4, 5], 1, 0, 2, 1), lambda t: aten.diagonal_backward(t(3), [3, 3], 0, 0, 1),
    lambda t: aten.unfold_backward(t(2, 3, 4), [2, 8], 1, 4, 2), lambda t: aten.index_reduce(t(3, 4).t(), 0, t(2, dtype=i64), t(2, 3), "amax"), lambda t: aten.scatter_reduce.two(t(3, 4).t(), 0, t(2, 3, dtype=i64), t(2, 3), "sum"),
    lambda t: aten.randperm(7), lambda t: aten.tril_indices(4, 5, 1), lambda t: aten.triu_indices(4, 5, -1), lambda t: aten.tril_indices(3, 2, -5),
    lambda t: aten.var_mean.correction(t(3, 4, 5).transpose(0, 2), [1], correction=0, keepdim=True), lambda t: aten.std.correction(t(3, 4, dtype=torch.complex64), None), lambda t: aten.prod(t(3, dtype=i32)), lambda t: aten.prod.dim_int(t(3, 4).t(), 1, True),
):
    both(one)
write(sys.argv[1])
