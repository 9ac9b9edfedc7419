"""Steps of everyday work: images, language, sequences, losses, optimizers, matrices, spectra, selection, random numbers,
state that is written in place, small number formats."""

from common import *

# ---- images -------------------------------------------------------------------------------------------------------


@prog
def wl_conv_grouped_dilated_strided():
    m = nn.Sequential(
        nn.Conv2d(4, 8, 3, stride=2, padding=2, dilation=2, groups=2), nn.Conv2d(8, 8, (1, 3), padding="same"),
        nn.Conv2d(8, 4, 1, bias=False), nn.GELU("tanh"),
    )
    go(m, R(2, 4, 9, 8))


@prog
def wl_conv_transposed_decoder_changing_batch():
    m = nn.Sequential(
        nn.ConvTranspose2d(6, 4, 4, stride=2, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(True),
        nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=2), nn.Tanh(),
    )
    twice(m, (R(2, 6, 3, 3),), (R(3, 6, 3, 3),))


@prog
def wl_conv3d_video_stem():
    m = nn.Sequential(nn.Conv3d(2, 4, (1, 3, 3), padding=(0, 1, 1)), nn.BatchNorm3d(4), nn.MaxPool3d((1, 2, 2)))
    go(lambda x: F.adaptive_avg_pool3d(m(x), 1).flatten(1), R(1, 2, 3, 6, 6))


@prog
def wl_norms_training_then_inference():
    m = nn.Sequential(
        nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6, momentum=0.3), nn.GroupNorm(3, 6), nn.InstanceNorm2d(6, affine=True),
    )
    go(m, R(2, 3, 6, 6))
    m.eval()
    go(m, R(2, 3, 6, 6))
    with torch.no_grad():
        C(m)(R(2, 3, 6, 6))


@prog
def wl_upsampling_modes():
    def f(x):
        return (
            F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
            F.interpolate(x, size=(7, 9), mode="bicubic"), F.interpolate(x, scale_factor=1.5, mode="nearest-exact"),
            F.interpolate(x, size=(3, 2), mode="area"), F.interpolate(x, size=(3, 3), mode="bilinear", antialias=True),
        )

    go(f, R(1, 2, 5, 6))


@prog
def wl_upsampling_of_lines_and_volumes():
    def f(x, v):
        return (
            F.interpolate(x, scale_factor=2.0, mode="linear"), F.interpolate(x, size=7),
            F.interpolate(v, scale_factor=2, mode="trilinear"), F.interpolate(v, size=(3, 3, 3), mode="nearest"),
        )

    go(f, R(2, 3, 5), R(1, 2, 2, 3, 4))


@prog
def wl_pools_adaptive_and_overlapping():
    def f(x):
        return (
            F.adaptive_avg_pool2d(x, (3, 4)), F.adaptive_max_pool2d(x, (2, 3)),
            F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
            F.max_pool2d(x, 3, stride=1, padding=1, dilation=2), F.lp_pool2d(x, 2, 3, stride=2),
        )

    go(f, R(2, 2, 7, 9))


@prog
def wl_segmentation_head():
    a, b = nn.Conv2d(3, 6, 3, stride=2, padding=1), nn.Conv2d(6, 4, 1)

    def f(x, y):
        z = F.interpolate(b(F.relu6(a(x))), size=x.shape[-2:], mode="bilinear", align_corners=False)
        return F.cross_entropy(z, y, ignore_index=3, weight=torch.tensor([1.0, 2.0, 0.5, 1.0]))

    go(f, R(2, 3, 8, 8), torch.randint(0, 4, (2, 8, 8)))


@prog
def wl_squeeze_excitation_channels_last():
    a, d, u = nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)

    def f(x):
        y = F.silu(a(x))
        return y * torch.sigmoid(u(F.relu(d(y.mean((2, 3), keepdim=True)))))

    go(f, R(2, 4, 6, 6).to(memory_format=torch.channels_last))


@prog
def wl_patches_and_shuffles():
    def f(x):
        p = x.unfold(2, 2, 2).unfold(3, 2, 2).permute(0, 2, 3, 1, 4, 5).flatten(3)
        return p, F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2), F.pixel_shuffle(x.repeat(1, 2, 1, 1), 2)

    go(f, R(1, 4, 4, 6))


