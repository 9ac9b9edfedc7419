"""Programs for what Inductor decomposes or leaves whole, of fixed and changing sizes."""

from common import *

# ---- images -------------------------------------------------------------------------------------------------------------


@prog
def in_vgg_block_training():
    m = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.2))
    go(m, R(2, 3, 8, 8))


@prog
def in_residual_block_bf16():
    m = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.GroupNorm(2, 4), nn.SiLU()).bfloat16()
    go(lambda x: m(x) + x, torch.randn(2, 4, 6, 6, dtype=torch.bfloat16, requires_grad=True))


@prog
def in_depthwise_separable_eval():
    m = nn.Sequential(nn.Conv2d(4, 4, 3, groups=4), nn.BatchNorm2d(4), nn.Hardswish(), nn.Conv2d(4, 8, 1)).eval()
    with torch.no_grad():
        go(m, torch.randn(1, 4, 9, 9))


@prog
def in_spatial_transformer():
    loc = nn.Linear(2 * 5 * 5, 6)

    def f(x):
        grid = F.affine_grid(loc(x.flatten(1)).view(-1, 2, 3), list(x.shape), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    go(f, R(2, 2, 5, 5))


@prog
def in_grid_sample_modes():
    def f(x, g):
        return (
            F.grid_sample(x, g, mode="nearest", padding_mode="border", align_corners=True),
            F.grid_sample(x, g, mode="bicubic", padding_mode="reflection", align_corners=False),
            F.grid_sample(x, g, padding_mode="reflection", align_corners=True),
        )

    with torch.no_grad():
        go(f, torch.randn(1, 2, 5, 6), torch.rand(1, 3, 3, 2) * 2 - 1)


@prog
def in_upsampling_of_changing_batch():
    f = lambda x: F.interpolate(x, scale_factor=2, mode="nearest") + F.interpolate(x, size=(8, 8), mode="bicubic")
    twice(f, (R(2, 3, 4, 4),), (R(3, 3, 4, 4),))


@prog
def in_unet_skip():
    down, up = nn.Conv2d(2, 4, 3, stride=2, padding=1), nn.ConvTranspose2d(4, 2, 2, stride=2)
    go(lambda x: torch.cat([up(F.elu(down(x))), x], 1).sigmoid(), R(1, 2, 8, 8))


@prog
def in_pools_of_all_kinds():
    def f(x):
        a = F.adaptive_avg_pool2d(x, (2, 3))
        b, i = F.max_pool2d(x, 3, stride=2, return_indices=True)
        return (
            a,
            F.max_unpool2d(b, i, 3, stride=2, output_size=(7, 7)),
            F.adaptive_max_pool2d(x, 1),
            F.avg_pool2d(x, 2, ceil_mode=True),
        )

    go(f, R(1, 2, 7, 7))


@prog
def in_max_pool_large_window():
    go(lambda x: F.max_pool2d(x, 6, stride=1) + F.max_pool2d(x, (5, 6), padding=(2, 0), stride=1).mean(), R(1, 2, 8, 8))


@prog
def in_pixel_shuffle_and_unfold():
    go(
        lambda x: F.pixel_shuffle(x, 2).sum(1) + F.fold(F.unfold(x, 2, stride=2), (4, 4), 2, stride=2)[:, 0].repeat(1, 2, 2),
        R(2, 4, 4, 4),
    )


@prog
def in_reflection_and_replication():
    f = lambda x: (
        F.pad(x, (2, 1, 1, 2), mode="reflect") * F.pad(x, (2, 1, 1, 2), mode="replicate")
        + F.pad(x, (2, 1, 1, 2), mode="circular")
    )
    go(f, R(1, 2, 5, 5))


@prog
def in_channels_last_conv():
    m = nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.LeakyReLU(0.1)).to(memory_format=torch.channels_last)
    go(m, torch.randn(2, 3, 6, 6, requires_grad=True).to(memory_format=torch.channels_last))


@prog
def in_conv1d_wavenet_gate():
    a, b = nn.Conv1d(3, 6, 2, dilation=2), nn.Conv1d(3, 6, 2, dilation=2)
    twice(lambda x: torch.tanh(a(x)) * torch.sigmoid(b(x)), (R(2, 3, 9),), (R(2, 3, 12),))


