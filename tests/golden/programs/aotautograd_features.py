"""What AOTAutograd handles of its own: inputs that are written to, outputs that alias, synthetic bases, duplicate inputs,
hooks, checkpoints, random numbers, autocast, unbacked sizes, higher-order operators."""

from torch._dynamo.decorators import mark_dynamic, mark_unbacked
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from common import *

# ---- models and steps ------------------------------------------------------------------------------------------------


@prog
def fm_mlp_adamw_two_steps():
    m = nn.Sequential(nn.Linear(12, 24), nn.Mish(), nn.LayerNorm(24), nn.Linear(24, 24), nn.Hardtanh(), nn.Linear(24, 3))
    o = torch.optim.AdamW(m.parameters(), lr=1e-2)
    c = C(m)
    for _ in range(2):
        F.cross_entropy(c(R(6, 12, g=False)), torch.randint(0, 3, (6,))).backward()
        o.step()
        o.zero_grad()


@prog
def fm_mlp_loss_inside_no_bias():
    a, b = nn.Linear(8, 16, bias=False), nn.Linear(16, 8, bias=False)

    def f(x, t):
        h = F.relu6(a(x)) * torch.sigmoid(a(x))
        return F.gaussian_nll_loss(b(h), t, F.softplus(b(h.detach())) + 1e-3)

    go(f, R(4, 8, g=False), R(4, 8, g=False))


@prog
def fm_mlp_inference_bf16():
    m = nn.Sequential(nn.Linear(8, 8), nn.GELU(approximate="tanh"), nn.Linear(8, 2)).bfloat16()
    with torch.no_grad():
        go(m, torch.randn(3, 8, dtype=torch.bfloat16))


