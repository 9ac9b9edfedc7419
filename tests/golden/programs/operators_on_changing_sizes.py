"""Operators on sizes that change, a few in each program, and modules and training steps of changing sizes."""

from common import *


# ---- operators on sizes that change, a few in each program ---------------------------------------------------------

changing("vr_pool1d_kinds", lambda x: (F.max_pool1d(x, 3, 2), F.avg_pool1d(x, 2, padding=1), F.adaptive_avg_pool1d(x, 4)),
         lambda: (R(2, 3, 11),), lambda: (R(2, 3, 15),))
changing("vr_max_pool2d_indices_unpool", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
         lambda: (R(2, 3, 8, 8),), lambda: (R(4, 3, 8, 8),))
changing("vr_avg_pool_ceil_mode", lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True, count_include_pad=False).relu(),
         lambda: (R(2, 3, 9, 9),), lambda: (R(2, 3, 12, 12),))
changing("vr_adaptive_max_pool", lambda x: F.adaptive_max_pool2d(x, 3).flatten(1).sum(1),
         lambda: (R(2, 3, 9, 9),), lambda: (R(3, 3, 12, 12),))
changing("vr_interpolate_nearest_exact", lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact") * 2,
         lambda: (R(2, 3, 4, 4),), lambda: (R(2, 3, 5, 5),))
changing("vr_interpolate_bilinear_size_of_other", lambda x, y: F.interpolate(x, y.shape[-2:], mode="bilinear") + y,
         lambda: (R(2, 3, 4, 4), R(2, 3, 8, 8)), lambda: (R(2, 3, 5, 5), R(2, 3, 11, 11)))
changing("vr_interpolate_linear_align", lambda x: F.interpolate(x, scale_factor=2.0, mode="linear", align_corners=True),
         lambda: (R(2, 3, 6),), lambda: (R(2, 3, 9),))
changing("vr_interpolate_bicubic_fixed", lambda x: F.interpolate(x, (7, 7), mode="bicubic"),
         lambda: (R(2, 3, 4, 4),), lambda: (R(4, 3, 4, 4),))
changing("vr_interpolate_area", lambda x: F.interpolate(x, scale_factor=0.5, mode="area"),
         lambda: (R(2, 3, 8, 8),), lambda: (R(2, 3, 12, 12),))
changing("vr_conv_transpose2d_stride", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1),
         lambda: (R(2, 3, 5, 5), R(3, 4, 3, 3)), lambda: (R(2, 3, 7, 7), R(3, 4, 3, 3)))
changing("vr_conv1d_same_dilated", lambda x, w: F.conv1d(x, w, padding="same", dilation=2).tanh(),
         lambda: (R(2, 3, 9), R(4, 3, 3)), lambda: (R(2, 3, 12), R(4, 3, 3)))
changing("vr_conv3d_batch", lambda x, w: F.conv3d(x, w, stride=(1, 2, 2)).mean((2, 3, 4)),
         lambda: (R(2, 3, 4, 6, 6), R(4, 3, 2, 3, 3)), lambda: (R(3, 3, 4, 6, 6), R(4, 3, 2, 3, 3)))
changing("vr_fold_of_unfold", lambda x: F.fold(F.unfold(x, 2, stride=2) * 2, (6, 6), 2, stride=2),
         lambda: (R(2, 3, 6, 6),), lambda: (R(4, 3, 6, 6),))
changing("vr_unfold_changing_image", lambda x: F.unfold(x, 3, padding=1).softmax(1),
         lambda: (R(2, 3, 6, 6),), lambda: (R(2, 3, 8, 8),))
changing("vr_tensor_unfold_windows", lambda x: (x.unfold(0, 3, 1).mean(-1), x.unfold(0, 2, 2).amax(-1)),
         lambda: (R(9, 4),), lambda: (R(12, 4),))
changing("vr_pixel_shuffle_channel_shuffle", lambda x: F.pixel_unshuffle(F.channel_shuffle(F.pixel_shuffle(x, 2), 2), 2),
         lambda: (R(2, 8, 3, 3),), lambda: (R(4, 8, 3, 3),))