@prog
def wl_image_augmentation():
    def f(x):
        x = torch.where(torch.rand(x.size(0), 1, 1, 1) < 0.5, x.flip(-1), x)
        mean, std = torch.tensor([0.5, 0.4, 0.3]).view(3, 1, 1), torch.tensor([0.2, 0.2, 0.3]).view(3, 1, 1)
        return F.pad(((x - mean) / std).clamp(-2, 2), (1, 1, 2, 2), mode="replicate")[..., 1:-1, :].contiguous()

    with torch.no_grad():
        twice(f, (torch.rand(2, 3, 5, 5),), (torch.rand(4, 3, 5, 5),))


@prog
def wl_vision_transformer_changing_batch():
    patch, layer = nn.Conv2d(3, 8, 4, 4), nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True)
    token, place, head = nn.Parameter(R(1, 1, 8, g=False)), nn.Parameter(R(1, 5, 8, g=False)), nn.Linear(8, 3)

    def f(x):
        y = torch.cat([token.expand(x.size(0), -1, -1), patch(x).flatten(2).transpose(1, 2)], 1) + place
        return head(layer(y)[:, 0])

    twice(f, (R(2, 3, 8, 8),), (R(3, 3, 8, 8),))


# ---- language -----------------------------------------------------------------------------------------------------


def heads(x, n):
    return x.unflatten(-1, (n, -1)).transpose(1, 2)


@prog
def wl_attention_with_boolean_mask():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(heads(q, 2), heads(k, 2), heads(v, 2), attn_mask=m)

    go(f, R(2, 4, 8), R(2, 5, 8), R(2, 5, 8), torch.ones(4, 5).tril().bool())


@prog
def wl_attention_with_float_mask_and_dropout():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m, dropout_p=0.2, scale=0.3)

    go(f, R(2, 2, 4, 8), R(2, 2, 5, 8), R(2, 2, 5, 8), R(1, 2, 4, 5))


@prog
def wl_attention_grouped_queries_causal():
    def f(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2).flatten(2)

    twice(f, (R(1, 4, 4, 8), R(1, 2, 4, 8), R(1, 2, 4, 8)), (R(1, 4, 6, 8), R(1, 2, 6, 8), R(1, 2, 6, 8)))


@prog
def wl_multihead_attention_padding_mask():
    m = nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)
    go(lambda x, p: m(x, x, x, key_padding_mask=p, need_weights=True), R(2, 4, 8), torch.rand(2, 4) > 0.8)


@prog
def wl_rotary_llama_block_bf16():
    q, k, v, o = (nn.Linear(16, 16, bias=False).bfloat16() for _ in range(4))
    w = nn.Parameter(torch.ones(16, dtype=torch.bfloat16))

    def norm(x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)).type_as(x) * w

    def turn(x, c, s):
        a, b = x.chunk(2, -1)
        return x * c + torch.cat((-b, a), -1) * s

    def f(x):
        t = torch.outer(torch.arange(x.size(1)).float(), 1.0 / 10000 ** (torch.arange(0, 8, 2).float() / 8))
        e = torch.cat((t, t), -1)
        c, s = e.cos().to(x.dtype), e.sin().to(x.dtype)
        y = norm(x)
        y = F.scaled_dot_product_attention(turn(heads(q(y), 2), c, s), turn(heads(k(y), 2), c, s), heads(v(y), 2), is_causal=True)
        return x + o(y.transpose(1, 2).flatten(2))

    twice(f, (R(1, 4, 16, dtype=torch.bfloat16),), (R(1, 6, 16, dtype=torch.bfloat16),))


@prog
def wl_language_model_loss_smoothed():
    e, n, o = nn.Embedding(12, 8), nn.LayerNorm(8), nn.Linear(8, 12, bias=False)

    def f(i, y):
        return F.cross_entropy(o(n(e(i))).view(-1, 12), y.view(-1), ignore_index=-100, label_smoothing=0.1)

    twice(f, (torch.randint(0, 12, (2, 4)),) * 2, (torch.randint(0, 12, (2, 6)),) * 2)