@prog
def fm_conv_se_bottleneck():
    class SE(nn.Module):
        def __init__(s, c):
            super().__init__()
            s.a, s.b = nn.Conv2d(c, 4, 1), nn.Conv2d(4, c, 1)

        def forward(s, x):
            w = F.adaptive_avg_pool2d(x, 1)
            return x * F.hardsigmoid(s.b(F.relu(s.a(w), inplace=True)))

    class Net(nn.Module):
        def __init__(s):
            super().__init__()
            s.i = nn.Sequential(nn.Conv2d(4, 8, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish(inplace=True))
            s.d = nn.Sequential(
                nn.Conv2d(8, 8, 5, stride=2, padding=2, groups=8, bias=False), nn.BatchNorm2d(8, eps=1e-3), SE(8)
            )
            s.o = nn.Sequential(nn.Conv2d(8, 6, 1, bias=False), nn.BatchNorm2d(6, momentum=0.01))

        def forward(s, x):
            return s.o(s.d(s.i(x)))

    go(Net(), R(2, 4, 9, 9, g=False))


@prog
def fm_conv_bn_called_twice():
    c, n = nn.Conv2d(3, 3, 3, padding="same"), nn.BatchNorm2d(3)

    def f(x):
        y = F.relu_(n(c(x)))
        return n(c(y)) + y

    go(f, R(2, 3, 5, 5))


@prog
def fm_conv3d_instance_norm_stats():
    m = nn.Sequential(
        nn.Conv3d(2, 4, (1, 3, 3), stride=(1, 2, 2)),
        nn.InstanceNorm3d(4, affine=True, track_running_stats=True),
        nn.LeakyReLU(0.2, inplace=True),
        nn.AvgPool3d(2, ceil_mode=True, count_include_pad=False, padding=1),
    )
    go(m, R(1, 2, 3, 9, 9))


@prog
def fm_conv_groups_dilated_lp_pool():
    m = nn.Sequential(
        nn.ReflectionPad1d(2),
        nn.Conv1d(4, 8, 3, dilation=2, groups=4),
        nn.GroupNorm(4, 8, affine=False),
        nn.LPPool1d(2, 3),
        nn.Softsign(),
    )
    go(m, R(2, 4, 12))


@prog
def fm_bn_eval_in_training_graph():
    b = nn.BatchNorm1d(5)
    b.eval()
    c = nn.BatchNorm1d(5, momentum=None)

    def f(x):
        return c(b(x)) * b.running_var.rsqrt()

    go(f, R(6, 5))


@prog
def fm_transformer_decoder_layer_causal():
    m = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    go(lambda t, s: m(t, s, tgt_mask=mask, tgt_is_causal=True), R(2, 5, 8), R(2, 3, 8))


@prog
def fm_transformer_gqa_rope_cache():
    q, k, v, o = nn.Linear(16, 16, bias=False), nn.Linear(16, 8, bias=False), nn.Linear(16, 8, bias=False), nn.Linear(16, 16)
    inv = 1.0 / (10000 ** (torch.arange(0, 4, 2).float() / 4))

    def rot(x, pos):
        a = torch.outer(pos.float(), inv)
        c, s = a.cos().repeat_interleave(2, -1), a.sin().repeat_interleave(2, -1)
        y = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        return x * c + y * s

    def f(x, pos, ck, cv):
        b, t, _ = x.shape
        split = lambda y: y.unflatten(-1, (-1, 4)).transpose(1, 2)
        kk = torch.cat((ck, rot(split(k(x)), pos)), 2)
        vv = torch.cat((cv, split(v(x))), 2)
        y = F.scaled_dot_product_attention(rot(split(q(x)), pos), kk, vv, enable_gqa=True, scale=0.3)
        return o(y.transpose(1, 2).flatten(2)), kk.detach(), vv.detach()

    go(f, R(1, 3, 16), torch.arange(2, 5), R(1, 2, 2, 4, g=False), R(1, 2, 2, 4, g=False))


@prog
def fm_moe_expert_choice():
    w1, w2, gate = R(3, 8, 12), R(3, 12, 8), nn.Linear(8, 3)

    def f(x):
        s = gate(x).softmax(-1)
        g, i = s.t().topk(2, dim=-1)
        xs = x[i]
        y = torch.einsum("ech,ehd->ecd", F.silu(torch.einsum("ecd,edh->ech", xs, w1)), w2) * g.unsqueeze(-1)
        out = torch.zeros_like(x)
        return out.index_add(0, i.flatten(), y.flatten(0, 1)), -(s * s.log()).sum(-1).mean()

    go(f, R(6, 8))


@prog
def fm_gru_bidirectional_cells():
    a, b = nn.GRUCell(4, 6), nn.GRUCell(4, 6, bias=False)

    def f(x):
        h, g, hs, gs = x.new_zeros(2, 6), x.new_zeros(2, 6), [], []
        for t in range(3):
            h, g = a(x[t], h), b(x[-t - 1], g)
            hs.append(h)
            gs.insert(0, g)
        return torch.cat([torch.stack(hs), torch.stack(gs)], -1).logsumexp(-1)

    go(f, R(3, 2, 4))


@prog
def fm_gnn_attention_two_heads():
    w, a = nn.Linear(4, 6, bias=False), nn.Parameter(torch.randn(1, 2, 3))

    def f(x, s, d):
        h = w(x).view(-1, 2, 3)
        e = F.leaky_relu((h[s] * a).sum(-1) + (h[d] * a).sum(-1), 0.2)
        m = torch.zeros(x.shape[0], 2).scatter_reduce(0, d[:, None].expand(-1, 2), e, "amax", include_self=False)
        p = (e - m[d]).exp()
        z = torch.zeros(x.shape[0], 2).index_add(0, d, p)
        out = torch.zeros(x.shape[0], 2, 3).index_add_(0, d, h.index_select(0, s) * (p / z[d]).unsqueeze(-1))
        return F.elu(out.mean(1))

    go(f, R(5, 4), torch.tensor([0, 1, 2, 3, 4, 0]), torch.tensor([1, 2, 3, 4, 0, 2]))


# ---- random numbers --------------------------------------------------------------------------------------------------


@prog
def fm_rng_dropout_kinds():
    def f(x):
        y = F.dropout2d(x, 0.2) + F.alpha_dropout(x, 0.1, training=True)
        y = F.feature_alpha_dropout(y, 0.1, training=True) * F.rrelu(x, training=True)
        return F.dropout(y, 0.4, inplace=True).sum((2, 3))

    go(f, R(2, 3, 4, 4))


@prog
def fm_rng_noise_like_inputs():
    def f(x, i):
        a = torch.randn_like(x) * 0.1 + torch.rand(3, 4) - torch.empty(3, 4).uniform_(-1, 1)
        b = torch.bernoulli(x.sigmoid()) + torch.randint_like(i, 5)
        c = torch.randperm(4)
        return (x + a)[:, c] * b, torch.normal(x, 1.0), torch.empty_like(x).exponential_(2.0)

    go(f, R(3, 4), torch.randint(0, 9, (3, 4)))


@prog
def fm_rng_gumbel_and_reparameterized():
    m = nn.Linear(5, 6)

    def f(x):
        mu, logvar = m(x).chunk(2, -1)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        y = F.gumbel_softmax(z, tau=0.5, hard=True)
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(-1)
        return y, kl.mean(), torch.multinomial(z.detach().softmax(-1), 2)

    go(f, R(4, 5))


@prog
def fm_rng_dropout_in_checkpoint_and_outside():
    a, b = nn.Linear(6, 6), nn.Linear(6, 6)

    def f(x):
        y = checkpoint(lambda z: F.dropout(torch.sin(a(z)), 0.25), x, use_reentrant=False)
        return F.dropout(b(y), 0.5)

    go(f, R(3, 6))


@prog
def fm_rng_geometric_and_exponential():
    def f(x):
        a = torch.empty_like(x).geometric_(0.25)
        b = torch.empty_like(x).exponential_(2.0)
        return x * a + b, F.dropout3d(x[None, None], 0.5)

    go(f, R(2, 3, 4))


@prog
def fm_ranges_and_reflected_borders():
    def f(x, y):
        grid = torch.linspace(-1, 1, 5)[:, None] + torch.linspace(0.5, 2, 4)
        wide = torch.linspace(0, 10, 3, dtype=torch.bfloat16).float().sum() + torch.linspace(1, 7, 1)
        a = F.pad(x, (1, 2, 0, 1), mode="reflect") * 2
        return F.pad(y, (1, 1, 0, 1, 2, 0), mode="reflect").mean() + a.sum() * wide, grid

    go(f, R(1, 2, 4, 5), R(1, 1, 3, 2, 3))


# ---- sizes that change -----------------------------------------------------------------------------------------------


@prog
def fm_dyn_sizes_returned_and_used():
    def f(x, w):
        b, s = x.shape[:2]
        y = x @ w
        return y.view(b * s, -1).t(), s - 1, b * s // 2, y[:, : s // 2], y.new_full((b, s + 1), 3.0)

    x = R(3, 6, 4)
    mark_dynamic(x, 0)
    mark_dynamic(x, 1)
    go(f, x, R(4, 5))


@prog
def fm_dyn_conv_and_flatten():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.ReLU6(), nn.MaxPool2d(3, 2, 1), nn.AdaptiveAvgPool2d((2, 2)))
    h = nn.Linear(16, 3)

    def f(x):
        return h(m(x).flatten(1))

    twice(f, (R(2, 3, 16, 16),), (R(3, 3, 16, 20),))