@prog
def in_local_response_and_instance_norm():
    m = nn.InstanceNorm2d(3, affine=True, track_running_stats=True)
    go(lambda x: F.local_response_norm(m(x), 2), R(2, 3, 5, 5))


# ---- sequences -----------------------------------------------------------------------------------------------------------


@prog
def in_encoder_layer_training():
    go(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True), R(2, 5, 8))


@prog
def in_causal_attention_changing_length():
    q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def f(x):
        split = lambda t: t.view(t.shape[0], t.shape[1], 2, 4).transpose(1, 2)
        return F.scaled_dot_product_attention(split(q(x)), split(k(x)), split(v(x)), is_causal=True).transpose(1, 2).flatten(2)

    twice(f, (R(2, 5, 8),), (R(2, 7, 8),))


@prog
def in_attention_written_out_half():
    def f(q, k, v):
        s = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(torch.ones(4, 4).triu(1).bool(), float("-inf"))
        return F.softmax(s, -1, dtype=torch.float32).to(q.dtype) @ v

    h = lambda: torch.randn(2, 4, 8, dtype=torch.float16, requires_grad=True)
    go(f, h(), h(), h())


@prog
def in_rotary_embedding_complex():
    def f(x, freqs):
        z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(z * freqs).flatten(-2)

    go(f, R(2, 5, 8), torch.polar(torch.ones(5, 4), torch.rand(5, 4)))


@prog
def in_rotary_embedding_real_changing_length():
    def f(x):
        t = torch.arange(x.shape[1])
        a = torch.outer(t, 1.0 / 10000 ** (torch.arange(0, 8, 2) / 8))
        c, s = a.cos().repeat(1, 2), a.sin().repeat(1, 2)
        x1, x2 = x.chunk(2, -1)
        return x * c + torch.cat([-x2, x1], -1) * s

    twice(f, (R(2, 5, 8),), (R(2, 6, 8),))


@prog
def in_lstm_two_layers():
    m = nn.LSTM(4, 5, 2, batch_first=True, dropout=0.1)
    go(lambda x: m(x)[0], R(2, 3, 4))


@prog
def in_gru_cell_unrolled():
    m = nn.GRUCell(3, 4)

    def f(x, h):
        for t in range(3):
            h = m(x[:, t], h)
        return h

    go(f, R(2, 3, 3), R(2, 4))


@prog
def in_embedding_bag_and_padding():
    e, b = nn.Embedding(10, 4, padding_idx=0), nn.EmbeddingBag(10, 4, mode="mean")
    go(lambda i: e(i).sum(1) + b(i), torch.randint(0, 10, (3, 5)))


@prog
def in_rms_norm_swiglu():
    w, a, b, c = (
        nn.Parameter(torch.ones(8)),
        nn.Linear(8, 12, bias=False),
        nn.Linear(8, 12, bias=False),
        nn.Linear(12, 8, bias=False),
    )

    def f(x):
        h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w
        return x + c(F.silu(a(h)) * b(h))

    twice(f, (R(2, 3, 8),), (R(2, 5, 8),))


@prog
def in_relative_position_bias():
    t = nn.Embedding(8, 2)

    def f(x):
        n = x.shape[1]
        d = (torch.arange(n)[None] - torch.arange(n)[:, None]).clamp(-3, 4) + 3
        return x @ x.transpose(1, 2) + t(d).permute(2, 0, 1).sum(0)

    twice(f, (R(2, 4, 3),), (R(2, 6, 3),))


@prog
def in_sliding_window_mask():
    def f(x):
        n = x.size(-1)
        m = torch.ones(n, n).tril().triu(-2)
        return (x @ x.mT).masked_fill(m == 0, -1e9).softmax(-1)

    go(f, R(2, 5, 5))