@prog
def wl_rms_and_layer_norm_without_weights():
    def f(x):
        return F.rms_norm(x, (8,)) + F.layer_norm(x, (8,)) + F.layer_norm(x.half(), (4, 8), eps=1e-3).float()

    go(f, R(2, 4, 8))


@prog
def wl_embedding_bags():
    a, b = nn.EmbeddingBag(10, 4, mode="sum"), nn.EmbeddingBag(10, 4, mode="max", padding_idx=0)

    def f(i, o, w):
        return a(i, o, per_sample_weights=w), b(i, o), F.embedding(i, a.weight, max_norm=None, scale_grad_by_freq=True)

    go(f, torch.randint(0, 10, (7,)), torch.tensor([0, 3, 5]), R(7))


@prog
def wl_embedding_scaled_and_tied():
    e = nn.Embedding(10, 6, padding_idx=1)
    go(lambda i: F.linear(F.dropout(e(i) * 6**0.5, 0.1), e.weight).log_softmax(-1), torch.randint(0, 10, (2, 4)))


@prog
def wl_decoding_with_cache():
    w = nn.Linear(8, 24)

    def f(x, k, v, place):
        q, nk, nv = heads(w(x), 2).chunk(3, -1)
        k.index_copy_(2, place, nk)
        v.index_copy_(2, place, nv)
        m = torch.arange(k.size(2)) <= place
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m[None, None, None])

    with torch.no_grad():
        C(f)(R(1, 1, 8), torch.zeros(1, 2, 6, 4), torch.zeros(1, 2, 6, 4), torch.tensor([2]))


@prog
def wl_sampling_of_tokens():
    def f(x):
        v, i = torch.topk(x / 0.8, 4)
        p = torch.softmax(torch.where(x < v[:, -1:], -float("inf"), x), -1)
        s, j = torch.sort(p, descending=True)
        s = s.masked_fill(s.cumsum(-1) - s > 0.9, 0.0)
        return torch.argmax(s / torch.empty_like(s).exponential_(1), -1, keepdim=True), i.gather(1, j[:, :2] % 4)

    with torch.no_grad():
        twice(f, (torch.randn(2, 9),), (torch.randn(3, 9),))