@prog
def fm_dyn_attention_scale_by_size():
    def f(q, k, v):
        d = q.shape[-2]
        a = (q @ k.mT) / math.sqrt(q.size(-1)) * (1.0 / d)
        m = torch.ones(d, k.shape[-2], dtype=torch.bool).triu(1)
        return a.masked_fill(m, float("-inf")).softmax(-1) @ v

    twice(f, (R(2, 5, 8), R(2, 5, 8), R(2, 5, 8)), (R(2, 7, 8), R(2, 7, 8), R(2, 7, 8)))


@prog
def fm_dyn_cat_pad_split():
    def f(x, y):
        z = torch.cat([x, y, x[:1]])
        z = F.pad(z, (0, 0, 1, 2))
        a, b = z.split([x.shape[0] + 1, z.shape[0] - x.shape[0] - 1])
        return a.sum(0), b.cumsum(0), torch.stack([x, x]).flatten(0, 1)

    twice(f, (R(3, 4), R(2, 4)), (R(5, 4), R(4, 4)))


@prog
def fm_dyn_chunk_roll_flip():
    def f(x):
        a, b = x.chunk(2, dim=1)
        return torch.roll(a, 1, 1) * b.flip(1), x.unfold(1, 3, 2).mean(-1), x.repeat(1, 2)[:, ::3]

    twice(f, (R(2, 8),), (R(2, 12),))


@prog
def fm_dyn_float_and_int_arguments():
    def f(x, eps, n):
        return x * eps + n, x.mean(0, keepdim=True).expand(n, -1), torch.arange(n) * eps

    twice(f, (R(4, 3), 0.5, 4), (R(4, 3), 0.25, 6), (R(4, 3), 0.75, 7))


@prog
def fm_dyn_batch_norm_and_losses():
    m = nn.Sequential(nn.Linear(5, 6), nn.BatchNorm1d(6), nn.SELU(), nn.Linear(6, 4))

    def f(x, t):
        y = m(x)
        return F.cross_entropy(y, t, reduction="sum") / x.shape[0], F.kl_div(y.log_softmax(-1), y.detach().softmax(-1), reduction="batchmean")

    twice(f, (R(4, 5), torch.randint(0, 4, (4,))), (R(7, 5), torch.randint(0, 4, (7,))))


@prog
def fm_dyn_scatter_gather_sort():
    def f(x, i):
        v, o = x.sort(1, descending=True)
        y = torch.gather(x, 1, i).masked_fill(i > 1, 0.0)
        return torch.zeros_like(x).scatter_add(1, i, v[:, : i.shape[1]]), y.logcumsumexp(1), o.argmax(1)

    twice(f, (R(3, 5), torch.randint(0, 5, (3, 2))), (R(4, 6), torch.randint(0, 6, (4, 3))))