@prog
def in_conv_text_classifier():
    e, cs, o = nn.Embedding(20, 6), nn.ModuleList(nn.Conv1d(6, 4, k) for k in (2, 3)), nn.Linear(8, 2)

    def f(i):
        x = e(i).transpose(1, 2)
        return o(F.dropout(torch.cat([c(x).relu().amax(2) for c in cs], 1), 0.5))

    go(f, torch.randint(0, 20, (3, 7)))


# ---- losses --------------------------------------------------------------------------------------------------------------


@prog
def in_losses_of_regression():
    f = lambda x, t: (
        F.mse_loss(x, t)
        + F.l1_loss(x, t)
        + F.smooth_l1_loss(x, t, beta=0.5)
        + F.huber_loss(x, t, delta=0.3)
        + F.gaussian_nll_loss(x, t, t.abs() + 1)
    )
    go(f, R(3, 4), torch.randn(3, 4))


@prog
def in_losses_of_classes():
    f = lambda x, t: (
        F.cross_entropy(x, t, label_smoothing=0.1) + F.nll_loss(x.log_softmax(1), t, ignore_index=1) + F.multi_margin_loss(x, t)
    )
    go(f, R(4, 3), torch.randint(0, 3, (4,)))


@prog
def in_losses_of_pairs():
    f = lambda a, b, y: (
        F.cosine_embedding_loss(a, b, y)
        + F.margin_ranking_loss(a[:, 0], b[:, 0], y)
        + F.triplet_margin_loss(a, b, a.roll(1, 0))
        + F.hinge_embedding_loss(a.sum(1), y)
    )
    go(f, R(4, 3), R(4, 3), torch.tensor([1, -1, 1, -1]))


@prog
def in_losses_of_probabilities():
    def f(x, t):
        p = x.sigmoid()
        return (
            F.binary_cross_entropy(p, t)
            + F.binary_cross_entropy_with_logits(x, t, pos_weight=t + 1)
            + F.kl_div(x.log_softmax(-1), t.softmax(-1), reduction="batchmean")
            + F.poisson_nll_loss(x, t)
        )

    go(f, R(3, 4), torch.rand(3, 4))


@prog
def in_segmentation_cross_entropy_changing_image():
    m = nn.Conv2d(2, 3, 1)
    f = lambda x, t: F.cross_entropy(m(x), t)
    twice(f, (R(1, 2, 4, 4), torch.randint(0, 3, (1, 4, 4))), (R(1, 2, 6, 5), torch.randint(0, 3, (1, 6, 5))))


@prog
def in_contrastive_temperature():
    def f(a, b):
        s = F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).T / 0.07
        return F.cross_entropy(s, torch.arange(s.shape[0])) + F.cross_entropy(s.T, torch.arange(s.shape[0]))

    twice(f, (R(3, 4), R(3, 4)), (R(5, 4), R(5, 4)))


@prog
def in_dice_and_focal():
    def f(x, t):
        p = x.sigmoid()
        ce = F.binary_cross_entropy_with_logits(x, t, reduction="none")
        return 1 - (2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1) + (ce * (1 - torch.where(t > 0.5, p, 1 - p)) ** 2).mean()

    go(f, R(2, 3, 3), torch.randint(0, 2, (2, 3, 3)).float())


# ---- random numbers ------------------------------------------------------------------------------------------------------


@prog
def in_noise_of_distributions():
    def f(x):
        return (
            x + torch.randn_like(x) * torch.rand_like(x),
            torch.normal(x.detach(), 0.5),
            torch.randint_like(x, 5),
            torch.empty_like(x).exponential_(),
            torch.bernoulli(x.sigmoid()),
        )

    go(f, R(3, 4))


@prog
def in_reparameterized_sample_changing_batch():
    a = nn.Linear(4, 6)

    def f(x):
        m, s = a(x).chunk(2, 1)
        return m + torch.randn_like(m) * (0.5 * s).exp()

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def in_dropouts():
    go(
        lambda x: F.dropout(x, 0.3) + F.alpha_dropout(x, 0.2, True) + F.dropout1d(x, 0.5) + F.feature_alpha_dropout(x, 0.1, True),
        R(2, 3, 4),
    )