@prog
def wl_transformer_decoder_layer_masks():
    m = nn.TransformerDecoderLayer(8, 2, 16, 0.1, batch_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    go(lambda x, y: m(x, y, tgt_mask=mask, tgt_is_causal=True), R(2, 4, 8), R(2, 3, 8))


@prog
def wl_alibi_and_talking_heads():
    w = nn.Parameter(R(2, 2, g=False))

    def f(q, k):
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5
        i = torch.arange(q.size(2))
        s = s - (i[None, :] - i[:, None]).abs() * torch.tensor([0.5, 0.25]).view(2, 1, 1)
        return torch.einsum("bhij,hg->bgij", s.softmax(-1), w) @ k

    twice(f, (R(1, 2, 4, 3), R(1, 2, 4, 3)), (R(1, 2, 5, 3), R(1, 2, 5, 3)))


# ---- sequences ----------------------------------------------------------------------------------------------------


@prog
def wl_recurrent_cells():
    a, b, c = nn.RNNCell(3, 4), nn.GRUCell(4, 4), nn.LSTMCell(4, 4)

    def f(x, h):
        u = v = w = m = h
        for t in range(x.size(1)):
            u = a(x[:, t], u)
            v = b(u, v)
            w, m = c(v, (w, m))
        return w, m

    go(f, R(2, 2, 3), R(2, 4))


@prog
def wl_recurrent_layers_both_ways():
    a, b = nn.LSTM(3, 4, bidirectional=True, batch_first=True), nn.GRU(8, 3, 2, dropout=0.2)
    go(lambda x: b(a(x)[0])[0], R(2, 3, 3))


@prog
def wl_temporal_convolutions_changing_length():
    a, b = nn.Conv1d(3, 4, 3, padding=2, dilation=2), nn.ConvTranspose1d(4, 2, 2, stride=2)

    def f(x):
        y = F.avg_pool1d(F.glu(torch.cat([a(x), a(x)], 1), 1), 2)
        return b(y) + F.interpolate(y.mean(1, keepdim=True), scale_factor=2)

    twice(f, (R(2, 3, 8),), (R(2, 3, 12),))


@prog
def wl_selective_scan():
    def f(x, d, a, b, c):
        h, out = torch.zeros(x.size(0), 3, 2), []
        for t in range(x.size(1)):
            h = torch.exp(F.softplus(d[:, t])[..., None] * a) * h + (d[:, t] * x[:, t])[..., None] * b[:, t, None]
            out.append((h * c[:, t, None]).sum(-1))
        return torch.stack(out, 1)

    go(f, R(1, 3, 3), R(1, 3, 3), R(3, 2), R(1, 3, 2), R(1, 3, 2))


@prog
def wl_packed_lengths_mask():
    m = nn.GRU(3, 4, batch_first=True)

    def f(x, n):
        y = m(x)[0]
        k = (torch.arange(x.size(1))[None] < n[:, None]).unsqueeze(-1)
        last = y.gather(1, (n - 1).view(-1, 1, 1).expand(-1, 1, y.size(2))).squeeze(1)
        return (y * k).sum(1) / n[:, None], last, torch.where(k, y, float("-inf")).amax(1)

    go(f, R(2, 4, 3), torch.tensor([2, 4]))


# ---- losses -------------------------------------------------------------------------------------------------------


@prog
def wl_losses_of_modules():
    ls = [nn.SmoothL1Loss(beta=0.3), nn.HuberLoss(), nn.L1Loss(reduction="sum"), nn.MSELoss(reduction="none"), nn.SoftMarginLoss()]
    go(lambda x, y: [l(x, y) for l in ls], R(3, 4), torch.randn(3, 4).sign())


@prog
def wl_losses_of_labels():
    w = torch.tensor([1.0, 0.5, 2.0])

    def f(x, y):
        return (
            F.cross_entropy(x, y, weight=w, label_smoothing=0.2), F.cross_entropy(x, y, ignore_index=0, reduction="sum"),
            F.nll_loss(F.log_softmax(x, 1), y, w, reduction="none"), F.multi_margin_loss(x, y, p=2),
            F.cross_entropy(x, F.one_hot(y, 3).float()), F.multilabel_soft_margin_loss(x, F.one_hot(y, 3).float()),
        )

    go(f, R(4, 3), torch.randint(0, 3, (4,)))


@prog
def wl_losses_of_probability_logs():
    def f(x, y):
        return (
            F.kl_div(x.log_softmax(1), y.log_softmax(1), log_target=True, reduction="batchmean"),
            F.binary_cross_entropy_with_logits(x, y.sigmoid(), reduction="sum"), F.poisson_nll_loss(x, y.abs(), full=True),
            F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=y.abs()),
            F.gaussian_nll_loss(x, y, (y * 0 + 1), full=True),
        )

    go(f, R(3, 4), torch.randn(3, 4))


@prog
def wl_losses_of_metrics():
    def f(a, p, n, t):
        return (
            F.triplet_margin_with_distance_loss(a, p, n, swap=True), F.cosine_similarity(a, p), F.pairwise_distance(a, n),
            F.margin_ranking_loss(a[:, 0], p[:, 0], t, margin=0.2), F.hinge_embedding_loss(a[:, 1], t),
            F.cosine_embedding_loss(a, p, t, margin=0.1), torch.cdist(a, p, p=1),
        )

    go(f, R(4, 3), R(4, 3), R(4, 3), torch.tensor([1, -1, -1, 1]))


@prog
def wl_connectionist_temporal_loss():
    go(lambda x, y: F.ctc_loss(x.log_softmax(2), y, (5, 4), (2, 3)), R(5, 2, 4), torch.randint(1, 4, (2, 3)))


@prog
def wl_distillation_changing_batch():
    s, t = nn.Linear(4, 3), nn.Linear(4, 3)

    def f(x):
        with torch.no_grad():
            y = (t(x) / 2).softmax(-1)
        return F.kl_div((s(x) / 2).log_softmax(-1), y, reduction="sum") * 4 / x.size(0)

    twice(f, (R(3, 4),), (R(5, 4),))