@prog
def fm_dyn_interpolate_by_factor():
    c = nn.Conv2d(2, 2, 3, padding=1)

    def f(x):
        y = F.interpolate(c(x), scale_factor=2, mode="bilinear", align_corners=True)
        return F.interpolate(y, size=x.shape[-2:], mode="area") + F.pixel_unshuffle(y, 2).mean(1, keepdim=True)

    twice(f, (R(1, 2, 4, 6),), (R(1, 2, 6, 8),))


@prog
def fm_dyn_mutated_inputs_and_aliases():
    def f(x, buf):
        n = x.shape[0]
        buf[:n].add_(x.detach())
        x = x * buf[:n]
        return x, x.view(-1), buf, buf.narrow(0, 0, 2)

    twice(f, (R(3, 2), torch.zeros(8, 2)), (R(5, 2), torch.zeros(8, 2)))


@prog
def fm_dyn_checkpoint_mlp():
    a, b = nn.Linear(4, 8), nn.Linear(8, 4)
    f = lambda x: checkpoint(lambda y: b(F.gelu(a(y))), x, use_reentrant=False).mean(0) * x.shape[0]
    twice(f, (R(3, 4),), (R(6, 4),))


@prog
def fm_dyn_embedding_positions():
    e, p, n = nn.Embedding(20, 6, padding_idx=0), nn.Embedding(16, 6), nn.LayerNorm(6)

    def f(i):
        x = n(e(i) * math.sqrt(6) + p(torch.arange(i.shape[1]).unsqueeze(0)))
        keep = (i != 0).unsqueeze(-1)
        return (x * keep).sum(1) / keep.sum(1).clamp(min=1)

    twice(f, (torch.randint(0, 20, (2, 5)),), (torch.randint(0, 20, (3, 7)),))


@prog
def fm_dyn_einsum_matmul_broadcast():
    w = nn.Parameter(torch.randn(2, 4, 3))

    def f(x, y):
        a = torch.einsum("bij,hjd->bhid", x, w)
        return torch.matmul(a, a.mT).diagonal(dim1=-2, dim2=-1), torch.bmm(x, y), x.unsqueeze(1) + y.mT.unsqueeze(2)

    twice(f, (R(2, 3, 4), R(2, 4, 3)), (R(3, 5, 4), R(3, 4, 5)))


@prog
def fm_dyn_norms_and_statistics():
    def f(x):
        y = F.rms_norm(x, (6,)) + F.instance_norm(x.transpose(1, 2)).transpose(1, 2)
        v, m = torch.var_mean(y, dim=1, correction=1)
        return (y - m.unsqueeze(1)) / (v.unsqueeze(1) + 1e-5).sqrt(), x.norm(dim=(0, 1)), x.median(1).values, y.std()

    twice(f, (R(2, 4, 6),), (R(3, 5, 6),))


# ---- sizes and numbers that only the data tell -----------------------------------------------------------------------


@prog
def fm_unbacked_masked_select_loss():
    capture_values()
    m = nn.Linear(4, 3)

    def f(x, t):
        keep = t >= 0
        y = m(x)[keep]
        return F.nll_loss(y.log_softmax(-1), t[keep]), keep.sum()

    go(f, R(5, 4), torch.tensor([0, -1, 2, 1, -1]))


@prog
def fm_unbacked_item_slices_two():
    capture_values()

    def f(x, n):
        a, b = n.tolist()
        torch._check(a >= 1)
        torch._check(b >= 1)
        torch._check(a + b <= 8)
        return x.narrow(0, 0, a).sum(0) + x.narrow(0, a, b).mean(0), torch.ones(a + b) * 2

    go(f, R(8, 3), torch.tensor([3, 4]))


@prog
def fm_unbacked_nonzero_scatter_back():
    capture_values()

    def f(x, w):
        i = (x.abs().sum(1) > 1).nonzero().squeeze(1)
        y = torch.tanh(x.index_select(0, i) @ w)
        return torch.zeros(x.shape[0], w.shape[1]).index_copy(0, i, y), i

    go(f, R(6, 3), R(3, 2))


@prog
def fm_unbacked_repeat_interleave_segments():
    capture_values()

    def f(x, n):
        y = torch.repeat_interleave(x, n, dim=0)
        s = torch.repeat_interleave(torch.arange(n.shape[0]), n)
        return torch.zeros_like(x).index_add(0, s, y.sin()), y.shape[0]

    go(f, R(3, 2), torch.tensor([2, 0, 3]))