@prog
def in_gumbel_softmax_and_multinomial():
    go(lambda x: F.gumbel_softmax(x, 0.7, hard=True) * torch.multinomial(x.softmax(-1), 2).sum(), R(3, 5))


@prog
def in_rrelu_training():
    go(lambda x: F.rrelu(x, 0.1, 0.3, training=True), R(3, 4))


@prog
def in_randperm_augmentation():
    go(lambda x: (x * 2)[torch.randperm(4)] * torch.rand(4, 1) + torch.randn(4, 3), R(4, 3))


# ---- elements, reductions, indices -----------------------------------------------------------------------------------------


@prog
def in_activations_all_half():
    def f(x):
        return sum(
            g(x)
            for g in (
                F.celu,
                F.selu,
                F.elu,
                F.gelu,
                F.mish,
                F.softplus,
                F.softshrink,
                F.hardshrink,
                F.tanhshrink,
                F.logsigmoid,
                F.hardsigmoid,
                F.hardtanh,
                F.softsign,
            )
        )

    go(f, torch.randn(3, 4, dtype=torch.float16, requires_grad=True))


@prog
def in_activations_changing_rows():
    f = lambda x: (
        F.celu(x, 0.5)
        + F.threshold(x, 0.1, 2.0)
        + F.glu(torch.cat([x, x], 1))
        + F.prelu(x, torch.tensor([0.1]))
        + F.leaky_relu(x)
    )
    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def in_special_functions():
    f = lambda x: (
        torch.special.xlog1py(x, x.abs())
        + torch.special.entr(x.abs())
        + torch.logit(x.sigmoid(), 1e-3)
        + torch.sinc(x)
        + torch.erfinv(x.tanh())
        + torch.logaddexp(x, x * 2)
        + torch.logaddexp2(x, x * 2)
    )
    go(f, R(3, 4))


@prog
def in_statistics():
    f = lambda x: (
        x.std(0),
        x.var((0, 1)),
        torch.var_mean(x, 1),
        x.logsumexp(1),
        x.norm(dim=1),
        x.amax(1),
        x.amin(0),
        x.prod(1),
        x.cumsum(0),
        x.detach().aminmax(dim=1),
    )
    go(f, R(3, 4))


@prog
def in_statistics_of_changing_columns():
    f = lambda x: (
        x.std(1) + x.mean(1),
        x.softmax(1),
        x.log_softmax(0),
        x.cumsum(1).logcumsumexp(1),
        (x - x.mean(0)) / x.var(0, unbiased=False).sqrt(),
    )
    twice(f, (R(3, 4),), (R(3, 6),))


@prog
def in_sorting_and_selection():
    f = lambda x: (
        x.sort(1)[0],
        x.topk(2, 1)[0],
        x.kthvalue(2, 1)[0],
        x.median(1)[0],
        x.max(1)[0],
        x.mode(1)[0],
        x.argsort(1),
        x.argmax(),
    )
    go(f, R(3, 5))


@prog
def in_reading_by_index():
    f = lambda x, i: (
        x[i],
        x.index_select(1, i),
        x.gather(0, i[None].expand(2, 3)),
        x.take(i),
        torch.take_along_dim(x, i[None], 1),
        x[i, i],
    )
    go(f, R(4, 4), torch.tensor([0, 2, 1]))


@prog
def in_writing_by_index():
    def f(x, i, s):
        return (
            x.index_add(0, i, s),
            x.index_copy(0, i, s),
            x.index_fill(1, i, 2.0),
            x.scatter_add(0, i[None].expand(1, 3), s[:1, :3]),
            x.index_reduce(0, i, s, "mean"),
            x.index_put((i,), s),
            x.scatter_reduce(0, i[None], s[:1, :3], "amax"),
        )

    go(f, R(4, 4), torch.tensor([0, 2, 1]), R(3, 4))


@prog
def in_membership_and_search():
    f = lambda x, b: (
        torch.isin(x, b),
        torch.isin(x, torch.arange(60)),
        torch.searchsorted(b, x),
        torch.bucketize(x, b),
        torch.tril_indices(4, 3, -1),
        torch.triu_indices(3, 4, 1),
    )
    with torch.no_grad():
        go(f, torch.randint(0, 9, (3, 4)), torch.tensor([1, 3, 5]))