# ---- optimizers ---------------------------------------------------------------------------------------------------

OPTIMIZERS = {
    "adamw_foreach": (torch.optim.AdamW, {"foreach": True, "weight_decay": 0.1}),
    "adam_amsgrad_each": (torch.optim.Adam, {"foreach": False, "amsgrad": True}),
    "sgd_nesterov_foreach": (torch.optim.SGD, {"foreach": True, "momentum": 0.9, "nesterov": True, "lr": 0.1}),
    "rmsprop_centered": (torch.optim.RMSprop, {"centered": True, "momentum": 0.5, "foreach": True}),
    "adagrad": (torch.optim.Adagrad, {"lr_decay": 0.1, "foreach": True}),
    "adadelta_maximize": (torch.optim.Adadelta, {"maximize": True, "foreach": True}),
    "nadam": (torch.optim.NAdam, {"foreach": True, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    "radam": (torch.optim.RAdam, {"foreach": True}),
    "adamax": (torch.optim.Adamax, {"foreach": True}),
    "asgd": (torch.optim.ASGD, {"foreach": True}),
    "rprop": (torch.optim.Rprop, {"foreach": True}),
}


def optimizer(kind, options):
    m = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    optimizer_steps(m, kind(m.parameters(), **options), R(2, 4))


for name, (kind, options) in OPTIMIZERS.items():
    step = lambda kind=kind, options=options: optimizer(kind, options)
    step.__name__ = "wl_step_of_" + name
    prog(step)


@prog
def wl_gradients_clipped_and_averaged():
    def f(gs, ema):
        total = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gs)))
        torch._foreach_mul_(gs, torch.clamp(1.0 / (total + 1e-6), max=1.0))
        torch._foreach_lerp_(ema, gs, 0.1)
        return total

    with torch.no_grad():
        C(f)([torch.randn(3, 4), torch.randn(5)], [torch.zeros(3, 4), torch.zeros(5)])


@prog
def wl_loss_scale_checked():
    def f(gs, scale, found):
        torch._amp_foreach_non_finite_check_and_unscale_(gs, found, 1 / scale)
        return torch.stack([g.isfinite().all() for g in gs]).all()

    with torch.no_grad():
        C(f)([torch.randn(3), torch.randn(2, 2)], torch.tensor(8.0), torch.zeros(1))


# ---- matrices and spectra -----------------------------------------------------------------------------------------


@prog
def wl_linear_algebra_solvers():
    def f(a, b):
        s = a @ a.mT + torch.eye(3)
        c = torch.linalg.cholesky(s)
        return torch.linalg.solve(s, b), torch.cholesky_solve(b, c), torch.linalg.solve_triangular(c, b, upper=False), torch.logdet(s)

    go(f, R(2, 3, 3), R(2, 3, 2))


@prog
def wl_linear_algebra_spectra():
    def f(a):
        s = a + a.mT
        u, d, v = torch.linalg.svd(a, full_matrices=False)
        q, r = torch.linalg.qr(a)
        return torch.linalg.eigh(s)[0], d, q @ r, torch.linalg.slogdet(a)[1], torch.linalg.matrix_norm(a), torch.linalg.inv(a)

    go(f, R(3, 3))


@prog
def wl_products_of_all_ranks():
    def f(a, b, v):
        return (
            a @ v, v @ b, torch.bmm(a[None], b[None]), torch.addmm(v, a, b, beta=0.5, alpha=2), torch.addmv(v, a, v),
            torch.chain_matmul(a, b, a), torch.kron(a, b[:2]), torch.tensordot(a, b, 1), torch.addr(a, v, v), torch.dot(v, v),
        )

    go(f, R(3, 3), R(3, 3), R(3))


@prog
def wl_einsum_of_changing_sizes():
    f = lambda a, b: (torch.einsum("bij,bjk->bik", a, b), torch.einsum("bij,bij->b", a, a), torch.einsum("bii->bi", a @ b))
    twice(f, (R(2, 3, 4), R(2, 4, 3)), (R(3, 3, 5), R(3, 5, 3)))