@prog
def fm_unbacked_item_as_number():
    capture_values()

    def f(x, s, k):
        a = s.item()
        n = k.item()
        torch._check(n >= 0)
        torch._check(n < 4)
        return x * a, x[n], torch.full((2,), a), x.select(0, n) * n

    go(f, R(4, 3), torch.tensor(0.5), torch.tensor(2))


@prog
def fm_unbacked_marked_input():
    def f(x, w):
        return (x @ w).relu().sum(0), x.new_zeros(x.shape[0], 2)

    x = R(5, 4)
    mark_unbacked(x, 0)
    go(f, x, R(4, 3))


@prog
def fm_unbacked_unique_inverse():
    capture_values()
    e = nn.Embedding(10, 3)

    def f(i):
        u, inv, n = torch.unique(i, return_inverse=True, return_counts=True)
        return e(u)[inv], (e(u) * n.unsqueeze(1)).sum(0)

    go(f, torch.tensor([1, 3, 1, 7]))


# ---- inputs that are written to --------------------------------------------------------------------------------------


@prog
def fm_mut_under_no_grad_leaf():
    def f(x, y):
        with torch.no_grad():
            x.add_(1)
            y.detach().mul_(2)
        return x * y

    go(f, R(4), R(4))


@prog
def fm_mut_view_of_input_requires_grad():
    def f(x, y):
        x[1:3].mul_(y)
        x.view(-1)[0] = 0.0
        return x.sum(0), x

    go(f, R(4, 2).clone(), R(2, 2))


@prog
def fm_mut_many_kinds():
    def f(a, b, c, i):
        a.index_put_((i,), b[:2], accumulate=True)
        b.masked_fill_(b > 0, -1.0).clamp_(min=-0.5)
        c.scatter_(0, i, 7).bitwise_and_(3)
        i.copy_(i.flip(0))
        return a * 2, b.sum(), c + i[0]

    go(f, R(4, 3, g=False), R(4, 3, g=False), torch.arange(4), torch.tensor([1, 0]))


@prog
def fm_mut_transposed_and_metadata():
    def f(a, b, c):
        a.transpose_(0, 1).mul_(3)
        b.squeeze_(0)
        c.unsqueeze_(-1).add_(1)
        return a + 1, b * 2, c.sum()

    go(f, R(2, 3, g=False), R(1, 4, g=False), R(3, g=False))


@prog
def fm_mut_returned_with_views():
    def f(x, y):
        z = x.mul_(y)
        w = y.t()
        w.add_(1)
        return z, x.t(), w, y[0], x + 1

    go(f, R(3, 3, g=False), R(3, 3, g=False))


@prog
def fm_mut_non_contiguous_inputs():
    def f(x, y):
        x.add_(y)
        y[:, 0].zero_()
        return x.reshape(-1) * 2, y.contiguous()

    go(f, torch.randn(4, 3).t(), torch.randn(3, 8)[:, ::2])


@prog
def fm_mut_buffers_of_module():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("n", torch.zeros((), dtype=torch.long))
            s.register_buffer("avg", torch.zeros(4))
            s.register_buffer("q", torch.zeros(3, 4), persistent=False)

        def forward(s, x):
            s.n += 1
            s.avg.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
            s.q[s.n % 3] = s.avg
            s.q.copy_(s.q.roll(1, 0))
            return (x - s.avg) * s.q.sum(0) / s.n

    go(M(), R(3, 4))


@prog
def fm_mut_twice_and_saved_between():
    def f(x, w):
        x.mul_(2)
        y = x.sin() * w
        x.add_(y.detach())
        return y * x, x.cos()

    go(f, R(3, 3, g=False), R(3, 3))


@prog
def fm_mut_data_and_fill():
    def f(p, x):
        p.data.mul_(0.5)
        x.fill_(2.0)
        x[..., 1].zero_()
        return (p * x).sum()

    go(f, nn.Parameter(torch.randn(2, 3)), torch.randn(2, 3))


@prog
def fm_mut_inference_copies():
    def f(a, b, c):
        a.copy_(b.double())
        b.t_().neg_()
        c.set_(a.flatten()[:2].clone())
        return a.sum() + b.mean()

    with torch.no_grad():
        go(f, torch.randn(2, 2), torch.randn(2, 2), torch.randn(2))


@prog
def fm_mut_swap_two_inputs():
    def f(a, b):
        t = a.clone()
        a.copy_(b)
        b.copy_(t)
        return (a - b).pow(2)

    go(f, R(4).clone(), R(4, g=False))


# ---- outputs that share memory ---------------------------------------------------------------------------------------