@prog
def in_whole_numbers():
    f = lambda x, y: (
        torch.lcm(x, y),
        torch.gcd(x, y),
        x // y,
        x % y,
        x.float() / y,
        torch.div(x, y, rounding_mode="floor"),
        x << 1,
        x & y,
        (x > y).sum(),
        x.cumprod(0),
    )
    with torch.no_grad():
        go(f, torch.randint(1, 9, (3, 4)), torch.randint(1, 9, (3, 4)))


@prog
def in_ranges():
    f = lambda x: (
        x + torch.linspace(0, 1, 4),
        torch.arange(1, 9, 2),
        torch.arange(0.5, 3.0, 0.5),
        torch.eye(3, 4),
        torch.full((2,), 3),
        torch.logspace(0, 1, 4),
        torch.linspace(-1, 1, 5, dtype=torch.bfloat16),
    )
    go(f, R(3, 4))


@prog
def in_rearranging():
    f = lambda x: (
        x.flip(0, 1),
        x.roll((1, 2), (0, 1)),
        x.rot90(),
        x.diag_embed(1),
        x.tril(-1),
        x.unfold(1, 2, 2),
        x.movedim(0, 1).reshape(-1),
        torch.stack([x, x], 1),
        torch.cat([x, x]),
        x.repeat_interleave(2, 1),
    )
    go(f, R(3, 4))


@prog
def in_rearranging_of_changing_rows():
    f = lambda x: (
        x.flip(0),
        x.roll(1, 0),
        x.diag_embed(),
        x.triu(1),
        torch.cat([x, x * 2], 1),
        x.split(1, 1)[0],
        x.repeat(2, 1),
        x.view(-1, 2, 2).transpose(0, 1).contiguous(),
    )
    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def in_products_small():
    v = nn.Linear(4, 1)
    f = lambda x, y: (
        v(x),
        x @ y.T,
        torch.einsum("ij,ij->i", x, y),
        torch.bmm(x[:, None], y[..., None]),
        torch.addmm(x[:1, :1], x[:1], y[:1].T),
        torch.outer(x[0], y[0]),
        torch.dot(x[0], y[0]),
        torch.addr(x[:, :4], x[:, 0], y[0]),
    )
    go(f, R(3, 4), R(3, 4))


@prog
def in_row_times_column_changing():
    a, b = nn.Linear(6, 1), nn.Linear(1, 6)
    twice(lambda x: b(a(x).tanh()), (R(3, 6),), (R(5, 6),))


@prog
def in_baddbmm_bf16():
    h = lambda *s: torch.randn(*s, dtype=torch.bfloat16, requires_grad=True)
    go(
        lambda b, x, y: torch.baddbmm(b, x, y, beta=0.5, alpha=2) + torch.addcmul(b, b, b, value=0.1) + torch.lerp(b, b * 2, 0.3),
        h(2, 3, 4),
        h(2, 3, 5),
        h(2, 5, 4),
    )


@prog
def in_distances():
    go(
        lambda x, y: (torch.cdist(x, y), F.pairwise_distance(x, y), F.cosine_similarity(x, y), torch.dist(x, y), F.pdist(x)),
        R(3, 4),
        R(3, 4),
    )


# ---- complex numbers -------------------------------------------------------------------------------------------------------


@prog
def in_complex_linear_layer():
    z = lambda *s: torch.randn(*s, dtype=torch.complex64, requires_grad=True)
    go(lambda x, w, b: (x @ w + b).abs(), z(3, 4), z(4, 5), z(5))


@prog
def in_complex_parts_and_angle():
    def f(x):
        z = torch.complex(x, x * 2)
        return (z + z.conj()).real, z.angle(), (z * z.conj()).imag, (z + 1j).abs()

    go(f, R(3, 4))


@prog
def in_spectral_mixer():
    w = nn.Parameter(torch.randn(3, 4, dtype=torch.complex64))
    go(lambda x: torch.fft.irfft(torch.fft.rfft(x, dim=-1) * w, n=6, dim=-1) + x, R(2, 3, 6))