changing("vr_embedding_bag_sum_offsets", lambda i, o, w: F.embedding_bag(i, w, o, mode="sum"),
         lambda: (torch.randint(0, 9, (7,)), torch.tensor([0, 3]), R(9, 4)),
         lambda: (torch.randint(0, 9, (10,)), torch.tensor([0, 4]), R(9, 4)))
changing("vr_embedding_padding_and_norm", lambda i, w: F.layer_norm(F.embedding(i, w, 0), (4,)),
         lambda: (torch.randint(0, 9, (2, 5)), R(9, 4)), lambda: (torch.randint(0, 9, (2, 7)), R(9, 4)))
changing("vr_losses_pairwise", lambda x, y: (F.smooth_l1_loss(x, y, beta=0.5), F.l1_loss(x, y), F.pairwise_distance(x, y)),
         lambda: (R(4, 3), R(4, 3)), lambda: (R(6, 3), R(6, 3)))
changing("vr_losses_poisson_gaussian", lambda x, y: (
    F.poisson_nll_loss(x, y.detach().abs()), F.gaussian_nll_loss(x, y, torch.ones_like(x))),
         lambda: (R(4, 3), R(4, 3)), lambda: (R(6, 3), R(6, 3)))
changing("vr_losses_soft_margin", lambda x, y: (F.soft_margin_loss(x, y.sign()), F.hinge_embedding_loss(x, y.sign())),
         lambda: (R(4, 3), R(4, 3, g=False)), lambda: (R(6, 3), R(6, 3, g=False)))
changing("vr_losses_multilabel", lambda x, y: F.multilabel_soft_margin_loss(x, (y > 0).float(), reduction="none"),
         lambda: (R(4, 3), R(4, 3, g=False)), lambda: (R(6, 3), R(6, 3, g=False)))
changing("vr_cross_entropy_smoothed_weighted", lambda x, t, w: F.cross_entropy(x, t, w, label_smoothing=0.1),
         lambda: (R(4, 3), torch.randint(0, 3, (4,)), R(3, g=False).abs()),
         lambda: (R(6, 3), torch.randint(0, 3, (6,)), R(3, g=False).abs()))
changing("vr_cross_entropy_of_pixels", lambda x, t: F.cross_entropy(x, t, ignore_index=1),
         lambda: (R(2, 3, 4, 4), torch.randint(0, 3, (2, 4, 4))), lambda: (R(2, 3, 6, 6), torch.randint(0, 3, (2, 6, 6))))
changing("vr_bce_logits_pos_weight", lambda x, w: F.binary_cross_entropy_with_logits(x, torch.ones_like(x), pos_weight=w),
         lambda: (R(4, 3), R(3, g=False)), lambda: (R(6, 3), R(3, g=False)))
changing("vr_ctc_of_changing_time", lambda x, t: F.ctc_loss(
    x.log_softmax(2), t, torch.full((2,), x.size(0)), torch.full((2,), 3)),
         lambda: (R(9, 2, 5), torch.randint(1, 5, (2, 3))), lambda: (R(11, 2, 5), torch.randint(1, 5, (2, 3))))