@prog
def fm_alias_input_many_views():
    def f(x, y):
        return x, x[1:], x.view(2, -1).t(), y.expand(3, 4), y.unsqueeze(0).squeeze(0), x.diagonal(), x.movedim(0, 1), x * 1

    go(f, R(4, 4), R(4))


@prog
def fm_alias_multi_output_views():
    def f(x, y):
        a, b = x.split(2)
        c, d = (y * 2).unbind(1)
        return a, b.view(-1), c, d, y.tensor_split(2, 1)[0]

    go(f, R(4, 2), R(3, 2))


@prog
def fm_alias_intermediate_and_base():
    def f(x):
        y = x.exp()
        z = y.view(-1)
        w = x.sin().t()
        return y, z, y[0], w, w.t(), y.detach(), z.detach()[1:]

    go(f, R(2, 3))


@prog
def fm_alias_of_mutated_input():
    def f(x, y):
        x.add_(1)
        v = x.view(-1)
        y.mul_(x)
        return v, v[:2], y.t(), x

    go(f, R(2, 2).clone(), R(2, 2).clone())


@prog
def fm_alias_parameter_and_buffer():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.randn(3, 4))
            s.register_buffer("b", torch.randn(4))

        def forward(s, x):
            return s.w.t(), s.b[1:], s.w, x @ s.w + s.b, s.w.detach()

    go(M(), R(2, 3))


@prog
def fm_alias_dtype_and_complex_views():
    def f(x, z):
        return torch.view_as_real(z), z.real, x.view(torch.int32), torch.view_as_complex(x.view(-1, 2)) * z[0], z.conj()

    go(f, R(4, 2), torch.randn(3, dtype=torch.complex64, requires_grad=True))


@prog
def fm_alias_no_grad_views():
    def f(x):
        with torch.no_grad():
            v = x.view(-1)
        w = (x * 2).view(-1)
        with torch.no_grad():
            u = w[:3]
        return v, w, u, x.detach().t()

    go(f, R(3, 2))


# ---- inputs of one memory --------------------------------------------------------------------------------------------


@prog
def fm_synthetic_base_whole_and_parts():
    def f(a, b, c, x):
        b.add_(x)
        return a * 2, b.sum(), c + x.mean()

    t = torch.randn(4, 4)
    go(f, t, t[1], t[:, 2], R(4, g=False))


@prog
def fm_synthetic_base_halves_apart():
    def f(a, b):
        a.mul_(b)
        return a + b

    t = torch.randn(8)
    go(f, t[:4], t[4:])


@prog
def fm_synthetic_base_grad_two_bases():
    def f(a, b, c, d):
        a.sin_()
        d.mul_(2)
        return a + b, (c * d).sum(), b.view(2, -1)

    x, y = R(4, 4).clone(), R(6).clone()
    go(f, x.view(-1), x.view(2, 8).flatten(), y[1:5], y[2:6])


@prog
def fm_synthetic_base_inference():
    def f(a, b):
        a.add_(1)
        b.mul_(2)
        return a.sum() - b

    t = torch.arange(6.0)
    with torch.no_grad():
        go(f, t.view(2, 3), t[2:])


@prog
def fm_dedupe_thrice_mutated():
    def f(a, b, c, d):
        a.mul_(2)
        return a + b * c - d, b

    x = torch.randn(3)
    go(f, x, x, R(3), x)


@prog
def fm_dedupe_parameter_also_argument():
    m = nn.Linear(3, 3)
    go(lambda x, w: m(x) @ w + m.weight, R(3, 3), m.weight)


# ---- gradients -------------------------------------------------------------------------------------------------------


@prog
def fm_none_grads_of_unused_inputs():
    def f(a, b, c, d):
        return (a * b.detach()).sum(), c.argmax(), d.round(), torch.where(a > 0, a, torch.zeros(())), c.sign() * a

    go(f, R(3), R(3), R(3), R(3))


@prog
def fm_double_precision_and_integers():
    def f(x, i, h):
        y = x.double() @ x.double().t()
        return torch.linalg.cholesky(y + 4 * torch.eye(3)).float().sum(), (x * i).half() + h, i // 2 - i % 3, x.bool() ^ (i > 1)

    go(f, R(3, 3), torch.arange(9).view(3, 3), torch.randn(3, 3, dtype=torch.half, requires_grad=True))