@prog
def in_fourier_features_changing_length():
    twice(lambda x: torch.fft.fft2(x).real + x, (R(2, 3, 4),), (R(2, 5, 4),))


# ---- steps ---------------------------------------------------------------------------------------------------------------


@prog
def in_autocast_mlp_training():
    m = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))

    def f(x, t):
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(m(x), t)

    go(f, R(5, 4), torch.randint(0, 3, (5,)))


@prog
def in_adam_step():
    m = nn.Linear(4, 3)
    optimizer_steps(m, torch.optim.Adam(m.parameters(), lr=0.01, weight_decay=0.1, amsgrad=True), R(2, 4))


@prog
def in_rmsprop_and_adagrad_steps():
    for make in (torch.optim.RMSprop, torch.optim.Adagrad):
        m = nn.Linear(4, 3)
        optimizer_steps(m, make(m.parameters(), lr=0.01), R(2, 4), steps=1)


@prog
def in_batch_norm_mutates_changing_batch():
    m = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6, momentum=0.2), nn.ReLU6(), nn.Linear(6, 2))
    twice(m, (R(3, 4),), (R(5, 4),))


@prog
def in_buffers_and_inputs_mutated():
    def f(x, counts):
        counts.add_(1)
        x[:, 0] = 0
        y = x.clone()
        y[1:].mul_(2)
        return y.clamp_(-1, 1), x.sum()

    go(f, torch.randn(3, 4), torch.zeros(2))


@prog
def in_ema_update_inference():
    def f(a, b):
        a.lerp_(b, 0.1)
        torch._foreach_mul_([a, b], 0.5)
        return a + b

    with torch.no_grad():
        go(f, torch.randn(3), torch.randn(3))


@prog
def in_quantile_bins_inference():
    with torch.no_grad():
        go(
            lambda x: (x.quantile(0.3, dim=1), x.histc(4), torch.nan_to_num(x / 0), x.round(decimals=1), x.trunc(), x.frexp()[0]),
            torch.randn(3, 4),
        )


@prog
def in_graph_messages():
    w = nn.Linear(4, 4)

    def f(x, src, dst):
        m = w(x)[src].relu()
        out = torch.zeros_like(x).index_add_(0, dst, m)
        degree = torch.zeros(x.shape[0]).scatter_add_(0, dst, torch.ones(dst.shape[0]))
        return out / degree.clamp(min=1)[:, None]

    twice(
        f,
        (R(4, 4), torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3])),
        (R(5, 4), torch.tensor([0, 1, 2, 4]), torch.tensor([1, 2, 3, 0])),
    )


@prog
def in_custom_gradient_of_step():
    class Step(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return (x > 0).to(x.dtype)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (1 - x.abs()).clamp(min=0)

    go(lambda x: Step.apply(x * 2).cumsum(0), R(4, 3))


@prog
def in_marked_dynamic_columns():
    x = R(4, 6)
    mark_dynamic(x, 1)
    go(lambda x: F.layer_norm(x, (x.shape[1],)) + x.flip(1) + F.pad(x, (1, 2))[:, 1:-2], x)


@prog
def in_scalar_outputs_scale():
    go(lambda x, s: x * s.item() + x.size(0), R(3, 4), torch.tensor(2.5))


@prog
def in_float_argument_changes():
    c = C(lambda x, a: F.softplus(x, a) + x * a)
    for a in (0.5, 1.5, 2.5):
        back(c(R(3, 4), a))


@prog
def in_head_of_detector():
    def f(boxes, scores):
        x1, y1, x2, y2 = boxes.unbind(1)
        area = (x2 - x1).clamp(min=0) * (y2 - y1).clamp(min=0)
        lt, rb = torch.max(boxes[:, None, :2], boxes[None, :, :2]), torch.min(boxes[:, None, 2:], boxes[None, :, 2:])
        inter = (rb - lt).clamp(min=0).prod(2)
        return inter / (area[:, None] + area - inter), scores.sigmoid().topk(2)[0]

    twice(f, (R(4, 4), R(4)), (R(6, 4), R(6)))