@prog
def wl_fourier_filters():
    def f(x, w):
        y = torch.fft.irfft2(torch.fft.rfft2(x, norm="ortho") * w, s=x.shape[-2:], norm="ortho")
        return y, torch.fft.fftshift(torch.fft.fft(x)).abs(), torch.fft.ifft(torch.complex(x, x)).imag, torch.fft.fftfreq(6) * x

    go(f, R(2, 4, 6), R(4, 4, dtype=torch.complex64))


@prog
def wl_spectrogram_loss():
    def f(x):
        s = torch.stft(x, 8, 4, window=torch.hann_window(8), return_complex=True)
        return s.abs().clamp(min=1e-5).log(), torch.istft(s, 8, 4, window=torch.hann_window(8))

    go(f, R(2, 24))


@prog
def wl_complex_layer_and_loss():
    w = nn.Parameter(R(3, 3, dtype=torch.complex64, g=False))

    def f(z):
        y = z @ w.mH + z.conj() * 2 - 1j
        return (y * y.conj()).real.mean(), torch.view_as_real(y.sin()), torch.polar(y.abs(), y.angle()), y.sum()

    go(f, R(2, 3, dtype=torch.complex64))


# ---- selection and writing ----------------------------------------------------------------------------------------


@prog
def wl_sorting_and_ranking():
    def f(x):
        s, i = x.sort(dim=1, descending=True, stable=True)
        return s.diff(dim=1), i.argsort(1), x.topk(2, 0, largest=False), x.kthvalue(2, 1), x.median(1), x.mode(1)[0], x.msort(), x.quantile(0.3, 1)

    go(f, R(3, 5))


@prog
def wl_scattering_of_all_kinds():
    def f(x, i, s):
        z = torch.zeros(4, 5)
        return (
            z.scatter_add(0, i, s), z.scatter(1, i, 2.0), x.scatter_reduce(0, i, s, "mean", include_self=False),
            x.scatter_reduce(0, i, s, "prod"), x.index_add(0, i[:, 0], s, alpha=2), x.index_copy(0, i[:, 0], s), x.take_along_dim(i, 0),
        )

    go(f, R(4, 5), torch.tensor([[0, 1, 2, 3, 0], [3, 2, 1, 0, 1], [1, 0, 3, 2, 2]]), R(3, 5))


@prog
def wl_writing_by_index_and_mask():
    def f(x, i, m):
        y = x * 2
        y[i] += 1.0
        y[i, 1] = y[i, 2]
        y[m] = 0.5
        y[:, -1] *= 3
        y.index_put_((i, i), torch.ones(2), accumulate=True)
        return y.masked_scatter(m, x), y.sum()

    go(f, R(4, 4), torch.tensor([1, 3]), torch.eye(4).bool())


@prog
def wl_reading_of_changing_rows():
    def f(x, i):
        return x[i], x[:, None][..., ::2], x[i][:, [0, 2]], x.index_select(0, i), x.take(i), x.roll(1, 0), x[-2:], x.flip(0)[1:]

    twice(f, (R(4, 3), torch.tensor([0, 2])), (R(6, 3), torch.tensor([1, 5, 2])))


@prog
def wl_histograms_and_bins():
    def f(x, b):
        i = torch.bucketize(x, b)
        return torch.zeros(5).index_add(0, i.flatten(), torch.ones(12)), torch.searchsorted(b, x, right=True), torch.bucketize(0.3, b), torch.histc(x, 4)

    with torch.no_grad():
        C(f)(torch.randn(3, 4), torch.tensor([-1.0, 0.0, 1.0, 2.0]))


@prog
def wl_sizes_told_by_data():
    def f(x, m):
        y = x[m]
        i = (x[:, 0] > 0).nonzero().squeeze(1)
        return y.sum(0) / (y.size(0) + 1), x.index_select(0, i).relu(), torch.unique(m)

    go(f, R(5, 3), torch.tensor([True, False, True, True, False]))