@prog
def fm_autograd_function_three_inputs_once():
    class Op(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, b, eps):
            m = x.mean(-1, keepdim=True)
            r = (x.var(-1, keepdim=True, unbiased=False) + eps).rsqrt()
            y = (x - m) * r
            ctx.save_for_backward(y, r, w)
            ctx.mark_non_differentiable(r)
            return y * w + b, r

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g, _):
            y, r, w = ctx.saved_tensors
            gy = g * w
            gx = (gy - gy.mean(-1, keepdim=True) - y * (gy * y).mean(-1, keepdim=True)) * r
            return gx, (g * y).sum(0), g.sum(0), None

    go(lambda x, w, b: Op.apply(x, w, b, 1e-5)[0].relu(), R(4, 6), R(6), R(6))


@prog
def fm_autograd_function_chained_and_view():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, s):
            ctx.s = s
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g * ctx.s, None

    class Mul(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x if ctx.needs_input_grad[1] else None

    go(lambda x, y: Mul.apply(Scale.apply(x.sin(), 0.1), y) + Scale.apply(y, 2.0), R(3, 2), R(3, 2, g=False))


def hooked(pack, unpack, f, *args):
    """Hooks that are graphs are put into the compiled halves."""
    torch._functorch.config.saved_tensors_hooks_filtering_mode = "all"
    c = C(f)
    with torch.autograd.graph.saved_tensors_hooks(torch.fx.symbolic_trace(pack), torch.fx.symbolic_trace(unpack)):
        back(c(*args))


def pack_int8(x):
    s = x.abs().amax() / 127 + 1e-8
    return (x / s).round().to(torch.int8), s


def unpack_int8(packed):
    return packed[0].float() * packed[1]


@prog
def fm_hooks_int8_pack():
    w = R(6, 6)
    hooked(pack_int8, unpack_int8, lambda x, w: torch.sigmoid(x @ w).exp() @ w, R(4, 6), w)


@prog
def fm_hooks_bf16_dynamic():
    x = R(4, 3)
    mark_dynamic(x, 0)
    pack, unpack = lambda x: x.to(torch.bfloat16), lambda x: x.to(torch.float32)
    hooked(pack, unpack, lambda x, w: torch.tanh(torch.exp(x @ w) @ w.t()).sum(-1), x, R(3, 5))


@prog
def fm_ac_nested_blocks_and_kwargs():
    a, b, n = nn.Linear(6, 12), nn.Linear(12, 6), nn.LayerNorm(6)

    def block(x, scale=1.0):
        return x + scale * b(F.silu(a(n(x))))

    def outer(x):
        return checkpoint(block, x, use_reentrant=False, scale=0.5) + checkpoint(block, x, use_reentrant=False)

    go(lambda x: checkpoint(outer, x.sin(), use_reentrant=False).sum(-1), R(3, 6))


@prog
def fm_ac_selective_softmax_attention():
    save = {torch.ops.aten.mm.default, torch.ops.aten.bmm.default}

    def policy(ctx, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if op in save else CheckpointPolicy.PREFER_RECOMPUTE

    w = nn.Linear(6, 18)

    def att(x):
        q, k, v = w(x).chunk(3, -1)
        return torch.softmax(q @ k.mT / 6**0.5, -1) @ v

    def f(x):
        y = checkpoint(att, x, use_reentrant=False, context_fn=functools.partial(create_selective_checkpoint_contexts, policy))
        return checkpoint(att, y, use_reentrant=False).relu()

    go(f, R(2, 4, 6))


@prog
def fm_grad_inside_and_detached_target():
    w = nn.Parameter(torch.randn(4, 4))

    def f(x):
        x = x.detach().requires_grad_(True)
        (g,) = torch.autograd.grad(((x @ w) ** 3).sum(), x, create_graph=True)
        return (g * g).sum(), g.detach()

    go(f, R(3, 4))


@prog
def fm_tensor_hook_in_graph():
    def f(x, w):
        y = x @ w
        y.register_hook(lambda g: g.clamp(-1, 1) * 2)
        return (y.sin() * y).sum(0)

    go(f, R(3, 4), R(4, 2))


# ---- numbers in other precisions -------------------------------------------------------------------------------------


@prog
def fm_amp_attention_and_losses():
    q = nn.Linear(8, 24)
    n = nn.LayerNorm(8)

    def f(x, t):
        with torch.autocast("cpu", torch.bfloat16):
            a, b, c = q(n(x)).chunk(3, -1)
            y = F.scaled_dot_product_attention(a, b, c)
            with torch.autocast("cpu", enabled=False):
                z = y.float().cumsum(1)
            y = torch.cat([y, z.to(y.dtype)], -1)
        return F.mse_loss(y.float().mean(-1), t), y

    go(f, R(2, 3, 8), R(2, 3, g=False))


@prog
def fm_amp_conv_weights_cast_once():
    c = nn.Conv1d(2, 4, 3)

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            return c(x) + c(x.flip(-1)), torch.mm(x[0], x[0].t()).softmax(-1)

    go(f, R(2, 2, 8))


@prog
def fm_complex_fft2_filter():
    w = nn.Parameter(torch.randn(4, 3, dtype=torch.complex64))

    def f(x):
        y = torch.fft.rfft2(x, norm="ortho") * w
        z = torch.fft.fftshift(torch.fft.fftn(x, dim=(-2, -1)), dim=-1)
        return torch.fft.irfft2(y, s=x.shape[-2:]), z.abs().log1p(), torch.polar(z.abs(), z.angle()).imag, (z * 1j).conj().real

    go(f, R(2, 4, 4))


# ---- optimizers ------------------------------------------------------------------------------------------------------


def optimizer_step(make, **shape):
    m = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    optimizer_steps(m, make(m.parameters()), torch.randn(5, 4))


@prog
def fm_optimizer_sgd_momentum_decay_maximize():
    optimizer_step(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-2, nesterov=True, maximize=True))


@prog
def fm_optimizer_adam_foreach_off():
    optimizer_step(lambda p: torch.optim.Adam(p, lr=torch.tensor(1e-3), foreach=False, amsgrad=True, capturable=False))


@prog
def fm_optimizer_rmsprop_adamax():
    optimizer_step(lambda p: torch.optim.RMSprop(p, lr=1e-2, momentum=0.5, foreach=True))
    optimizer_step(lambda p: torch.optim.Adamax(p, lr=1e-2))


# ---- guards, breaks, failures ----------------------------------------------------------------------------------------


@prog
def fm_graph_break_in_module_and_if():
    a, b = nn.Linear(4, 4), nn.Linear(4, 2)

    def f(x):
        y = a(x).relu()
        torch._dynamo.graph_break()
        if y.sum() > 0:
            y = y * 2
        else:
            y = y - 1
        return b(y).softmax(-1)

    go(f, R(3, 4))


@prog
def fm_recompiles_rank_dtype_training():
    m = nn.Sequential(nn.Dropout(0.5), nn.Linear(4, 4))
    c = C(m)
    back(c(R(2, 4)))
    back(c(R(2, 3, 4)))
    m.eval()
    back(c(R(2, 4)))
    with torch.no_grad():
        c(R(2, 4))


@prog
def fm_fail_data_dependent_guard_fullgraph():
    def f(x):
        return x * 2 if x.sum() > 0 else x

    with contextlib.suppress(Exception):
        C(f, fullgraph=True)(R(3))


@prog
def fm_fail_backend_raises_second():
    calls = []

    def backend(gm, inputs):
        calls.append(gm)
        if len(calls) > 1:
            raise RuntimeError("this backend takes one graph")
        return torch._dynamo.backends.registry.lookup_backend("aot_eager")(gm, inputs)

    def f(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    with contextlib.suppress(Exception):
        back(torch.compile(f, backend=backend)(R(3)))


# ---- graphs inside graphs, custom operators --------------------------------------------------------------------------


@prog
def fm_hop_cond_closure_two_outputs():
    w = nn.Parameter(torch.randn(3, 3))

    def f(p, x):
        return torch.cond(p, lambda y: (y @ w, y.sum()), lambda y: (y.sin(), y.mean()), (x,))

    go(f, torch.tensor(True), R(2, 3))


@prog
def fm_hop_invoke_subgraph_twice_inference():
    @torch.compiler.nested_compile_region
    def block(x, w):
        return torch.tanh(x @ w)

    with torch.no_grad():
        go(lambda x, w: block(block(x, w), w), torch.randn(2, 3), torch.randn(3, 3))


@prog
def fm_hop_while_loop_counts():
    from torch._higher_order_ops import while_loop

    def f(x):
        return while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))

    with torch.no_grad():
        go(f, torch.randn(3))


@prog
def fm_custom_op_list_and_optional():
    @torch.library.custom_op("family::mix", mutates_args=())
    def mix(xs: list[torch.Tensor], w: torch.Tensor | None, alpha: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
        y = sum(xs) * alpha
        return y, y.sum() if w is None else y @ w

    @mix.register_fake
    def _(xs, w, alpha=1.0):
        y = torch.empty_like(xs[0])
        return y, y.new_empty(()) if w is None else y @ w

    def setup(ctx, inputs, output):
        ctx.n, ctx.alpha = len(inputs[0]), inputs[2]

    mix.register_autograd(lambda ctx, a, b: ([a * ctx.alpha] * ctx.n, None, None), setup_context=setup)
    go(lambda x, y: mix([x.sin(), y], None, 0.5)[0].cos(), R(3, 3), R(3, 3))