changing("vr_cumulative", lambda x: (x.cumsum(0), x.cumprod(1), x.logcumsumexp(0), x.cummax(0)[0]),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_statistics", lambda x: (x.std(0), x.var(1, unbiased=False), x.median(1)[0], x.amax(0) - x.amin(0)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_norms", lambda x: (x.norm(p=1), torch.linalg.vector_norm(x, 3, dim=0), torch.linalg.matrix_norm(x)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_sorting", lambda x: (x.sort(0)[0], x.argsort(1), x.topk(2, 0)[0], x.kthvalue(2, 0)[0], x.mode(1)[0]),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_diagonals", lambda x: (x.diagonal().sum(), torch.diag_embed(x), x.tril(-1) + x.triu(1)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_shapes_moved", lambda x: (x.movedim(0, 1).contiguous(), x.swapaxes(0, 1) * 2, x.T @ x, x.unflatten(1, (2, 2))),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_repeats", lambda x: (x.repeat(2, 3), x.repeat_interleave(2, 0), x.tile(2), x.expand(3, -1, -1).sum(0)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_flips_and_rolls", lambda x: (x.flip(0, 1), x.roll((1, 2), (0, 1)), x.rot90(2), x.fliplr()),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_stacks", lambda x, y: (torch.hstack([x, y]), torch.dstack([x, y]), torch.column_stack([x, y]), torch.stack([x, y], -1)),
         lambda: (R(5, 4), R(5, 4)), lambda: (R(7, 4), R(7, 4)))
changing("vr_splits", lambda x: [p * 2 for p in x.split(3)] + [p + 1 for p in x.chunk(2, 1)],
         lambda: (R(6, 4),), lambda: (R(9, 4),))
changing("vr_indexing_by_tensors", lambda x, i: (x[i], x[:, i.clamp(max=3)], x[i, 0], x.take_along_dim(i[:, None], 0)),
         lambda: (R(5, 4), torch.randint(0, 5, (3,))), lambda: (R(7, 4), torch.randint(0, 5, (6,))))
changing("vr_indexing_steps", lambda x: (x[::2] * 2, x[1:-1].exp(), x[..., None, 1:], x[:-2, 0]),
         lambda: (R(6, 4),), lambda: (R(9, 4),))
changing("vr_writes_to_slices", lambda x: written_slices(x), lambda: (R(6, 4),), lambda: (R(9, 4),))
changing("vr_scatters", lambda x, i: (
    torch.zeros(8, 4).index_add(0, i, x), torch.zeros_like(x).scatter_add(0, i[:, None].expand_as(x), x),
    torch.zeros(8, 4).scatter_reduce(0, i[:, None].expand_as(x), x, "mean")),
         lambda: (R(5, 4), torch.randint(0, 5, (5,))), lambda: (R(7, 4), torch.randint(0, 5, (7,))))
changing("vr_index_put_accumulate", lambda x, i: torch.zeros(8, 4).index_put((i,), x, accumulate=True) * 2,
         lambda: (R(5, 4), torch.randint(0, 5, (5,))), lambda: (R(7, 4), torch.randint(0, 5, (7,))))
changing("vr_masked_pieces", lambda x, m: (x.masked_fill(m, -1.0).softmax(-1), torch.where(m, x, x.mean()), x.masked_scatter(m, x * 2)),
         lambda: (R(5, 4), R(5, 4, g=False) > 0), lambda: (R(7, 4), R(7, 4, g=False) > 0))
changing("vr_ranges_of_sizes", lambda x: (
    x * torch.arange(x.size(0))[:, None], torch.linspace(0, 1, x.size(0)) @ x, torch.eye(x.size(0)) @ x),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_made_like", lambda x: (
    x * torch.ones(x.size(0), 1), torch.full_like(x, 0.5) * x, x.new_zeros(x.shape) + x, torch.empty_like(x).fill_(2) * x),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_sizes_in_arithmetic", lambda x: (
    x / x.size(0) ** 0.5, x * (x.size(0) // 2), x + x.numel(), x.sum() / (x.size(0) * x.size(1) - 1), x.view(x.size(0) * 2, -1)),
         lambda: (R(6, 4),), lambda: (R(9, 4),))
changing("vr_grids", lambda x: torch.meshgrid(x, x * 2, indexing="ij")[0].sum(1) + torch.outer(x, x).sum(0) + torch.cartesian_prod(x, x)[:, 0].mean(),
         lambda: (R(5),), lambda: (R(7),))
changing("vr_linear_algebra", lambda x: (
    torch.linalg.inv(x @ x.mT + 3 * torch.eye(3)), torch.linalg.cholesky(x @ x.mT + 3 * torch.eye(3)), torch.linalg.det(x)),
         lambda: (R(2, 3, 3),), lambda: (R(4, 3, 3),))
changing("vr_einsums", lambda x, y: (torch.einsum("bij,bjk->bik", x, y), torch.einsum("bij->ji", x), torch.einsum("bij,bji->b", x, y)),
         lambda: (R(2, 3, 4), R(2, 4, 3)), lambda: (R(5, 3, 4), R(5, 4, 3)))
changing("vr_distances", lambda x, y: (torch.cdist(x, y, p=1.0), F.cosine_similarity(x[:, None], y[None], dim=-1), F.pdist(x)),
         lambda: (R(4, 3), R(5, 3)), lambda: (R(6, 3), R(7, 3)))
changing("vr_fourier", lambda x: (torch.fft.rfft(x).abs(), torch.fft.irfft(torch.fft.rfft(x), n=x.size(-1)), torch.fft.fft(x).real),
         lambda: (R(3, 8),), lambda: (R(5, 8),))
changing("vr_complex_products", lambda x, y: (torch.complex(x, y) * torch.polar(x.abs(), y)).abs(),
         lambda: (R(3, 4), R(3, 4)), lambda: (R(5, 4), R(5, 4)))
changing("vr_normalizations", lambda x: (
    F.local_response_norm(x, 2), F.instance_norm(x), F.group_norm(x, 2), F.batch_norm(x, None, None, training=True)),
         lambda: (R(2, 4, 5, 5),), lambda: (R(3, 4, 5, 5),))
changing("vr_activations", lambda x: (
    F.gelu(x, approximate="tanh"), F.softplus(x), F.logsigmoid(x), F.glu(x), F.prelu(x, torch.full((1,), 0.2)), F.rrelu(x), F.selu(x)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_activations_inplace", lambda x: activated_inplace(x), lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_dropouts", lambda x: F.dropout(x, 0.3) + F.alpha_dropout(x, 0.2) + F.dropout1d(x, 0.5) + F.feature_alpha_dropout(x, 0.1),
         lambda: (R(3, 4, 5),), lambda: (R(6, 4, 5),))
changing("vr_random_like", lambda x: (
    x + torch.randn_like(x), x * torch.rand(x.shape), x + torch.randint_like(x, 5), torch.bernoulli(x.sigmoid()) * x),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_random_inplace", lambda x: randomized(x), lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_multinomial_gather", lambda x: x.gather(1, torch.multinomial(x.softmax(1).detach(), 2)) * 2,
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_paddings", lambda x: (
    F.pad(x, (1, 1), mode="circular"), F.pad(x, (2, 1), mode="reflect"), F.pad(x, (1, 0), mode="replicate"), F.pad(x, (-1, 2))),
         lambda: (R(2, 3, 6),), lambda: (R(2, 3, 8),))
changing("vr_grid_sample_affine", lambda x, t: F.grid_sample(x, t, padding_mode="border", align_corners=False) * 2,
         lambda: (R(2, 3, 5, 5), R(2, 4, 4, 2)), lambda: (R(4, 3, 5, 5), R(4, 4, 4, 2)))
changing("vr_half_and_double", lambda x: (x.half().float() * 2, x.double().cumsum(0), x.to(torch.bfloat16) + 1, x.type_as(x.double())),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_integer_bits", lambda i: ((i << 1) ^ 3, i.bitwise_and(6) | 1, i // 3, i % 4, i.float().sqrt() * 2, i.gcd(i + 2)),
         lambda: (torch.randint(1, 20, (5, 4)),), lambda: (torch.randint(1, 20, (7, 4)),))
changing("vr_comparisons", lambda x, y: (
    torch.maximum(x, y), torch.fmin(x, y), x.clamp(y, y + 1), torch.lerp(x, y, 0.3), torch.addcmul(x, x, y), torch.isclose(x, y)),
         lambda: (R(5, 4), R(5, 4)), lambda: (R(7, 4), R(7, 4)))
changing("vr_powers", lambda x: (x ** 3, 2 ** x, x.abs() ** 0.5, x.square(), x.abs().rsqrt(), x.sinc(), x.frac(), x.remainder(0.7)),
         lambda: (R(5, 4),), lambda: (R(7, 4),))
changing("vr_bucketed", lambda x, e: (torch.bucketize(x, e), torch.searchsorted(e, x), F.one_hot(torch.bucketize(x, e), 5)),
         lambda: (R(5, 4, g=False), torch.linspace(-1, 1, 4)), lambda: (R(7, 4, g=False), torch.linspace(-1, 1, 4)))


def written_slices(x):
    y = x.clone()
    y[1:3] = 0.5
    y[:, 0] += 1
    y[-1] *= 2
    z = x * 2
    z[y > 0] = 0.0
    return y, z, y.narrow(0, 0, 2).mul_(3)


def activated_inplace(x):
    y = F.relu_(x * 2) * 3
    y = F.leaky_relu_(y - 1, 0.3) * 2
    y = F.elu_(y + 1, 0.5) * 1
    return y.clamp_(max=2).mul_(y.size(0)).add_(x.sum(0)) + F.hardtanh_(x * 3)


def randomized(x):
    y = torch.empty_like(x).normal_()
    z = torch.zeros(x.size(0), 3).uniform_(-1, 1)
    b = torch.empty(x.shape).bernoulli_(0.5)
    return x * y * b, z.exponential_().sum() * x, torch.zeros_like(x).random_(0, 4) + x


# ---- modules and steps ---------------------------------------------------------------------------------------------


@prog
def vr_rnn_relu_packed_lengths():
    m = nn.RNN(3, 4, 2, nonlinearity="relu", batch_first=True, bidirectional=True)
    twice(lambda x, l: m(x)[0] * (torch.arange(x.size(1)) < l[:, None]).unsqueeze(-1),
          (R(2, 5, 3), torch.tensor([3, 5])), (R(4, 5, 3), torch.tensor([3, 5, 2, 4])))


@prog
def vr_lstm_projected():
    m = nn.LSTM(3, 6, proj_size=4)
    go(lambda x: m(x)[1][0].sum(0), R(5, 2, 3))


@prog
def vr_gru_cell_sequence_changing_batch():
    c = nn.GRUCell(3, 4)

    def f(x):
        h = x.new_zeros(x.size(0), 4)
        for t in range(3):
            h = c(x[:, t], h)
        return h, h.detach() * 2

    twice(f, (R(2, 3, 3),), (R(5, 3, 3),))


@prog
def vr_mha_key_padding_changing_batch():
    m = nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.1)
    twice(lambda x, p: m(x, x, x, key_padding_mask=p, need_weights=True),
          (R(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)), (R(4, 5, 8), torch.zeros(4, 5, dtype=torch.bool)))


@prog
def vr_encoder_layer_norm_first_changing_length():
    m = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu")
    twice(m, (R(2, 5, 8),), (R(2, 7, 8),))


@prog
def vr_bilinear_and_cosine_changing_batch():
    m = nn.Bilinear(3, 4, 5)
    twice(lambda x, y: F.cosine_similarity(m(x, y), m(y[:, :3], torch.cat([x, x[:, :1]], 1))),
          (R(3, 3), R(3, 4)), (R(6, 3), R(6, 4)))


@prog
def vr_linear_attention_changing_length():
    def f(q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        return (q @ (k.transpose(-1, -2) @ v)) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)

    twice(f, (R(2, 2, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4)), (R(2, 2, 7, 4), R(2, 2, 7, 4), R(2, 2, 7, 4)))


@prog
def vr_window_attention_of_changing_image():
    qkv, o = nn.Linear(8, 24), nn.Linear(8, 8)

    def f(x):
        b, h, w, c = x.shape
        y = x.view(b, h // 2, 2, w // 2, 2, c).transpose(2, 3).reshape(-1, 4, c)
        q, k, v = qkv(y).view(-1, 4, 3, 2, 4).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(-1, 4, c)
        return x + o(y).view(b, h // 2, w // 2, 2, 2, c).transpose(2, 3).reshape(b, h, w, c)

    twice(f, (R(2, 4, 4, 8),), (R(2, 6, 6, 8),))


@prog
def vr_causal_mask_of_size():
    def f(q, k, v):
        s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        m = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril(k.size(-2) - q.size(-2))
        return s.masked_fill(~m, float("-inf")).softmax(-1) @ v

    twice(f, (R(2, 3, 4), R(2, 5, 4), R(2, 5, 4)), (R(2, 4, 4), R(2, 7, 4), R(2, 7, 4)))


@prog
def vr_batch_norm_state_changing_batch():
    m = nn.Sequential(nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4, momentum=0.3), nn.Hardswish(inplace=True), nn.MaxPool1d(2))
    twice(m, (R(2, 3, 9),), (R(4, 3, 9),))


@prog
def vr_channels_last_changing_batch():
    m = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.SiLU(), nn.AvgPool2d(2)).to(memory_format=torch.channels_last)
    twice(m, (R(2, 3, 6, 6).to(memory_format=torch.channels_last),), (R(4, 3, 6, 6).to(memory_format=torch.channels_last),))


@prog
def vr_mutated_state_and_view_of_it():
    def f(x, s):
        s.mul_(0.9).add_(x.detach().mean(0))
        return x - s, s[1:], s.view(2, 2)

    twice(f, (R(3, 4), R(4, g=False)), (R(5, 4), R(4, g=False)))


@prog
def vr_mutated_changing_inputs():
    def f(x, y):
        x.add_(y.sum())
        y[0] = 0.0
        return x * 2, y.t()

    twice(f, (R(3, 4, g=False), R(3, 4, g=False)), (R(5, 4, g=False), R(5, 4, g=False)))


@prog
def vr_views_of_one_changing_base():
    def f(a, b):
        a.mul_(2)
        return a + 1, b * 3

    def call(n):
        base = torch.randn(n, 6)
        return base[:, :3], base[:, 3:]

    twice(f, call(3), call(5))


@prog
def vr_outputs_alias_each_other():
    def f(x):
        y = x.exp()
        return y, y.view(-1), y[0], x.t(), x.detach()

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def vr_custom_function_with_sizes_and_none():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k, ctx.n = k, x.size(0)
            return x * k, x.new_ones(x.size(0))

        @staticmethod
        def backward(ctx, g, unused):
            (x,) = ctx.saved_tensors
            return g * ctx.k / ctx.n + x.sign(), None

    twice(lambda x: Scale.apply(x, 3.0)[0] * Scale.apply(x.tanh(), 0.5)[0], (R(3, 4),), (R(5, 4),))


@prog
def vr_checkpoint_twice_changing_batch():
    l = nn.Linear(4, 4)

    def block(x):
        return F.gelu(l(x)) + x

    twice(lambda x: checkpoint(block, checkpoint(block, x, use_reentrant=False), use_reentrant=False), (R(3, 4),))


@prog
def vr_autocast_island_and_no_grad():
    l = nn.Linear(4, 4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = l(x) @ x.t()
        with torch.no_grad():
            s = y.float().amax()
        return y.float() / s

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def vr_inference_mode_changing_batch():
    m = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Softmax(-1)).eval()
    c = C(m)
    for n in (3, 5):
        with torch.inference_mode():
            c(torch.randn(n, 4))


@prog
def vr_graph_break_between_changing_halves():
    def f(x):
        y = x.sin() * x.size(0)
        torch._dynamo.graph_break()
        return y.cos().sum(0) + x[0]

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def vr_recompiles_flag_then_shape():
    def f(x, flag, p):
        y = x * p if flag else x / p
        return y.softmax(0)

    c = C(f)
    for args in ((R(3, 4), True, 0.5), (R(3, 4), False, 0.5), (R(5, 4), False, 0.7), (R(6, 4), True, 0.9)):
        back(c(*args))


@prog
def vr_optimizer_adam_step_compiled():
    m = nn.Linear(3, 2)
    o = torch.optim.Adam(m.parameters(), lr=0.01, weight_decay=0.1)

    @C
    def step():
        o.step()

    for _ in range(2):
        m(torch.randn(4, 3)).sum().backward()
        step()


@prog
def vr_optimizer_asgd_rprop():
    for kind in (torch.optim.ASGD, torch.optim.Rprop):
        m = nn.Linear(3, 2)
        o = kind(m.parameters(), lr=0.01)
        m(torch.randn(4, 3)).sum().backward()
        C(lambda: o.step())()


@prog
def vr_saved_tensor_hooks_changing_batch():
    def f(x):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
            return (x.exp() * x).tanh()

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def vr_functional_grads_inside():
    def f(x):
        g = torch.func.grad(lambda y: (y**3).sum())(x)
        return torch.func.vmap(lambda r: r * r.sum())(x) + g

    go(f, R(3, 4))


@prog
def vr_marked_dynamic_two_inputs():
    x, y = R(4, 6), R(6, 4)
    mark_dynamic(x, 0)
    mark_dynamic(y, 1)
    go(lambda a, b: (a @ b).softmax(0) @ b.t(), x, y)


@prog
def vr_marked_image_sizes():
    x = R(2, 3, 8, 10)
    mark_dynamic(x, 2)
    mark_dynamic(x, 3)
    m = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.GroupNorm(2, 4), nn.ReLU(), nn.Upsample(scale_factor=2))
    go(m, x)


@prog
def vr_all_dynamic_from_the_start():
    m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    back(C(lambda x, t: F.mse_loss(m(x), t, reduction="sum") / x.size(0), dynamic=True)(R(3, 4), R(3, 2)))


@prog
def vr_unbacked_rows_of_mask():
    def f(x):
        rows = x[x[:, 0] > 0]
        return rows.sum(0) * 2, rows.size(0) * x.mean()

    go(f, R(6, 4))


@prog
def vr_unbacked_item_repeats():
    def f(x, n):
        k = n.item()
        torch._check(k >= 2)
        torch._check(k < 10)
        return torch.ones(k, 4) @ x, x.new_zeros(k).sum() + x

    go(f, R(4, 4), torch.tensor(3))


@prog
def vr_unbacked_nonzero_pairs():
    def f(x, m):
        i = m.nonzero()
        return x[i[:, 0], i[:, 1]].exp().sum()

    go(f, R(4, 4), R(4, 4, g=False) > 0)


@prog
def vr_dicts_and_dataclass_of_changing_batch():
    def f(d):
        return {"a": d["x"] * 2, "b": [d["y"].sum(0), d["x"].size(0)]}

    twice(f, ({"x": R(3, 4), "y": R(3, 2)},), ({"x": R(5, 4), "y": R(5, 2)},))


@prog
def vr_complex_weights_step():
    w = torch.randn(4, 4, dtype=torch.complex64, requires_grad=True)
    go(lambda x: torch.view_as_real((x.to(torch.complex64) @ w).conj() * 2j).sum(), R(3, 4))


@prog
def vr_double_conv_and_int_pool():
    m = nn.Conv2d(3, 4, 3, dtype=torch.float64)
    go(lambda x: m(x.double()).sum((2, 3)).float() + x.long().sum(), R(2, 3, 6, 6))


@prog
def vr_siren_and_fourier_features():
    l, b = nn.Linear(8, 3), torch.randn(2, 4)
    twice(lambda x: torch.sin(30 * l(torch.cat([(x @ b).sin(), (x @ b).cos()], -1))), (R(5, 2),), (R(9, 2),))


@prog
def vr_dice_and_total_variation():
    def f(x, t):
        p = x.sigmoid()
        dice = 1 - 2 * (p * t).sum((1, 2, 3)) / (p + t).sum((1, 2, 3)).clamp(min=1)
        return dice.mean() + (x[..., 1:] - x[..., :-1]).abs().mean() + (x[..., 1:, :] - x[..., :-1, :]).abs().mean()

    twice(f, (R(2, 1, 6, 6), R(2, 1, 6, 6, g=False)), (R(3, 1, 8, 8), R(3, 1, 8, 8, g=False)))


@prog
def vr_speech_features():
    w = torch.hann_window(8)

    def f(x):
        s = torch.stft(x, 8, 4, window=w, return_complex=True).abs()
        return (s + 1e-3).log().diff(dim=-1).mean(-1)

    go(f, R(2, 32))


@prog
def vr_gated_conv_residual_chain():
    cs = nn.ModuleList(nn.Conv1d(4, 8, 2, dilation=2**i) for i in range(3))

    def f(x):
        skips = 0
        for i, c in enumerate(cs):
            a, b = c(F.pad(x, (2**i, 0))).chunk(2, 1)
            x = x + a.tanh() * b.sigmoid()
            skips = skips + x
        return skips.relu().mean(-1)

    twice(f, (R(2, 4, 8),), (R(2, 4, 11),))


@prog
def vr_token_merging_by_similarity():
    def f(x):
        a, b = x[:, ::2], x[:, 1::2]
        s = F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).transpose(1, 2)
        best, where = s.max(-1)
        moved = b.scatter_reduce(1, where.unsqueeze(-1).expand_as(a), a * best.unsqueeze(-1), "mean")
        return moved.mean(1)

    twice(f, (R(2, 6, 4),), (R(3, 6, 4),))


@prog
def vr_ema_teacher_and_buffers():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(4, 4)
            s.register_buffer("center", torch.zeros(4))
            s.register_buffer("n", torch.zeros((), dtype=torch.long))

        def forward(s, x):
            y = s.l(x)
            with torch.no_grad():
                s.center.lerp_(y.mean(0), 0.1)
                s.n += 1
            return (y - s.center).softmax(-1) * s.n

    twice(M(), (R(3, 4),), (R(5, 4),))