@prog
def wl_joining_and_cutting():
    def f(x):
        a, b, c = x.split([1, 2, 2], 1)
        return torch.stack([a, c[:, :1]]), torch.hstack([b, c]), torch.block_diag(a, b), x.chunk(2, 1)[0], x.tile(2, 1), torch.cartesian_prod(x[:, 0], x[:, 1])

    go(f, R(3, 5))


@prog
def wl_repeating_and_triangles():
    def f(x):
        return x.repeat_interleave(2, 1), x.tril(-1) + x.triu(1), torch.diag_embed(x), x.diagonal(1), torch.vander(x[0].detach()), x.logcumsumexp(0), x.cummax(1)[0]

    go(f, R(3, 3))


# ---- state written in place ---------------------------------------------------------------------------------------


@prog
def wl_buffers_of_running_statistics():
    class Norm(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("mean", torch.zeros(4))
            s.register_buffer("count", torch.zeros((), dtype=torch.long))

        def forward(s, x):
            s.count += 1
            s.mean.lerp_(x.detach().mean(0), 1.0 / s.count)
            return (x - s.mean) * 2

    twice(Norm(), (R(3, 4),), (R(5, 4),))


@prog
def wl_inputs_written_through_views():
    def f(x, y):
        x[:, 0].mul_(2)
        x.t()[1].add_(y[0, 0])
        y.copy_(x[:2])
        return x.view(-1)[::2], y.sum()

    with torch.no_grad():
        C(f)(torch.randn(3, 4), torch.randn(2, 4))


@prog
def wl_replay_buffer_in_ring():
    def f(buffer, place, x):
        i = (place + torch.arange(x.size(0))) % buffer.size(0)
        buffer[i] = x
        place.add_(x.size(0)).remainder_(buffer.size(0))
        return buffer.mean(0)

    with torch.no_grad():
        twice(f, (torch.zeros(6, 3), torch.tensor(4), torch.randn(2, 3)), (torch.zeros(6, 3), torch.tensor(4), torch.randn(3, 3)))


@prog
def wl_codebook_moving_average():
    def f(x, book, size):
        i = torch.cdist(x, book).argmin(1)
        h = F.one_hot(i, 5).type_as(x)
        size.mul_(0.9).add_(h.sum(0), alpha=0.1)
        book.mul_(0.9).add_(h.t() @ x.detach(), alpha=0.1)
        q = x + (F.embedding(i, book) - x).detach()
        return q, F.mse_loss(q.detach(), x)

    twice(f, (R(4, 3), torch.randn(5, 3), torch.ones(5)), (R(6, 3), torch.randn(5, 3), torch.ones(5)))


# ---- number formats, checkpoints, random numbers ------------------------------------------------------------------


@prog
def wl_autocast_conv_and_attention():
    c, w = nn.Conv2d(3, 8, 3, padding=1), nn.Linear(8, 24)

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            y = F.group_norm(c(x), 2).flatten(2).transpose(1, 2)
            q, k, v = heads(w(y), 2).chunk(3, -1)
            return F.scaled_dot_product_attention(q, k, v).float().mean()

    go(f, R(2, 3, 4, 4))


@prog
def wl_autocast_changing_batch_loss():
    m = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.SiLU(), nn.Linear(8, 3))

    def f(x, y):
        with torch.autocast("cpu", torch.bfloat16):
            z = m(x)
        return F.mse_loss(z.float(), y)

    twice(f, (R(3, 6), torch.randn(3, 3)), (R(5, 6), torch.randn(5, 3)))


@prog
def wl_quantized_by_hand():
    def f(x, w, s):
        q = torch.clamp(torch.round(x / s), -128, 127).to(torch.int8)
        y = torch.matmul(q.float() * s, w)
        return x + (y - x).detach(), torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127), (q.to(torch.int32) << 2) & 7

    go(f, R(3, 3), R(3, 3), torch.tensor(0.1))


@prog
def wl_half_precision_reductions():
    def f(x):
        return x.softmax(-1), x.sum(0), x.float().logsumexp(1), x.var(1), x.cumsum(1), F.gelu(x), x.pow(3), x.mean(), x.norm()

    go(f, R(3, 4, dtype=torch.float16))


@prog
def wl_checkpointed_attention_with_dropout():
    a, b = nn.Linear(8, 24), nn.Linear(8, 8)

    def block(x):
        q, k, v = heads(a(x), 2).chunk(3, -1)
        return b(F.dropout(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2), 0.2))

    go(lambda x: x + checkpoint(block, x + 1, use_reentrant=False), R(2, 4, 8))


@prog
def wl_checkpointed_convolutions_changing_batch():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.ReLU())
    twice(lambda x: checkpoint(m, x.sin(), use_reentrant=False).mean((2, 3)), (R(2, 3, 5, 5),), (R(3, 3, 5, 5),))


@prog
def wl_random_numbers_of_all_kinds():
    def f(x):
        return (
            torch.rand(3, 4), torch.randn(2, dtype=torch.float64), torch.randint(2, 9, (3,)), torch.randperm(5), torch.rand_like(x),
            torch.randn_like(x) * x, torch.bernoulli(x.sigmoid()), torch.normal(0.0, 1.0, (2, 2)), x.new_empty(3).uniform_(-1, 1),
            torch.empty(2).normal_(), torch.full_like(x, 0.5).bernoulli(), torch.empty(4).geometric_(0.5), torch.poisson(x.abs()),
        )

    go(f, R(3, 4))


@prog
def wl_dropout_of_channels_changing_batch():
    twice(lambda x: F.dropout2d(F.dropout(x, 0.1), 0.2) + F.alpha_dropout(x, 0.1, True), (R(2, 3, 4, 4),), (R(3, 3, 4, 4),))


@prog
def wl_stochastic_depth_and_mixup():
    m = nn.Linear(4, 4)

    def f(x, y):
        lam = torch.rand(x.size(0), 1)
        keep = torch.empty(x.size(0), 1).bernoulli_(0.8) / 0.8
        z = lam * x + (1 - lam) * x[torch.randperm(x.size(0))]
        return F.mse_loss(z + keep * m(z), y)

    go(f, R(4, 4), torch.randn(4, 4))


# ---- elements -----------------------------------------------------------------------------------------------------


@prog
def wl_activations_of_modules():
    ms = [nn.CELU(0.5), nn.SELU(), nn.ELU(0.7), nn.Mish(), nn.Softplus(2, 10), nn.LogSigmoid(), nn.Hardswish(), nn.Softsign(), nn.Tanhshrink(),
          nn.Threshold(0.1, 1.0), nn.PReLU(4), nn.RReLU(), nn.Hardshrink(), nn.Softmin(1), nn.GLU()]  # fmt: skip
    go(lambda x: [m(x) for m in ms], R(3, 4))


@prog
def wl_arithmetic_of_mixed_kinds():
    def f(x, i, b):
        return (
            x + i, i / 2, i // 2, i % 3, x ** i, b & (i > 0), torch.where(b, x, i), x.float_power(2), i.true_divide(3), torch.remainder(x, 0.7),
            x.fmod(0.3), torch.ldexp(x, i), torch.copysign(x, -1.0), x.lerp(x * 2, x), torch.addcdiv(x, x, x.exp(), value=0.1), x.hypot(x + 1),
        )  # fmt: skip

    go(f, R(3, 4), torch.randint(0, 5, (3, 4)), torch.rand(3, 4) > 0.5)


@prog
def wl_statistics_of_changing_rows():
    def f(x):
        return torch.var_mean(x, 0), x.std((0, 1)), x.amax(0), x.argmin(1), x.norm(p=1, dim=0), x.prod(0), x.nansum(0), torch.cov(x.t()), x.all(0), x.logsumexp((0, 1))

    twice(f, (R(4, 3),), (R(6, 3),))


@prog
def wl_special_functions_of_physics():
    def f(x):
        y = x.abs() + 0.5
        return (
            torch.lgamma(y), torch.digamma(y), torch.erf(x), torch.special.i0(x), torch.special.expit(x), torch.special.ndtri(x.sigmoid()),
            torch.special.zeta(y.detach() + 2, 1.5), torch.special.log_ndtr(x), torch.atan2(x, y), torch.special.polygamma(1, y), torch.erfc(x), torch.acosh(y + 1),
        )

    go(f, R(3, 4))
