"""Models as papers have them, aliases and mutation, autograd functions, operators by family, changing sizes."""

from common import *

# ---- models -------------------------------------------------------------------------------------------------------


@prog
def un_attention_unet_gates():
    class Gate(nn.Module):
        def __init__(s, c):
            super().__init__()
            s.g, s.x, s.p = nn.Conv2d(c, c, 1), nn.Conv2d(c, c, 1, bias=False), nn.Conv2d(c, 1, 1)

        def forward(s, g, x):
            return x * torch.sigmoid(s.p(F.leaky_relu(s.g(g) + s.x(x), 0.1, inplace=True)))

    class Net(nn.Module):
        def __init__(s):
            super().__init__()
            s.a = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.SiLU())
            s.b = nn.Sequential(nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, padding=1), nn.InstanceNorm2d(4, affine=True), nn.ELU())
            s.gate = Gate(4)
            s.o = nn.Conv2d(8, 3, 1)

        def forward(s, x, t):
            a = s.a(x)
            u = F.interpolate(s.b(a), size=a.shape[2:], mode="bilinear", align_corners=False)
            y = s.o(torch.cat([s.gate(u, a), u], dim=1))
            p = y.softmax(1)
            h = F.one_hot(t, 3).permute(0, 3, 1, 2).float()
            dice = 1 - (2 * (p * h).sum((0, 2, 3)) + 1) / (p.sum((0, 2, 3)) + h.sum((0, 2, 3)) + 1)
            return dice.mean() + F.cross_entropy(y, t, label_smoothing=0.1)

    go(Net(), R(2, 1, 8, 8, g=False), torch.randint(0, 3, (2, 8, 8)))


@prog
def un_gru_written_out():
    class Cell(nn.Module):
        def __init__(s, i, h):
            super().__init__()
            s.w, s.u = nn.Parameter(torch.randn(3 * h, i) * 0.1), nn.Parameter(torch.randn(3 * h, h) * 0.1)
            s.b = nn.Parameter(torch.zeros(3 * h))

        def forward(s, x, h):
            a, b = F.linear(x, s.w, s.b), F.linear(h, s.u)
            ar, az, an = a.chunk(3, 1)
            br, bz, bn = b.chunk(3, 1)
            r, z = (ar + br).sigmoid(), (az + bz).sigmoid()
            return torch.lerp(torch.tanh(an + r * bn), h, z)

    cell, out = Cell(4, 6), nn.Linear(6, 2)

    def f(x, lengths):
        h = x.new_zeros(x.size(0), 6)
        ys = []
        for i, v in enumerate(x.unbind(1)):
            n = cell(v, h)
            h = torch.where((i < lengths)[:, None], n, h)
            ys.append(h)
        return out(torch.stack(ys, 1)), h

    go(f, R(3, 5, 4), torch.tensor([5, 2, 4]))


@prog
def un_lstm_cell_module_bptt_detach():
    cell, head = nn.LSTMCell(3, 5), nn.Linear(5, 3)

    def f(x):
        h = c = torch.zeros(x.shape[1], 5)
        loss = 0.0
        for t in range(x.shape[0] - 1):
            if t % 2 == 0:
                h, c = h.detach(), c.detach()
            h, c = cell(x[t], (h, c))
            loss = loss + F.smooth_l1_loss(head(h), x[t + 1], beta=0.5)
        return loss / x.shape[0], h

    go(f, R(5, 2, 3, g=False))


@prog
def un_switch_moe_top1_capacity():
    E, D = 4, 6
    gate = nn.Linear(D, E, bias=False)
    w1, w2 = nn.Parameter(torch.randn(E, D, 2 * D) * 0.1), nn.Parameter(torch.randn(E, 2 * D, D) * 0.1)

    def f(x):
        n = x.shape[0]
        p = gate(x).softmax(-1)
        v, i = p.topk(1, dim=-1)
        m = F.one_hot(i.squeeze(-1), E)
        pos = (m.cumsum(0) - 1) * m
        keep = (pos < 3) & (m > 0)
        slot = (pos * keep).sum(-1)
        ok = keep.any(-1)
        flat = i.squeeze(-1) * 3 + slot
        buf = x.new_zeros(E * 3, D).index_add_(0, flat, x * ok[:, None])
        y = torch.bmm(F.gelu(torch.bmm(buf.view(E, 3, D), w1)), w2).view(E * 3, D)
        out = y.index_select(0, flat) * (v * ok[:, None])
        aux = E * (m.float().mean(0) * p.mean(0)).sum()
        z = torch.logsumexp(gate(x), -1).square().mean()
        return out + x, aux + 1e-3 * z

    go(f, R(10, D))


@prog
def un_moe_sorted_tokens_unbacked():
    experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    gate = nn.Linear(4, 3)

    def f(x):
        w, e = gate(x).softmax(-1).topk(2)
        w = w / w.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for k, m in enumerate(experts):
            token, slot = torch.where(e == k)
            out.index_add_(0, token, m(x[token]) * w[token, slot, None])
        return out

    go(f, R(6, 4))


@prog
def un_dit_block_adaln():
    class Block(nn.Module):
        def __init__(s, d=8, h=2):
            super().__init__()
            s.n1, s.n2 = nn.LayerNorm(d, elementwise_affine=False, eps=1e-6), nn.LayerNorm(d, elementwise_affine=False, eps=1e-6)
            s.att = nn.MultiheadAttention(d, h, batch_first=True)
            s.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(approximate="tanh"), nn.Linear(2 * d, d))
            s.ada = nn.Sequential(nn.SiLU(), nn.Linear(d, 6 * d))

        def forward(s, x, c):
            sa, ca, ga, sm, cm, gm = s.ada(c).chunk(6, dim=1)
            mod = lambda x, sh, sc: x * (1 + sc.unsqueeze(1)) + sh.unsqueeze(1)
            h = mod(s.n1(x), sa, ca)
            x = x + ga.unsqueeze(1) * s.att(h, h, h, need_weights=False)[0]
            return x + gm.unsqueeze(1) * s.mlp(mod(s.n2(x), sm, cm))

    def timestep(t, d):
        half = d // 2
        f = torch.exp(-math.log(10000) * torch.arange(0, half, dtype=torch.float32) / half)
        a = t[:, None].float() * f[None]
        return torch.cat([torch.cos(a), torch.sin(a)], dim=-1)

    b, e = Block(), nn.Linear(8, 8)

    def f(x, t, noise):
        abar = torch.cumprod(1 - torch.linspace(1e-4, 0.02, 10), 0)[t].view(-1, 1, 1)
        z = abar.sqrt() * x + (1 - abar).sqrt() * noise
        y = b(z, e(timestep(t, 8)))
        return F.mse_loss(y, noise)

    go(f, R(2, 4, 8, g=False), torch.randint(0, 10, (2,)), R(2, 4, 8, g=False))


@prog
def un_ldm_resblock_cross_attention():
    class Res(nn.Module):
        def __init__(s, c):
            super().__init__()
            s.i = nn.Sequential(nn.GroupNorm(4, c), nn.SiLU(), nn.Conv2d(c, c, 3, padding=1))
            s.e = nn.Linear(6, 2 * c)
            s.n, s.o = nn.GroupNorm(4, c), nn.Sequential(nn.SiLU(), nn.Dropout(0.0), nn.Conv2d(c, c, 3, padding=1))

        def forward(s, x, e):
            h = s.i(x)
            a, b = s.e(F.silu(e))[:, :, None, None].chunk(2, 1)
            return x + s.o(s.n(h) * (1 + a) + b)

    res, n = Res(8), nn.GroupNorm(4, 8)
    q, k, v, o = nn.Linear(8, 8, bias=False), nn.Linear(5, 8, bias=False), nn.Linear(5, 8, bias=False), nn.Linear(8, 8)
    down, up = nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.Conv2d(8, 8, 3, padding=1)

    def f(x, e, c):
        h = res(x, e)
        b, ch, hh, ww = h.shape
        t = n(h).permute(0, 2, 3, 1).reshape(b, hh * ww, ch)
        s = lambda y: y.reshape(b, -1, 2, 4).transpose(1, 2)
        a = F.scaled_dot_product_attention(s(q(t)), s(k(c)), s(v(c)))
        h = h + o(a.transpose(1, 2).reshape(b, -1, ch)).reshape(b, hh, ww, ch).permute(0, 3, 1, 2)
        d = down(F.pad(h, (0, 1, 0, 1)))
        return up(F.interpolate(d, scale_factor=2.0, mode="nearest"))

    go(f, R(2, 8, 4, 4), R(2, 6), R(2, 3, 5))


@prog
def un_contrastive_zoo():
    def f(a, b, t):
        x, y = F.normalize(a), F.normalize(b, dim=1)
        s = x @ y.t() / 0.07
        lab = torch.arange(len(a))
        clip = (F.cross_entropy(s, lab) + F.cross_entropy(s.t(), lab)) / 2
        d = torch.cdist(x, y, p=2.0)
        pos, neg = d.diagonal(), d + torch.eye(len(a)) * 10
        trip = F.relu(pos - neg.min(1).values + 0.2).mean()
        nce = (torch.logsumexp(s, 1) - s.diag()).mean()
        sig = -F.logsigmoid((2 * torch.eye(len(a)) - 1) * s).sum() / len(a)
        z1, z2 = (x - x.mean(0)) / x.std(0), (y - y.mean(0)) / y.std(0)
        c = z1.T @ z2 / len(a)
        on = torch.diagonal(c).add_(-1).pow_(2).sum()
        off = c.flatten()[:-1].view(len(c) - 1, len(c) + 1)[:, 1:].flatten().pow_(2).sum()
        vic = F.relu(1 - torch.sqrt(a.var(dim=0) + 1e-4)).mean()
        return (
            clip + trip + nce + sig + on + 0.1 * off + vic,
            F.cosine_similarity(a, b, dim=-1),
            F.cosine_embedding_loss(a, b, t),
        )

    go(f, R(4, 6), R(4, 6), torch.tensor([1, -1, 1, 1]))


@prog
def un_gnn_scatter_softmax_edges():
    w, att = nn.Linear(4, 6, bias=False), nn.Parameter(torch.randn(2, 6))

    def f(x, e, batch):
        s, d = e[0], e[1]
        h = w(x).view(-1, 2, 3)
        a = F.leaky_relu((torch.cat([h[s], h[d]], -1) * att).sum(-1), 0.2)
        m = torch.full((x.size(0), 2), float("-inf")).scatter_reduce(0, d[:, None].expand_as(a), a.detach(), "amax")
        a = (a - m[d]).exp()
        den = torch.zeros(x.size(0), 2).scatter_add(0, d[:, None].expand_as(a), a)
        o = torch.zeros_like(h).index_add(0, d, h[s] * (a / (den[d] + 1e-16)).unsqueeze(-1))
        g = torch.zeros(2, 6).scatter_reduce_(0, batch[:, None].expand(-1, 6), o.flatten(1), "mean", include_self=False)
        mx = torch.zeros(2, 6).index_reduce(0, batch, o.flatten(1), "amax")
        return torch.cat([g, mx], -1)

    go(f, R(5, 4), torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]]), torch.tensor([0, 0, 0, 1, 1]))


@prog
def un_segment_reduce_and_bincount():
    def f(x, l, i):
        a = torch.segment_reduce(x, "mean", lengths=l, axis=0)
        n = torch.bincount(i, minlength=4)
        return a, (x.sum(1)[: len(i)] / n[i].clamp(min=1))

    go(f, R(6, 3), torch.tensor([2, 3, 1]), torch.tensor([0, 1, 1, 3]))


@prog
def un_schnet_rbf_energy_forces():
    w = nn.Sequential(nn.Linear(8, 8), nn.Softplus(), nn.Linear(8, 4))
    emb, out = nn.Embedding(5, 4), nn.Linear(4, 1)

    def f(z, p, i, j):
        d = (p[i] - p[j]).norm(dim=-1)
        c = torch.linspace(0, 5, 8)
        r = torch.exp(-10 * (d.unsqueeze(-1) - c) ** 2)
        cut = 0.5 * (torch.cos(d * math.pi / 5) + 1) * (d < 5).float()
        h = emb(z)
        m = h[j] * w(r) * cut[:, None]
        h = h + torch.zeros_like(h).index_add_(0, i, m)
        return out(h).sum()

    go(f, torch.tensor([0, 1, 2]), R(3, 3), torch.tensor([0, 0, 1, 2]), torch.tensor([1, 2, 0, 1]))


@prog
def un_qat_linear_fake_quant_written():
    lin = nn.Linear(4, 4)

    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, g):
            return g

    def fq(x, bits=8):
        q = 2 ** (bits - 1) - 1
        s = x.detach().abs().amax() / q
        return (Round.apply(x / s)).clamp(-q - 1, q) * s

    def lsq(x, s):
        g = 1.0 / math.sqrt(x.numel() * 127)
        s = (s - s * g).detach() + s * g
        y = (x / s).clamp(-128, 127)
        y = (y.round() - y).detach() + y
        return y * s

    step = nn.Parameter(torch.tensor(0.05))

    def f(x):
        y = F.linear(fq(x), fq(lin.weight, 4), lin.bias)
        z = torch.fake_quantize_per_tensor_affine(y, 0.1, 0, -128, 127)
        w = torch.fake_quantize_per_channel_affine(
            lin.weight, torch.full((4,), 0.1), torch.zeros(4, dtype=torch.int32), 0, -128, 127
        )
        return lsq(z, step) + F.linear(x, w)

    go(f, R(3, 4))


@prog
def un_parametrizations():
    from torch.nn.utils import parametrizations as P

    a = P.weight_norm(nn.Linear(4, 5), dim=0)
    b = P.spectral_norm(nn.Conv1d(5, 4, 3, padding=1))
    c = P.orthogonal(nn.Linear(4, 4, bias=False), orthogonal_map="cayley")

    def f(x):
        y = a(x).transpose(1, 2)
        return c(b(y).transpose(1, 2).contiguous())

    go(f, R(2, 6, 4))


@prog
def un_orthogonal_matrix_exp_householder():
    from torch.nn.utils import parametrizations as P

    a = P.orthogonal(nn.Linear(3, 3), orthogonal_map="matrix_exp")
    b = P.orthogonal(nn.Linear(4, 3), orthogonal_map="householder")
    go(lambda x, y: a(x) + b(y), R(2, 3), R(2, 4))


@prog
def un_hypernet_batched_weights():
    h = nn.Linear(3, 4 * 5 + 5)

    def f(z, x):
        p = h(z)
        w, b = p[:, :20].unflatten(1, (5, 4)), p[:, 20:]
        y = torch.baddbmm(b.unsqueeze(2), w, x.unsqueeze(2)).squeeze(2)
        return torch.func.functional_call(nn.Linear(4, 5), {"weight": w[0], "bias": b[0]}, (x,)) + y

    go(f, R(2, 3), R(2, 4))


@prog
def un_perceiver_latents():
    lat = nn.Parameter(torch.randn(3, 8))
    ca = nn.MultiheadAttention(8, 2, kdim=5, vdim=5, batch_first=True)
    ln = nn.LayerNorm(8)

    def f(x, pad):
        q = lat.unsqueeze(0).repeat(x.size(0), 1, 1)
        y, w = ca(ln(q), x, x, key_padding_mask=pad, average_attn_weights=False)
        return y + q, w

    go(f, R(2, 6, 5), torch.tensor([[False] * 4 + [True] * 2, [False] * 6]))


@prog
def un_performer_random_features():
    proj = torch.randn(6, 4)

    def phi(x, q):
        x = x * x.shape[-1] ** -0.25
        d = torch.einsum("bhnd,md->bhnm", x, proj)
        n = (x**2).sum(-1, keepdim=True) / 2
        m = d.amax(-1, keepdim=True) if q else d.amax((-1, -2), keepdim=True)
        return torch.exp(d - n - m.detach()) + 1e-4

    def f(q, k, v):
        a, b = phi(q, True), phi(k, False)
        kv = torch.einsum("...nd,...ne->...de", b, v)
        z = 1 / torch.einsum("...nd,...d->...n", a, b.sum(dim=-2))
        return torch.einsum("...de,...nd,...n->...ne", kv, a, z)

    go(f, R(1, 2, 5, 4), R(1, 2, 5, 4), R(1, 2, 5, 4))


@prog
def un_retention_chunk_decay():
    def f(q, k, v):
        T = q.size(2)
        g = 1 - torch.exp2(-5.0 - torch.arange(2, dtype=q.dtype))
        n, m = torch.arange(T)[:, None], torch.arange(T)[None]
        D = torch.where(n >= m, g[:, None, None] ** (n - m), 0.0)
        D = D / D.sum(-1, keepdim=True).sqrt()
        a = q @ k.mT * D
        a = a / a.abs().sum(-1, keepdim=True).detach().clamp(min=1)
        o = a @ v
        return F.group_norm(o.transpose(1, 2).reshape(-1, 8), 2).view(1, T, 8)

    go(f, R(1, 2, 5, 4), R(1, 2, 5, 4), R(1, 2, 5, 4))


@prog
def un_conformer_conv_module():
    m = nn.Sequential(nn.LayerNorm(8))
    pw1, dw, bn, pw2 = (nn.Conv1d(8, 16, 1), nn.Conv1d(8, 8, 5, padding=2, groups=8), nn.BatchNorm1d(8), nn.Conv1d(8, 8, 1))
    u, v, pe = nn.Parameter(torch.randn(2, 4)), nn.Parameter(torch.randn(2, 4)), nn.Linear(8, 8, bias=False)

    def relshift(x):
        b, h, a, c = x.shape
        z = torch.zeros((b, h, a, 1))
        return torch.cat([z, x], -1).view(b, h, c + 1, a)[:, :, 1:].view_as(x)[:, :, :, : c // 2 + 1]

    def f(x, p):
        y = F.glu(pw1(m(x).transpose(1, 2)), dim=1)
        y = pw2(F.silu(bn(dw(y)))).transpose(1, 2)
        q = x.view(1, 4, 2, 4)
        r = pe(p).view(1, 7, 2, 4).transpose(1, 2)
        bd = relshift((q + v).transpose(1, 2) @ r.transpose(-2, -1))
        ac = (q + u).transpose(1, 2) @ x.view(1, 4, 2, 4).permute(0, 2, 3, 1)
        w = torch.softmax((ac + bd) / 2.0, -1)
        return x + 0.5 * y + (w @ x.view(1, 4, 2, 4).transpose(1, 2)).transpose(1, 2).flatten(2)

    go(f, R(1, 4, 8), R(1, 7, 8, g=False))


@prog
def un_tcn_causal_weight_norm_old():
    import torch.nn.utils as U

    c1, c2 = U.weight_norm(nn.Conv1d(3, 4, 2, dilation=2)), U.weight_norm(nn.Conv1d(4, 4, 2, dilation=4), dim=None)

    def f(x):
        y = F.relu(c1(F.pad(x, (2, 0))))
        y = F.dropout1d(F.relu(c2(F.pad(y, (4, 0)))), 0.3)
        return F.softplus(y + F.pad(x, (0, 0, 0, 1)), beta=2, threshold=10)

    go(f, R(2, 3, 9))


@prog
def un_capsule_routing():
    W = nn.Parameter(torch.randn(1, 6, 3, 4, 5) * 0.1)

    def squash(x):
        n = (x**2).sum(-1, keepdim=True)
        return n / (1 + n) * x / (n + 1e-8).sqrt()

    def f(x):
        u = torch.matmul(W, x[:, :, None, :, None]).squeeze(-1)
        d = u.detach()
        b = torch.zeros(*u.shape[:3], 1)
        for i in range(3):
            c = F.softmax(b, dim=2)
            if i == 2:
                return squash((c * u).sum(dim=1)).norm(dim=-1)
            v = squash((c * d).sum(dim=1, keepdim=True))
            b = b + torch.matmul(d.unsqueeze(-2), v.expand_as(d).unsqueeze(-1)).squeeze(-1)

    go(f, R(2, 6, 5))


@prog
def un_style_modulated_conv():
    w, aff = nn.Parameter(torch.randn(1, 4, 3, 3, 3)), nn.Linear(5, 3)
    noise = nn.Parameter(torch.zeros(1))
    blur = torch.tensor([1.0, 2.0, 1.0])
    blur = (blur[:, None] * blur[None]) / 16

    def f(x, s):
        b, c, h, _ = x.shape
        m = w * aff(s).view(b, 1, 3, 1, 1)
        m = m * torch.rsqrt(m.pow(2).sum([2, 3, 4]) + 1e-8).view(b, 4, 1, 1, 1)
        y = F.conv2d(x.reshape(1, b * c, h, h), m.view(b * 4, 3, 3, 3), padding=1, groups=b).view(b, 4, h, h)
        y = y + noise * y.new_empty(b, 1, h, h).normal_()
        y = F.conv2d(F.pad(y, (1, 1, 1, 1), mode="reflect"), blur.expand(4, 1, 3, 3), groups=4)
        g = y.view(2, -1, 2, 2, h, h)
        sd = (g - g.mean(0)).square().mean(0).add(1e-8).sqrt().mean([2, 3, 4], keepdim=False)
        return F.leaky_relu(y, 0.2) * math.sqrt(2), sd

    go(f, R(2, 3, 4, 4), R(2, 5))


@prog
def un_edsr_pixel_shuffle():
    body = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.PReLU(), nn.Conv2d(4, 4, 3, padding=1))
    head, tail = nn.Conv2d(3, 4, 3, padding=1), nn.Sequential(nn.Conv2d(4, 12, 3, padding=1), nn.PixelShuffle(2))

    def f(x, t):
        h = head(x - x.new_tensor([0.4, 0.4, 0.4]).view(1, 3, 1, 1))
        y = tail(h + body(h).mul(0.1))
        up = F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False).clamp(0, 1)
        e = F.l1_loss(y + up, t) + torch.sqrt((y - t) ** 2 + 1e-6).mean()
        tv = (y[..., 1:, :] - y[..., :-1, :]).abs().mean() + (y[..., 1:] - y[..., :-1]).abs().mean()
        return e + 0.1 * tv, F.pixel_unshuffle(y, 2)

    go(f, R(1, 3, 4, 4, g=False), torch.rand(1, 3, 8, 8))


@prog
def un_deformable_sampling_grid():
    off = nn.Conv2d(3, 2, 3, padding=1)

    def f(x):
        b, c, h, w = x.shape
        ys, xs = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
        g = torch.stack((xs, ys), -1).unsqueeze(0) + off(x).permute(0, 2, 3, 1).tanh() * 0.1
        a = F.grid_sample(x, g, mode="bilinear", padding_mode="reflection", align_corners=True)
        n = F.grid_sample(x, g, mode="nearest", padding_mode="border", align_corners=False)
        return a + n

    go(f, R(2, 3, 5, 5))


@prog
def un_rpn_boxes_iou_focal():
    def iou(a, b):
        lt, rb = torch.max(a[:, None, :2], b[None, :, :2]), torch.min(a[:, None, 2:], b[None, :, 2:])
        wh = (rb - lt).clamp(min=0)
        i = wh[..., 0] * wh[..., 1]
        area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
        return i / (area(a)[:, None] + area(b)[None] - i + 1e-6)

    def f(d, anchors, gt, logits):
        w, h = anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]
        cx, cy = anchors[:, 0] + 0.5 * w, anchors[:, 1] + 0.5 * h
        dx, dy, dw, dh = d.unbind(1)
        pw, ph = torch.exp(dw.clamp(max=math.log(1000 / 16))) * w, dh.clamp(max=4).exp() * h
        px, py = dx * w + cx, dy * h + cy
        box = torch.stack([px - 0.5 * pw, py - 0.5 * ph, px + 0.5 * pw, py + 0.5 * ph], 1)
        m = iou(box, gt)
        best, idx = m.max(1)
        lab = (best.detach() > 0.3).float()
        p = logits.sigmoid()
        ce = F.binary_cross_entropy_with_logits(logits, lab, reduction="none")
        pt = p * lab + (1 - p) * (1 - lab)
        focal = (0.25 * lab + 0.75 * (1 - lab)) * ce * (1 - pt) ** 2
        return focal.sum() / lab.sum().clamp(min=1), (1 - best).sum(), F.huber_loss(box, gt[idx], delta=0.5)

    a = torch.rand(6, 4)
    a[:, 2:] += a[:, :2] + 0.1
    g = torch.rand(2, 4)
    g[:, 2:] += g[:, :2] + 0.1
    go(f, R(6, 4), a, g, R(6))


@prog
def un_detr_sine_and_giou():
    def f(mask, b1, b2):
        n = ~mask
        y, x = n.cumsum(1, dtype=torch.float32), n.cumsum(2, dtype=torch.float32)
        y, x = y / (y[:, -1:, :] + 1e-6) * 2 * math.pi, x / (x[:, :, -1:] + 1e-6) * 2 * math.pi
        t = torch.arange(4, dtype=torch.float32)
        t = 10000 ** (2 * torch.div(t, 2, rounding_mode="floor") / 4)
        px, py = x[:, :, :, None] / t, y[:, :, :, None] / t
        px = torch.stack((px[..., 0::2].sin(), px[..., 1::2].cos()), dim=4).flatten(3)
        py = torch.stack((py[..., 0::2].sin(), py[..., 1::2].cos()), dim=4).flatten(3)
        pos = torch.cat((py, px), 3).permute(0, 3, 1, 2)
        cx, cy, w, h = b1.sigmoid().unbind(-1)
        a = torch.stack([cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h], dim=-1)
        lt, rb = torch.maximum(a[:, :2], b2[:, :2]), torch.minimum(a[:, 2:], b2[:, 2:])
        i = (rb - lt).clamp(min=0).prod(-1)
        e = (torch.maximum(a[:, 2:], b2[:, 2:]) - torch.minimum(a[:, :2], b2[:, :2])).clamp(min=0).prod(-1)
        u = (a[:, 2:] - a[:, :2]).prod(-1) + (b2[:, 2:] - b2[:, :2]).prod(-1) - i
        return pos, (1 - (i / u - (e - u) / e)).mean()

    m = torch.zeros(1, 3, 4, dtype=torch.bool)
    m[:, 2:] = True
    go(f, m, R(3, 4), torch.tensor([[0.1, 0.1, 0.5, 0.5]] * 3))


@prog
def un_normalizing_flow_coupling():
    nets = nn.ModuleList(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 4)) for _ in range(2))
    base = torch.distributions.MultivariateNormal(torch.zeros(4), torch.eye(4), validate_args=False)
    W = nn.Parameter(torch.eye(4) + 0.1 * torch.randn(4, 4))

    def f(x):
        ld = torch.zeros(len(x))
        for k, n in enumerate(nets):
            a, b = x.split(2, 1) if k % 2 else x.split(2, 1)[::-1]
            s, t = n(a).chunk(2, 1)
            s = 2 * torch.tanh(s / 2)
            x = torch.cat([a, b * s.exp() + t], 1)
            ld = ld + s.sum(1)
        x = x @ W.t()
        ld = ld + torch.slogdet(W)[1]
        return -(base.log_prob(x) + ld).mean()

    go(f, R(5, 4))


@prog
def un_rational_quadratic_spline():
    def f(x, p):
        w, h, d = p[..., :3], p[..., 3:6], p[..., 6:]
        w = 1e-3 + (1 - 3e-3) * w.softmax(-1)
        cw = F.pad(w.cumsum(-1), (1, 0), value=0.0)
        cw[..., -1] = 1.0
        h = 1e-3 + (1 - 3e-3) * h.softmax(-1)
        ch = F.pad(torch.cumsum(h, -1), pad=(1, 0), mode="constant", value=0.0)
        d = 1e-3 + F.softplus(F.pad(d, (1, 1), value=math.log(math.exp(1 - 1e-3) - 1)))
        b = (torch.searchsorted(cw.detach(), x[..., None].contiguous().detach(), right=True) - 1).clamp(0, 2)
        g = lambda t, k=0: t.gather(-1, b + k)[..., 0]
        t = (x - g(cw)) / g(w)
        s = g(h) / g(w)
        num = g(h) * (s * t.pow(2) + g(d) * t * (1 - t))
        den = s + (g(d) + g(d, 1) - 2 * s) * t * (1 - t)
        return g(ch) + num / den

    go(f, torch.rand(4, requires_grad=True), R(4, 8))


@prog
def un_score_matching_hutchinson():
    m = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 3))

    def f(x, v):
        x = x.detach().requires_grad_(True)
        s = m(x)
        (j,) = torch.autograd.grad((s * v).sum(), x, create_graph=True)
        return ((j * v).sum(-1) + 0.5 * (s * s).sum(-1)).mean()

    go(f, R(4, 3, g=False), R(4, 3, g=False))


@prog
def un_maml_inner_step():
    w, b = nn.Parameter(torch.randn(2, 3)), nn.Parameter(torch.zeros(2))

    def f(x, y, q, t):
        l = F.mse_loss(F.linear(x, w, b), y)
        gw, gb = torch.autograd.grad(l, (w, b), create_graph=True)
        return F.mse_loss(F.linear(q, w - 0.1 * gw, b - 0.1 * gb), t)

    go(f, R(4, 3, g=False), R(4, 2, g=False), R(4, 3, g=False), R(4, 2, g=False))


@prog
def un_tacotron_location_attention():
    q, m, v = nn.Linear(6, 4, bias=False), nn.Linear(5, 4, bias=False), nn.Linear(4, 1, bias=False)
    loc, ld = nn.Conv1d(2, 3, 3, padding=1, bias=False), nn.Linear(3, 4, bias=False)

    def f(h, mem, mask):
        w = cum = torch.zeros(2, 5)
        pm = m(mem)
        outs = []
        for _ in range(3):
            a = loc(torch.cat((w.unsqueeze(1), cum.unsqueeze(1)), dim=1)).transpose(1, 2)
            e = v(torch.tanh(q(h.unsqueeze(1)) + ld(a) + pm)).squeeze(-1)
            e.data.masked_fill_(mask, -1e9)
            w = F.softmax(e, dim=1)
            cum = cum + w
            outs.append(torch.bmm(w.unsqueeze(1), mem).squeeze(1))
        return torch.stack(outs).transpose(0, 1).contiguous()

    go(f, R(2, 6), R(2, 5, 5), torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))


@prog
def un_mel_griffin_lim_step():
    fb = torch.rand(5, 4)

    def f(x):
        s = torch.stft(x, 8, hop_length=4, win_length=8, window=torch.hann_window(8), center=True, return_complex=True)
        mag, ph = s.abs(), torch.angle(s)
        mel = torch.log10(torch.clamp(mag.pow(2).transpose(-1, -2) @ fb, min=1e-10))
        y = torch.istft(torch.polar(mag, ph), 8, hop_length=4, window=torch.hann_window(8))
        return mel - mel.mean(), y

    go(f, R(2, 16))


# ---- aliases, mutation --------------------------------------------------------------------------------------------


@prog
def un_inputs_same_tensor_and_views():
    def f(a, b, c):
        a.mul_(2)
        c.add_(1)
        return b.sin() + c.sum(), a.view(-1)[:3]

    x = torch.randn(3, 4)
    go(f, x, x, x[0])


@prog
def un_views_of_base_no_grad_and_grad():
    def f(a, b):
        with torch.no_grad():
            a.add_(1)
        return a * b, b[1:]

    w = torch.randn(6, requires_grad=True)
    x = w.clone()
    go(f, x[:4].detach(), x[2:].detach())
    go(f, x[:4], x[2:])


@prog
def un_output_alias_chains():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.randn(3, 4))
            s.register_buffer("b", torch.randn(4))

        def forward(s, x):
            y = x * s.w
            z = y.view(2, 6)
            return y, z, z.t(), y[0], s.w.t(), s.b.expand(3, 4), x.unsqueeze(0), x, y.detach(), z.detach().view(-1)

    go(M(), R(3, 4))


@prog
def un_mutate_input_through_everything():
    def f(a, b, c, d):
        a.t_()
        b.unsqueeze_(0)
        c.copy_(c.flip(0))
        d.view(2, 3).transpose(0, 1)[0].add_(10)
        return a.sum() + b.mean() + c + d.sum()

    go(f, torch.randn(2, 3), torch.randn(3), torch.randn(4), torch.randn(6))


@prog
def un_out_variants():
    def f(x):
        o = torch.empty(4, 4)
        torch.mm(x, x.t(), out=o)
        p = torch.empty(0)
        torch.add(x, 1, out=p)
        a, b = torch.empty(4), torch.empty(4, dtype=torch.long)
        torch.max(x, 1, out=(a, b))
        c = torch.empty(8, 3)
        torch.cat([x, x], out=c)
        return o, p, a, b, c

    go(f, torch.randn(4, 3))


@prog
def un_ema_buffers_and_counters():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(3, 3)
            s.register_buffer("ema", torch.zeros(3, 3))
            s.register_buffer("n", torch.tensor(0))
            s.register_buffer("hist", torch.zeros(4))

        def forward(s, x):
            with torch.no_grad():
                s.n += 1
                d = 1 - 0.9 ** s.n.float()
                s.ema.lerp_(s.l.weight, 0.1)
                s.hist = torch.roll(s.hist, -1)
                s.hist[-1] = x.mean()
            return s.l(x) @ (s.ema / d), s.hist

    go(M(), R(2, 3))


@prog
def un_codebook_ema_vq():
    class VQ(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("e", torch.randn(5, 4))
            s.register_buffer("size", torch.ones(5))
            s.register_buffer("avg", torch.randn(5, 4))

        def forward(s, z):
            f = z.reshape(-1, 4)
            d = f.pow(2).sum(1, keepdim=True) - 2 * f @ s.e.t() + s.e.pow(2).sum(1)
            i = d.argmin(1)
            h = torch.zeros(len(f), 5).scatter_(1, i[:, None], 1)
            q = F.embedding(i, s.e).view_as(z)
            with torch.no_grad():
                s.size.data.mul_(0.9).add_(h.sum(0), alpha=0.1)
                s.avg.mul_(0.9).add_(h.t() @ f, alpha=0.1)
                n = s.size.sum()
                s.e.copy_(s.avg / ((s.size + 1e-5) / (n + 5e-5) * n)[:, None])
            p = h.mean(0)
            return z + (q - z).detach(), F.mse_loss(q.detach(), z), torch.exp(-(p * (p + 1e-10).log()).sum())

    go(VQ(), R(2, 3, 4))


@prog
def un_batch_norm_variants_updates():
    a, b, c = (nn.BatchNorm1d(4, momentum=None), nn.BatchNorm1d(4, affine=False), nn.BatchNorm2d(4, track_running_stats=False))
    b.eval()

    def f(x):
        y = b(a(x))
        return c(y[:, :, None, None].expand(-1, -1, 2, 2)) + F.batch_norm(x, None, None, training=True)[..., None, None]

    go(f, R(5, 4))


@prog
def un_channels_last_strided_inputs():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AvgPool2d(2))
    x = R(2, 3, 8, 8).to(memory_format=torch.channels_last)
    go(
        lambda x, y, z: (m(x), y * 2 + z, (x + 1).contiguous(), x.permute(0, 2, 3, 1).reshape(2, -1)),
        x,
        torch.randn(6, 4).t(),
        torch.randn(4, 12)[:, ::2],
    )


@prog
def un_expanded_and_overlapping_inputs():
    def f(a, b, c):
        return a * b + c.unsqueeze(0).sum(-1), a.contiguous(), b.clone(), torch.empty_like(a), a.reshape(-1)

    go(f, torch.randn(1, 4).expand(3, 4), torch.randn(3, 1).expand(3, 4), torch.randn(10).as_strided((4, 3), (2, 1)))


# ---- autograd -----------------------------------------------------------------------------------------------------


@prog
def un_custom_function_saves_output_and_mixed():
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, s):
            y = x.exp() * s
            ctx.save_for_backward(y, x)
            ctx.s = s
            return y, (x > 0)

        @staticmethod
        def backward(ctx, g, _):
            y, x = ctx.saved_tensors
            return g * y * ctx.s, None

    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g.clamp(-0.1, 0.1)

    def f(x):
        y, m = Exp.apply(x, 0.5)
        return Clip.apply(y).where(m, -y)

    go(f, R(3, 4))


@prog
def un_custom_function_matmul_bf16_compute():
    class MM(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, b):
            ctx.save_for_backward(x, w)
            return (x.bfloat16() @ w.bfloat16().t()).float() + b

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            g2 = g.bfloat16()
            gx = gw = gb = None
            if ctx.needs_input_grad[0]:
                gx = (g2 @ w.bfloat16()).float()
            if ctx.needs_input_grad[1]:
                gw = (g2.flatten(0, -2).t() @ x.bfloat16().flatten(0, -2)).float()
            if ctx.needs_input_grad[2]:
                gb = g.sum((0, 1))
            return gx, gw, gb

    w, b = nn.Parameter(torch.randn(5, 4)), nn.Parameter(torch.zeros(5))
    go(lambda x: MM.apply(x, w, b).relu(), R(2, 3, 4, g=False))


@prog
def un_checkpoint_selective_policies():
    from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

    a, b = nn.Linear(6, 6), nn.Linear(6, 6)

    def policy(ctx, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if op == torch.ops.aten.addmm.default else CheckpointPolicy.PREFER_RECOMPUTE

    def g(x):
        return b(F.gelu(a(x)).sin()).tanh()

    go(
        lambda x: checkpoint(
            g, x, use_reentrant=False, context_fn=functools.partial(create_selective_checkpoint_contexts, policy)
        ).sum(),
        R(4, 6),
    )


@prog
def un_checkpoint_nested_blocks_kwargs():
    from torch.utils.checkpoint import checkpoint

    ls = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True) for _ in range(2))

    def f(x, m):
        for l in ls:
            x = checkpoint(l, x, src_mask=m, use_reentrant=False)
        return x.mean(1)

    go(f, R(2, 4, 8), torch.triu(torch.full((4, 4), float("-inf")), 1))


@prog
def un_tensor_hooks_scale_and_log():
    l = nn.Linear(4, 4)

    def f(x):
        y = l(x)
        y.register_hook(lambda g: g * 0.5)
        z = y.relu()
        z.register_hook(lambda g: torch.nan_to_num(g).clamp(max=1.0))
        return z.pow(2).sum()

    go(f, R(3, 4))


@prog
def un_saved_tensor_hooks_half():
    l = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))

    def f(x):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
            return l(x).sum()

    go(f, R(3, 4))


@prog
def un_grad_modes_mixed():
    l, t = nn.Linear(4, 4), nn.Linear(4, 4)

    def f(x):
        with torch.no_grad():
            target = t(x).softmax(-1)
            m = target.max(-1, keepdim=True)[0]
        y = l(x)
        with torch.set_grad_enabled(False):
            z = y.exp()
            with torch.enable_grad():
                w = y * 2
        return F.kl_div(y.log_softmax(-1), target, reduction="batchmean"), w * m, z

    go(f, R(3, 4))


@prog
def un_inference_mode_and_subset():
    l = nn.Linear(4, 4)
    l.bias.requires_grad_(False)
    with torch.inference_mode():
        C(lambda x: (l(x).relu(), x[0], x.view(-1)))(torch.randn(2, 4))
    go(lambda x, y: (l(x) * y, y.sin(), (x * y).detach()), R(2, 4, g=False), R(2, 4))


@prog
def un_double_and_half_outputs():
    def f(x, y, i):
        a = x.double() @ y.double()
        return (
            a,
            a.half(),
            x.bfloat16() * 2,
            (x > 0).to(torch.int8),
            i // 2,
            i.float() * x.mean(),
            torch.true_divide(i, 3),
            x.to(y).type(torch.float64),
        )

    go(f, R(3, 4), R(4, 2), torch.arange(5))


@prog
def un_amp_bf16_gpt_step():
    e, l1, l2 = nn.Embedding(11, 8), nn.Linear(8, 8), nn.Linear(8, 11)
    ln = nn.LayerNorm(8)
    opt = torch.optim.SGD([*e.parameters(), *l1.parameters(), *l2.parameters()], lr=0.1)

    def f(i, t):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = ln(e(i))
            q = l1(h).unsqueeze(1)
            h = F.scaled_dot_product_attention(q, q, q, is_causal=True).squeeze(1) + h
            y = l2(F.silu(h))
            return F.cross_entropy(y.flatten(0, 1), t.flatten())

    c = C(f)
    for n in (4, 4):
        back(c(torch.randint(0, 11, (2, n)), torch.randint(0, 11, (2, n))))
        opt.step()
        opt.zero_grad()


# ---- operators ----------------------------------------------------------------------------------------------------


@prog
def un_einsum_zoo():
    def f(a, b, c, d):
        return (
            torch.einsum("ij,jk->ik", a, b),
            torch.einsum("ii", c),
            torch.einsum("ii->i", c),
            torch.einsum("i,j->ij", a[0], b[:, 0]),
            torch.einsum("bhqd,bhkd->bhqk", d, d),
            torch.einsum("bhqd,bhkd,hd->bqk", d, d, d[0, :, 0]),
            torch.einsum("...ij->...ji", d),
            torch.einsum("ij,ij,ij->", a, a, a),
            torch.einsum(a, [0, 1], b, [1, 2], [2, 0]),
            torch.tensordot(d, d, dims=([1, 3], [1, 3])),
            torch.kron(a, c[:2, :2]),
            torch.chain_matmul(a, b, b.t()) if False else torch.linalg.multi_dot([a, b, b.t()]),
            torch.inner(a, b.t()),
            torch.outer(a[0], b[0]),
            torch.cross(a[:, :3], a[:, 1:], dim=1),
            torch.trapezoid(a, dim=1),
        )

    go(f, R(3, 4), R(4, 5), R(3, 3), R(2, 2, 3, 4))


@prog
def un_complex_zoo():
    def f(x, z):
        r = torch.view_as_real(z)
        w = torch.view_as_complex(r * 2)
        p = torch.polar(x.abs(), x)
        return (
            torch.fft.irfft(torch.fft.rfft(x, dim=-1) * z[:, :3], n=4, dim=-1),
            z.conj() * w,
            z.abs(),
            z.angle(),
            p.real + p.imag,
            (z @ w.mH).real,
            torch.fft.fftn(x).abs(),
            torch.complex(x, x).exp().imag,
            torch.fft.hfft(z).sum(),
            z.resolve_conj().sgn(),
        )

    go(f, R(3, 4), torch.randn(3, 4, dtype=torch.complex64, requires_grad=True))


@prog
def un_linalg_zoo():
    def f(a, b):
        s = a @ a.mT + 3 * torch.eye(4)
        L = torch.linalg.cholesky(s)
        q, r = torch.linalg.qr(b)
        u, sv, vh = torch.linalg.svd(b, full_matrices=False)
        w, v = torch.linalg.eigh(s)
        return (
            torch.linalg.solve(s, b),
            torch.cholesky_solve(b, L),
            torch.linalg.solve_triangular(L, b, upper=False),
            torch.linalg.inv(s),
            torch.logdet(s),
            torch.linalg.det(s),
            q @ r,
            sv,
            w.log().sum(),
            torch.linalg.norm(b, ord=2),
            torch.linalg.vector_norm(b, 3, dim=0),
            torch.linalg.matrix_norm(b, "fro"),
            torch.linalg.pinv(b),
            torch.linalg.matrix_power(a, 3),
            torch.linalg.lstsq(s, b).solution,
            torch.trace(s),
            torch.cholesky_inverse(L),
            torch.linalg.matrix_exp(a * 0.1),
        )

    go(f, R(4, 4), R(4, 3))


@prog
def un_sorting_zoo():
    def f(x, y):
        return (
            x.sort(dim=0, descending=True, stable=True).values,
            x.median(1).values,
            x.median(),
            x.kthvalue(2, dim=1, keepdim=True)[0],
            x.mode(1)[0],
            x.nanmedian(),
            x.quantile(0.3, dim=1),
            torch.nanquantile(x, torch.tensor([0.2, 0.8]), dim=0, interpolation="nearest"),
            x.topk(2, dim=0, largest=False, sorted=False)[0],
            x.cummax(1)[0],
            x.cummin(0)[0],
            x.logcumsumexp(1),
            x.cumprod(1),
            x.msort(),
            torch.argsort(x, dim=1, stable=True),
            x.aminmax(dim=1)[1],
            torch.searchsorted(y, x),
            torch.bucketize(x, y, right=True),
            torch.take_along_dim(x, x.argsort(1), 1),
            torch.isin((x * 2).long(), torch.tensor([0, 1])),
            torch.count_nonzero(x, dim=1),
            torch.diff(x, n=2, dim=1),
            torch.cartesian_prod(x[0], x[1]),
        )

    go(f, R(3, 4), torch.linspace(-1, 1, 5))


@prog
def un_reductions_zoo():
    def f(x):
        return (
            x.var(1, correction=0),
            torch.std_mean(x, dim=(0, 2), keepdim=True),
            torch.var_mean(x, unbiased=False),
            x.prod(2),
            x.prod(),
            x.nansum(0),
            x.nanmean(),
            x.logsumexp((1, 2)),
            x.amin((0, 1)),
            x.amax(2, keepdim=True),
            x.max(),
            x.min(1, True)[0],
            x.norm(1),
            x.norm(p=float("inf"), dim=1),
            x.norm(dim=(1, 2)),
            x.all(1),
            x.any(),
            x.sum((0, 2), dtype=torch.float64),
            x.mean(-1).std(),
            F.softmin(x, 1),
            x.argmax(),
            x.argmin(2, keepdim=True),
            x.count_nonzero(),
            torch.dist(x, x + 1, 3),
            x.square().mean().sqrt(),
            F.normalize(x, p=1.0, dim=2, eps=1e-6),
            torch.renorm(x[0], 1, 0, 2.0),
            torch.cov(x[0]),
            torch.corrcoef(x[1]),
        )

    go(f, R(2, 3, 4))


@prog
def un_where_clamp_zoo():
    def f(x, y, m):
        return (
            torch.where(m, x, y),
            torch.where(x > 0, x, -1),
            x.clamp(min=y),
            x.clamp(min=-y.abs(), max=y.abs()),
            x.clip(-0.5, 0.5),
            torch.clamp_max(x, 0.3),
            x.masked_fill(m, y.mean()),
            x.masked_select(m).sum() * 1.0 if False else x,
            torch.heaviside(x, y),
            torch.copysign(x, y),
            torch.fmax(x, y) - torch.fmin(x, y),
            torch.maximum(x, y) * torch.minimum(x, y),
            x.nan_to_num(0.0, 1.0, -1.0),
            torch.hypot(x, y),
            torch.atan2(x, y),
            torch.fmod(x, y),
            torch.remainder(x, 0.7),
            torch.xlogy(x.abs(), y.abs()),
            x.lerp(y, 0.2),
            torch.addcdiv(x, y, y.abs() + 1, value=2),
            x.float_power(2),
            torch.pow(2, x),
            x.abs() ** y,
            torch.sinc(x),
            torch.special.entr(x.abs()),
            torch.special.expit(x),
            torch.special.i0e(x),
            torch.erfinv(x.tanh()),
            torch.lgamma(x.abs() + 1),
            torch.digamma(x.abs() + 1),
            torch.deg2rad(x),
            torch.expm1(x) + torch.log1p(x.abs()),
            torch.logit(x.sigmoid(), eps=1e-6),
            torch.signbit(x),
            x.sign() * x.trunc() + x.ceil() - x.floor() + x.frac(),
            torch.logaddexp2(x, y),
            torch.isclose(x, y),
            torch.allclose(x, x) if False else x.isfinite(),
            torch.rsub(x, y, alpha=2),
        )

    go(f, R(3, 4), R(3, 4), torch.rand(3, 4) > 0.5)


@prog
def un_losses_zoo():
    def f(x, y, t, w):
        p = x.sigmoid()
        return (
            F.nll_loss(x.log_softmax(1), t, weight=w, ignore_index=1),
            F.cross_entropy(x, t, weight=w, label_smoothing=0.2),
            F.cross_entropy(x, y.softmax(1)),
            F.kl_div(x.log_softmax(1), y.log_softmax(1), log_target=True, reduction="sum"),
            F.binary_cross_entropy(p, y.sigmoid(), weight=w),
            F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=w),
            F.gaussian_nll_loss(x, y, p + 0.1, full=True),
            F.poisson_nll_loss(x, y.exp(), full=False),
            F.hinge_embedding_loss(x, torch.where(y > 0, 1.0, -1.0)),
            F.margin_ranking_loss(x[:, 0], y[:, 0], y[:, 1].sign(), margin=0.1),
            F.multilabel_soft_margin_loss(x, (y > 0).float()),
            F.multi_margin_loss(x, t, p=2),
            F.soft_margin_loss(x, y.sign()),
            F.triplet_margin_loss(x, y, x.flip(0), margin=0.5, swap=True),
            F.triplet_margin_with_distance_loss(x, y, y.flip(0), distance_function=lambda a, b: 1 - F.cosine_similarity(a, b)),
            F.l1_loss(x, y, reduction="none"),
            F.smooth_l1_loss(x, y, beta=0.0),
            F.huber_loss(x, y, reduction="sum", delta=2.0),
            F.mse_loss(x, y, reduction="none").mean(1),
            F.pairwise_distance(x, y, p=1, keepdim=True),
        )

    go(f, R(4, 5), R(4, 5), torch.randint(0, 5, (4,)), torch.rand(5))


@prog
def un_padding_and_fold_zoo():
    def f(x, v):
        return (
            F.pad(x, (1, 2), mode="circular") if False else F.pad(x, (1, 2, 1, 0), mode="circular"),
            F.pad(x, (1, 1, 2, 2), mode="reflect"),
            F.pad(x, (2, 0, 0, 1), mode="replicate"),
            F.pad(x, (-1, 1, 0, -1)),
            F.pad(v, (1, 1, 1, 1, 1, 1), mode="replicate"),
            F.unfold(x, 3, dilation=1, padding=1, stride=2),
            F.fold(F.unfold(x, 2), (4, 4), 2),
            x.unfold(2, 2, 1).unfold(3, 2, 2),
            F.channel_shuffle(x, 2),
            F.local_response_norm(x, 2),
            F.lp_pool2d(x, 2.0, 2),
            F.max_pool3d(v, 2, stride=1),
            F.adaptive_max_pool2d(x, (2, 1)),
            F.adaptive_avg_pool3d(v, 2),
            F.fractional_max_pool2d(x, 2, output_size=2, _random_samples=torch.full((2, 4, 2), 0.3)),
            F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
            F.avg_pool3d(v, 2, count_include_pad=False),
            F.interpolate(v, scale_factor=2, mode="trilinear"),
            F.interpolate(x, (3, 6), mode="area"),
            F.interpolate(x, (6, 6), mode="bilinear", antialias=True),
            F.interpolate(x, scale_factor=(2.0, 1.5), mode="nearest-exact", recompute_scale_factor=True),
        )

    go(f, R(2, 4, 4, 4), R(1, 2, 3, 3, 3))


@prog
def un_conv_zoo():
    a = nn.ConvTranspose1d(3, 4, 3, stride=2, padding=1, output_padding=1)
    b = nn.ConvTranspose3d(2, 4, 2, stride=2, groups=2)
    c = nn.Conv3d(2, 3, (1, 3, 3), padding=(0, 1, 1))
    d = nn.Conv2d(4, 4, 3, padding="same", padding_mode="replicate", dilation=2)
    e = nn.Conv1d(3, 6, 3, groups=3, bias=False, padding="valid")
    g = nn.LazyConv2d(3, 1)

    def f(x, v, i):
        return (
            a(x),
            b(v),
            c(v),
            d(i),
            e(x),
            g(i),
            F.conv_transpose2d(i, i.new_ones(4, 2, 3, 3), dilation=2),
            F.conv1d(x[0], x.new_ones(1, 3, 2), stride=2),
        )

    g(torch.randn(1, 4, 4, 4))
    go(f, R(2, 3, 7), R(1, 2, 3, 4, 4), R(2, 4, 5, 5))


@prog
def un_sdpa_variants():
    def f(q, k, v, m, b):
        return (
            F.scaled_dot_product_attention(q, k, v),
            F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3),
            F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            F.scaled_dot_product_attention(q, k, v, attn_mask=b),
            F.scaled_dot_product_attention(q, k, v, dropout_p=0.2),
            F.scaled_dot_product_attention(q[0], k[0], v[0]),
            F.scaled_dot_product_attention(q.double(), k.double(), v.double(), attn_mask=b.double()),
            F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)),
            F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True),
        )

    go(f, R(2, 2, 4, 8), R(2, 2, 4, 8), R(2, 2, 4, 8), torch.rand(4, 4) > 0.3, R(2, 1, 4, 4))


@prog
def un_random_zoo():
    def f(x):
        p = x.softmax(1)
        return (
            torch.rand_like(x) * x,
            torch.randn(2, 3) + x[:2, :3],
            torch.bernoulli(p),
            torch.multinomial(p, 2),
            F.dropout(x, 0.3) + F.dropout2d(x[None, :, :, None], 0.2)[0, :, :, 0],
            F.alpha_dropout(x, 0.1, training=True),
            F.feature_alpha_dropout(x[None], 0.1, training=True),
            torch.normal(x, p),
            x.new_empty(3).uniform_(-1, 1),
            torch.randperm(4),
            torch.randint_like(x, 0, 3) * x,
            F.gumbel_softmax(x, tau=0.5, hard=True),
            F.rrelu(x, training=True),
            torch.empty(4).exponential_(2.0).log(),
            torch.zeros(4).bernoulli_(0.3),
            torch.poisson(p * 3),
            torch.empty(3).cauchy_().tanh(),
            x.clone().normal_(0, 1),
            torch.empty(3).log_normal_(),
            torch.empty(3).geometric_(0.5),
        )

    go(f, R(4, 5))


@prog
def un_shape_zoo():
    def f(x):
        return (
            x.movedim(0, -1),
            x.unflatten(1, (2, 2)),
            x.repeat(1, 2, 1),
            x.repeat_interleave(2, dim=1),
            x.tile(2),
            torch.broadcast_to(x, (2, 2, 4, 6)),
            torch.hstack([x, x]),
            torch.dstack([x, x]),
            torch.column_stack([x[0], x[1]]),
            x.tensor_split(3, dim=2)[1],
            x.hsplit(2)[0],
            torch.split(x, [1, 3, 2], dim=2)[2],
            x.chunk(5, 2)[1],
            x.squeeze().ravel(),
            x.rot90(1, (1, 2)),
            x.fliplr(),
            x.roll((1, 2), (0, 1)),
            x.as_strided((2, 3), (6, 2)),
            x.diagonal(0, 1, 2),
            x.view(torch.int32),
            x.unsafe_chunk(2, 1)[0],
            x.expand(2, 4, 6).contiguous(),
            x.adjoint(),
            x.swapdims(0, 2),
            torch.atleast_3d(x[0, 0]),
            x.permute(2, 0, 1).flatten(1),
            x.narrow(2, 1, 3),
            x.take(torch.tensor([0, 5])),
            x.index_select(2, torch.tensor([3, 0])),
            x[:, [0, 2]],
            x[:, None, ..., 1],
            x[torch.tensor([1, 0]), :, torch.tensor([2, 3])],
            torch.slice_scatter(x, x[:, :2] * 2, 1, 2, 4),
            torch.select_scatter(x, x[0] * 3, 0, 1),
            torch.diagonal_scatter(x[0], torch.ones(4)),
            torch.index_copy(x, 1, torch.tensor([1]), x[:, :1]),
            torch.scatter(x, 2, torch.zeros(2, 4, 1, dtype=torch.long), 9.0),
            x.put(torch.tensor([0]), torch.tensor([1.0])),
        )

    go(f, R(2, 4, 6))


@prog
def un_embedding_bag_modes():
    a, b, c = (
        nn.EmbeddingBag(9, 4, mode="mean"),
        nn.EmbeddingBag(9, 4, mode="sum", include_last_offset=True),
        nn.Embedding(9, 4, max_norm=None, scale_grad_by_freq=True, padding_idx=2),
    )

    def f(i, o, w):
        return a(i, o), b(i, torch.cat([o, o.new_tensor([6])]), per_sample_weights=w), a(i.view(2, 3)), c(i)

    go(f, torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 3]), torch.rand(6, requires_grad=True))


@prog
def un_int_and_bool_graph():
    def f(i, m, x):
        n = (i[:, None] == i[None]) & ~torch.eye(4, dtype=torch.bool)
        k = torch.bitwise_xor(i, 3) << 1
        return (
            x[n.any(1)[:, None].expand(4, 3).long()[:, 0]] * (m ^ True)[:, None],
            k % 3,
            torch.gcd(i, k + 1),
            i.cumsum(0).flip(0),
            n.sum(),
            i.bitwise_and(1).bool().logical_or(m),
            -i,
            i.abs().max(),
        )

    go(f, torch.tensor([1, 2, 1, 7]), torch.tensor([True, False, True, True]), R(4, 3))


# ---- dynamic shapes -----------------------------------------------------------------------------------------------


@prog
def un_dyn_conv_transformer_two_sizes():
    p, n, l = nn.Conv2d(3, 8, 2, stride=2), nn.LayerNorm(8), nn.Linear(8, 8)

    def f(x):
        y = p(x)
        b, c, h, w = y.shape
        t = n(y.flatten(2).transpose(1, 2))
        q = l(t).view(b, h * w, 2, 4).transpose(1, 2)
        a = (q @ q.transpose(-1, -2) / 2).softmax(-1) @ q
        t = t + a.transpose(1, 2).reshape(b, h * w, c)
        return t.transpose(1, 2).reshape(b, c, h, w) + F.interpolate(F.avg_pool2d(y, 2), size=(h, w), mode="bilinear")

    twice(f, (R(2, 3, 8, 8),), (R(3, 3, 12, 8),))


@prog
def un_dyn_gnn_two_graphs():
    l1, l2 = nn.Linear(4, 6), nn.Linear(6, 2)

    def f(x, e, batch, n):
        s, d = e
        deg = torch.zeros(x.size(0)).scatter_add_(0, d, torch.ones(d.size(0))).clamp_(min=1).pow(-0.5)
        w = deg[s] * deg[d]
        h = torch.zeros(x.size(0), 6).index_add_(0, d, l1(x)[s] * w.unsqueeze(-1)).relu()
        g = h.new_zeros(n, 6).scatter_reduce(0, batch.unsqueeze(-1).expand(-1, 6), h, "amax", include_self=False)
        return l2(g)

    twice(
        f,
        (R(5, 4), torch.randint(0, 5, (2, 7)), torch.tensor([0, 0, 1, 1, 1]), 2),
        (R(8, 4), torch.randint(0, 8, (2, 9)), torch.tensor([0, 0, 1, 1, 1, 2, 2, 2]), 3),
    )


@prog
def un_dyn_mark_two_dims_attention_mask():
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    x, pad = R(3, 5, 8), torch.zeros(3, 5, dtype=torch.bool)
    for t in (x, pad):
        torch._dynamo.mark_dynamic(t, 0)
        torch._dynamo.mark_dynamic(t, 1)
    go(lambda x, p: m(x, x, x, key_padding_mask=p, need_weights=False)[0].mean(1), x, pad)


@prog
def un_dyn_true_losses_and_norms():
    ln, gn = nn.LayerNorm(6), nn.GroupNorm(2, 4)

    def f(x, t):
        y = gn(ln(x))
        v, i = y.mean(1).max(-1)
        return (
            F.cross_entropy(y.transpose(1, 2), t),
            F.normalize(y, dim=-1).std(0),
            v,
            F.one_hot(i, 6).sum(),
            y.var(dim=(0, 2)),
            y.numel() / x.size(0),
        )

    go(f, R(3, 4, 6), torch.randint(0, 6, (3, 4)), dynamic=True)


@prog
def un_dyn_window_partition():
    q = nn.Linear(4, 12)

    def f(x):
        B, H, W, c = x.shape
        ph, pw = (2 - H % 2) % 2, (2 - W % 2) % 2
        x = F.pad(x, (0, 0, 0, pw, 0, ph))
        Hp, Wp = H + ph, W + pw
        w = x.view(B, Hp // 2, 2, Wp // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        a, b, v = q(w).chunk(3, -1)
        w = (a @ b.mT).softmax(-1) @ v
        return w.view(B, Hp // 2, Wp // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(B, Hp, Wp, c)[:, :H, :W].contiguous()

    twice(f, (R(1, 4, 6, 4),), (R(1, 6, 10, 4),), (R(1, 5, 7, 4),))


@prog
def un_dyn_beam_and_cache():
    l = nn.Linear(6, 6)

    def f(x, k, v, pos: int):
        q = l(x)
        k, v = torch.cat([k, q], 1), torch.cat([v, q * 0.5], 1)
        i = torch.arange(k.size(1))
        m = torch.where(i > pos, float("-inf"), 0.0)
        a = ((q @ k.mT) / math.sqrt(6) + m).softmax(-1)
        s, b = torch.topk((a @ v).log_softmax(-1).flatten(1), 2)
        return k, v, s, b // 6, b % 6

    c = C(f)
    with torch.no_grad():
        k = v = torch.zeros(2, 1, 6)
        for n in range(4):
            k, v, *_ = c(torch.randn(2, 1, 6), k, v, n)


@prog
def un_dyn_pool_pyramid():
    def f(x):
        h, w = x.shape[-2:]
        o = [x]
        for s in (1, 2):
            p = F.adaptive_avg_pool2d(x, s)
            o.append(F.interpolate(p, size=(h, w), mode="nearest"))
        o.append(F.max_pool2d(x, 3, 1, 1))
        return torch.cat(o, 1).mean((2, 3))

    twice(f, (R(2, 3, 6, 6),), (R(2, 3, 8, 10),))


@prog
def un_unbacked_zoo():
    def f(x, i, n):
        k = x[x[:, 0] > 0]
        z = torch.nonzero(i).squeeze(1)
        m = n.item()
        torch._check(m >= 2)
        torch._check(m <= 5)
        return (
            k.sum(0),
            x.index_select(0, z).relu().mean(),
            torch.zeros(m, 3) + m,
            x.masked_select(x > 0).exp().sum(),
            torch.arange(m),
        )

    go(f, R(6, 3), torch.tensor([1, 0, 2, 0, 1, 1]), torch.tensor(4))


@prog
def un_unbacked_tolist_ragged():
    l = nn.Linear(3, 3)

    def f(x, n):
        a, b = n.tolist()
        torch._check_is_size(a)
        torch._check_is_size(b)
        p, q = torch.split(x, [a, b])
        return F.pad(l(p).sum(0), (0, 1)), q.tanh().mean(0)

    go(f, R(7, 3), torch.tensor([3, 4]))


@prog
def un_graph_breaks_and_state():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(4, 4)
            s.calls = 0

        def forward(s, x):
            s.calls += 1
            y = s.l(x).relu()
            torch._dynamo.graph_break()
            if y.sum() > 0:
                y = y * s.calls
            return y.sum(-1)

    m = C(M())
    for n in (2, 3):
        back(m(R(n, 4)))


# ---- training steps -----------------------------------------------------------------------------------------------


@prog
def un_whole_step_with_grads():
    w1, w2 = nn.Parameter(torch.randn(4, 3)), nn.Parameter(torch.randn(2, 4))
    m1, m2 = torch.zeros(4, 3), torch.zeros(2, 4)

    def f(x, y):
        l = F.mse_loss(F.linear(F.linear(x, w1).relu(), w2), y)
        g1, g2 = torch.autograd.grad(l, [w1, w2])
        n = torch.sqrt(g1.square().sum() + g2.square().sum())
        s = torch.clamp(1.0 / (n + 1e-6), max=1.0)
        with torch.no_grad():
            for p, g, m in ((w1, g1, m1), (w2, g2, m2)):
                m.mul_(0.9).add_(g * s)
                p.add_(m, alpha=-0.1)
        return l.detach(), n

    C(f)(R(5, 3, g=False), R(5, 2, g=False))


@prog
def un_optimizers_more():
    for make in (
        lambda p: torch.optim.Adam(p, lr=1e-2, weight_decay=0.1, amsgrad=True),
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, foreach=True),
        lambda p: torch.optim.Adadelta(p),
        lambda p: torch.optim.Rprop(p),
        lambda p: torch.optim.ASGD(p),
        lambda p: torch.optim.Adafactor(p),
    ):
        torch._dynamo.reset()
        m = nn.Linear(3, 2)
        o = make(m.parameters())
        c = C(lambda: o.step())
        for _ in range(2):
            m(torch.randn(4, 3)).sum().backward()
            c()


@prog
def un_foreach_lists():
    def f(a, b, g):
        x = torch._foreach_add([a, b], g)
        torch._foreach_mul_(x, 0.5)
        n = torch._foreach_norm(x)
        y = torch._foreach_addcmul(x, x, [a, b], value=0.1)
        torch._foreach_lerp_(y, [a, b], 0.2)
        return y, torch.stack(n).norm(), torch._foreach_sqrt(torch._foreach_abs(y)), torch._foreach_maximum(y, 0.0)

    go(f, R(3), R(4), [torch.randn(3), torch.randn(4)])


# ---- changing sizes --------------------------------------------------------------------------------------------------


@prog
def e_int_arg_mod():
    def f(x, n):
        k = n % 3
        return x[k:] * n, torch.arange(n) // 2, x.view(-1)[: n - 1]

    c = C(f)
    for n in (5, 7, 8):
        back(c(R(9, 2), n))


@prog
def e_float_arg_changes():
    def f(x, a, b):
        return F.leaky_relu(x, a) * b + torch.clamp(x, -a, a), x.pow(b)

    c = C(f)
    for a, b in ((0.1, 2.0), (0.2, 3.5), (0.3, 1.5)):
        back(c(R(3, 4), a, b))


@prog
def e_list_of_tensors_dyn():
    def f(xs):
        return torch.cat([x.relu() for x in xs]).sum(0), torch.stack([x.mean() for x in xs])

    twice(f, ([R(2, 3), R(3, 3)],), ([R(4, 3), R(3, 3)],), ([R(4, 3), R(5, 3)],))


@prog
def e_dict_inputs_batchnorm_dyn():
    bn = nn.BatchNorm1d(4)
    l = nn.Linear(4, 3)

    def f(d):
        return {"y": l(bn(d["x"])), "n": d["x"].shape[0]}

    twice(f, ({"x": R(5, 4)},), ({"x": R(7, 4)},))


@prog
def e_conv1d_wave_dyn():
    m = nn.Sequential(
        nn.Conv1d(1, 4, 8, stride=4, padding=2),
        nn.GELU(),
        nn.Conv1d(4, 4, 4, stride=2, padding=1),
        nn.GroupNorm(2, 4),
        nn.ConvTranspose1d(4, 1, 4, stride=2, padding=1),
    )
    twice(m, (R(2, 1, 64),), (R(2, 1, 96),), (R(3, 1, 100),))


@prog
def e_unet_dyn_hw():
    d = nn.Conv2d(2, 4, 3, padding=1)
    e = nn.Conv2d(4, 4, 3, stride=2, padding=1)
    u = nn.ConvTranspose2d(4, 4, 2, stride=2)
    o = nn.Conv2d(8, 1, 1)

    def f(x):
        a = d(x).relu()
        b = u(e(a).relu())
        dh, dw = a.size(2) - b.size(2), a.size(3) - b.size(3)
        b = F.pad(b, [dw // 2, dw - dw // 2, dh // 2, dh - dh // 2])
        return o(torch.cat([a, b], 1))

    twice(f, (R(1, 2, 8, 8),), (R(1, 2, 12, 16),))


@prog
def e_resnet_dyn_batch_inference():
    m = nn.Sequential(
        nn.Conv2d(3, 4, 3, 2, 1, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(1),
        nn.Linear(4, 2),
    ).eval()
    c = C(m)
    with torch.no_grad():
        for b in (1, 2, 3, 5):
            c(torch.randn(b, 3, 16, 16))


@prog
def e_seq_packed_lengths_mask():
    l = nn.GRUCell(3, 4)

    def f(x, n):
        h = x.new_zeros(x.size(0), 4)
        m = torch.arange(x.size(1))[None] < n[:, None]
        for t in range(x.size(1)):
            h = torch.where(m[:, t, None], l(x[:, t], h), h)
        return h

    twice(f, (R(2, 4, 3), torch.tensor([4, 2])), (R(3, 4, 3), torch.tensor([4, 2, 1])))


@prog
def e_sdpa_dyn_kv():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m)

    twice(f, *[(R(2, 2, a, 8), R(2, 2, b, 8), R(2, 2, b, 8), torch.zeros(a, b)) for a, b in ((3, 5), (4, 7), (5, 9))])


@prog
def e_rope_cache_dyn():
    inv = 1 / (100 ** (torch.arange(0, 8, 2).float() / 8))

    def f(x, start):
        T = x.size(1)
        t = torch.arange(start, start + T).float()
        fr = torch.outer(t, inv)
        c, s = fr.cos()[None, :, None], fr.sin()[None, :, None]
        a, b = x.float().chunk(2, -1)
        return torch.cat([a * c - b * s, b * c + a * s], -1).type_as(x)

    c = C(f)
    for T, s in ((4, 0), (5, 4), (6, 9)):
        back(c(R(1, T, 2, 8), s))


@prog
def e_topk_dyn_k():
    def f(x, k):
        v, i = x.topk(k, -1)
        return torch.zeros_like(x).scatter(-1, i, v.softmax(-1)), i

    c = C(f)
    for k in (2, 3, 4):
        back(c(R(3, 6), k))


@prog
def e_strided_slices_dyn():
    def f(x):
        return (
            x[:, ::2],
            x[1:-1],
            x[-3:],
            x[..., : x.size(1) // 2],
            x.flip(1)[:, :-2],
            x.unfold(1, 3, 2),
            x.narrow(1, 1, x.size(1) - 2),
        )

    twice(f, (R(5, 8),), (R(7, 10),), (R(9, 11),))


@prog
def e_reshape_zoo_dyn():
    def f(x):
        b, t, d = x.shape
        return (
            x.view(b * t, d),
            x.reshape(b, -1),
            x.transpose(1, 2).reshape(b * d, t),
            x.permute(1, 0, 2).contiguous().view(t, b * d),
            x.unsqueeze(1).expand(b, 3, t, d).reshape(b * 3, t, d),
            x.view(b, t, 2, d // 2).transpose(1, 2),
            x.flatten(),
            x.repeat(1, 2, 1),
            x.repeat_interleave(2, 0),
            x.unflatten(0, (b, 1)),
        )

    twice(f, (R(2, 3, 4),), (R(3, 5, 6),), (R(4, 7, 8),))


@prog
def e_reduce_loss_dyn():
    def f(x, t, w):
        m = (t != 0).float()
        l = F.cross_entropy(x.flatten(0, 1), t.flatten(), reduction="none", ignore_index=0).view_as(t)
        return (
            (l * m).sum() / m.sum().clamp(min=1),
            (l * w).mean(),
            x.logsumexp(-1).pow(2).mean(),
            (x.argmax(-1) == t).float().mean(),
        )

    twice(f, (R(2, 3, 5), torch.randint(0, 5, (2, 3)), R(2, 3)), (R(3, 4, 5), torch.randint(0, 5, (3, 4)), R(3, 4)))


@prog
def e_embedding_pos_dyn():
    e = nn.Embedding(9, 4)
    p = nn.Embedding(16, 4)
    d = nn.Dropout(0.1)

    def f(i):
        return d(e(i) * 2 + p(torch.arange(i.size(1), device=i.device)).unsqueeze(0))

    twice(f, (torch.randint(0, 9, (2, 3)),), (torch.randint(0, 9, (3, 5)),))


@prog
def e_two_inputs_broadcast_late_equal():
    def f(a, b):
        c = a.sum(1)
        d = b * 2
        return torch.where(c > 0, c, -c) + d, d.cumsum(0)

    twice(f, (R(4, 3), R(4)), (R(6, 3), R(6)))


@prog
def e_gather_scatter_dyn():
    def f(x, i, v):
        return (
            x.gather(0, i),
            x.scatter_add(0, i, v),
            x.index_add(0, i[:, 0], v),
            x.index_select(0, i[:, 0]),
            x[i[:, 0]],
            torch.index_put(x, (i[:, 0],), v, accumulate=True),
            x.take_along_dim(i, 0),
        )

    twice(f, (R(5, 3), torch.randint(0, 5, (4, 3)), R(4, 3)), (R(7, 3), torch.randint(0, 7, (6, 3)), R(6, 3)))


@prog
def e_matmul_dyn():
    def f(a, b):
        return (
            a @ b,
            torch.einsum("bij,bjk->bik", a, b),
            a.mT @ a,
            torch.baddbmm(a @ b, a, b, beta=0.5),
            (a[0] @ b).sum(-1),
            torch.einsum("bij,bjk->", a, b),
        )

    twice(f, (R(2, 3, 4), R(2, 4, 5)), (R(3, 5, 4), R(3, 4, 6)))


@prog
def e_norms_dyn_both():
    g, i, l = nn.GroupNorm(2, 4), nn.InstanceNorm1d(4, affine=True), nn.LayerNorm([4, 6])

    def f(x):
        return g(x), i(x), l(x), F.rms_norm(x, (6,)), F.normalize(x, dim=1), F.batch_norm(x, None, None, training=True)

    twice(f, (R(2, 4, 6),), (R(5, 4, 6),))


@prog
def e_pads_dyn():
    def f(x):
        n = x.size(-1)
        k = (4 - n % 4) % 4
        return (
            F.pad(x, (0, k)),
            F.pad(x, (1, 1), mode="reflect"),
            F.pad(x, (2, 0), mode="replicate"),
            F.pad(x, (0, 0, 1, 2), value=1.0),
            F.pad(x, (1, 1), mode="circular"),
        )

    twice(f, (R(2, 3, 6),), (R(2, 3, 9),))


@prog
def e_pool_interp_dyn():
    def f(x):
        return (
            F.avg_pool2d(x, 3, 2, 1),
            F.max_pool2d(x, 2),
            F.interpolate(x, scale_factor=2, mode="bilinear"),
            F.interpolate(x, scale_factor=0.5),
            F.adaptive_avg_pool2d(x, (2, 2)),
            F.interpolate(x, size=(x.size(2) * 2, x.size(3)), mode="nearest"),
            F.pixel_unshuffle(x, 2),
            F.lp_pool2d(x, 2, 2),
        )

    twice(f, (R(1, 2, 8, 8),), (R(1, 2, 12, 16),))


@prog
def e_mark_dynamic_static_mix():
    a, b = R(4, 6), R(4, 6)
    mark_dynamic(a, 0)
    mark_dynamic(b, 0)
    l = nn.Linear(6, 3)
    go(lambda a, b: (l(a) - l(b)).pow(2).sum(1).sqrt().mean() + F.cosine_similarity(a, b).mean(), a, b)


@prog
def e_dyn_mutation_cache():
    k = torch.zeros(8, 4)

    def f(x, p):
        k[p : p + x.size(0)] = x.detach()
        return (x @ k[: p + x.size(0)].t()).softmax(-1)

    c = C(f)
    for n, p in ((2, 0), (3, 2), (2, 5)):
        back(c(R(n, 4), p))


@prog
def e_dyn_optimizer_ema_inputs():
    def f(p, g, m, lr):
        m.mul_(0.9).add_(g, alpha=0.1)
        p.sub_(m * lr)
        return p.norm()

    c = C(f)
    for n in (3, 5):
        c(torch.randn(n, 2), torch.randn(n, 2), torch.zeros(n, 2), 0.1)


@prog
def e_complex_fft_dyn():
    def f(x):
        return torch.fft.irfft(torch.fft.rfft(x) * 0.5, n=x.size(-1)), torch.fft.fft(x).abs(), torch.fft.rfft2(x).real

    twice(f, (R(2, 8),), (R(3, 10),))


@prog
def e_sort_cumsum_dyn():
    def f(x):
        return (
            x.sort(-1)[0],
            x.cumsum(0),
            x.argsort(1),
            x.topk(2)[0],
            x.median(1)[0],
            x.cummax(1)[0],
            x.std(0),
            x.var(1, unbiased=False),
            x.max(0)[0],
            x.amin(1),
            x.prod(1),
            x.logcumsumexp(1),
            x.norm(dim=0),
            x.any(1),
            x.unique_consecutive().sum() if False else x.sum(),
        )

    twice(f, (R(3, 5),), (R(4, 6),))


@prog
def e_linalg_dyn():
    def f(a):
        s = a @ a.mT + torch.eye(a.size(-1))
        return (
            torch.linalg.cholesky(s),
            torch.linalg.solve(s, a),
            torch.linalg.inv(s),
            torch.linalg.det(s),
            torch.linalg.eigvalsh(s),
            torch.linalg.qr(a)[1],
            torch.logdet(s),
            torch.trace(s[0]),
        )

    twice(f, (R(2, 3, 3),), (R(3, 4, 4),))


@prog
def e_unbacked_bool_sel_loss():
    l = nn.Linear(3, 2)

    def f(x, m):
        return F.mse_loss(l(x[m]), torch.zeros(2).expand(int(m.sum()), 2)) if False else l(x[m]).pow(2).sum() / m.sum()

    go(f, R(5, 3), torch.tensor([True, False, True, True, False]))


@prog
def e_unbacked_repeat_lengths():
    def f(x, n):
        return torch.repeat_interleave(x, n, dim=0).cumsum(0), torch.repeat_interleave(torch.arange(3), n)

    go(f, R(3, 2), torch.tensor([1, 2, 3]))


@prog
def e_unbacked_nonzero_static_and_argwhere():
    def f(x):
        return torch.argwhere(x > 0).float().mean(), x[x > 0].sum(), torch.where(x > 0)[0].sum()

    go(f, R(3, 4))


@prog
def e_unbacked_slice_by_item():
    def f(x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.size(0))
        return x[:k].sum(), x[k:].mean(0)

    go(f, R(6, 3), torch.tensor(3))


@prog
def e_unbacked_view_dims():
    def f(x, n):
        k = n.item()
        torch._check_is_size(k)
        y = torch.ones(k, 4) * x
        return y.view(k, 2, 2).sum((0, 2)), y.reshape(-1).sum(), y.t() @ y

    go(f, R(4), torch.tensor(3))


@prog
def e_unbacked_unique_counts():
    def f(t, e):
        u, inv, c = torch.unique(t, return_inverse=True, return_counts=True)
        return e[u][inv] * c[inv][:, None]

    go(f, torch.tensor([3, 1, 3, 0]), R(5, 2))


@prog
def e_unbacked_bincount_hist():
    def f(i, x):
        n = torch.bincount(i)
        return torch.zeros(n.shape[0]).index_add(0, i, x) / n.clamp(min=1)

    go(f, torch.tensor([0, 1, 1, 3]), R(4))


@prog
def e_nested_checkpoint_dropout_dyn():
    from torch.utils.checkpoint import checkpoint

    l = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.GELU(), nn.Linear(8, 4))
    twice(lambda x: checkpoint(l, x, use_reentrant=False).sum(), (R(2, 4),), (R(5, 4),))


@prog
def e_custom_fn_dyn():
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.n = x.shape[0]
            return x * x.sigmoid()

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            s = x.sigmoid()
            return g * (s * (1 + x * (1 - s))) / ctx.n

    twice(lambda x: Swish.apply(x) * 2, (R(2, 3),), (R(4, 3),))


@prog
def e_lstm_module_dyn():
    m = nn.LSTM(3, 4, batch_first=True)
    torch._dynamo.config.allow_rnn = True
    twice(lambda x: m(x)[0], (R(2, 3, 3),), (R(4, 3, 3),))


@prog
def e_mha_dyn_two():
    m = nn.MultiheadAttention(4, 2, batch_first=True)
    twice(lambda x, y: m(x, y, y)[0], (R(2, 3, 4), R(2, 5, 4)), (R(3, 4, 4), R(3, 6, 4)))


@prog
def e_transformer_decoder_dyn():
    m = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
    twice(
        lambda x, y: m(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(x.size(1))),
        (R(2, 3, 8), R(2, 5, 8)),
        (R(2, 4, 8), R(2, 6, 8)),
    )


@prog
def e_vit_interp_pos_dyn():
    p = nn.Conv2d(3, 8, 4, 4)
    pos = nn.Parameter(torch.randn(1, 8, 2, 2))

    def f(x):
        y = p(x)
        y = y + F.interpolate(pos, size=y.shape[-2:], mode="bicubic", align_corners=False)
        return y.flatten(2).mT.mean(1)

    twice(f, (R(1, 3, 8, 8),), (R(1, 3, 16, 12),))


@prog
def e_swin_roll_dyn_batch():
    l = nn.Linear(4, 12)

    def f(x):
        B, H, W, c = x.shape
        x = torch.roll(x, (-1, -1), (1, 2))
        w = x.view(B, H // 2, 2, W // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        q, k, v = l(w).reshape(-1, 4, 3, 2, 2).permute(2, 0, 3, 1, 4)
        a = (q @ k.mT).softmax(-1) @ v
        return torch.roll(
            a.transpose(1, 2).reshape(B, H // 2, W // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, c), (1, 1), (1, 2)
        )

    twice(f, (R(1, 4, 4, 4),), (R(3, 4, 4, 4),), (R(2, 4, 4, 4),))


@prog
def e_moe_dyn_tokens():
    g = nn.Linear(4, 3)
    ex = nn.Parameter(torch.randn(3, 4, 4))

    def f(x):
        t = x.flatten(0, 1)
        w, i = g(t).softmax(-1).topk(2)
        y = torch.einsum("td,edf->tef", t, ex)
        return (y.gather(1, i[..., None].expand(-1, -1, 4)) * w[..., None]).sum(1).view_as(x), F.one_hot(i, 3).sum((0, 1))

    twice(f, (R(2, 3, 4),), (R(3, 5, 4),))


@prog
def e_ctc_dyn():
    def f(x, t, a, b):
        return F.ctc_loss(x.log_softmax(-1), t, a, b)

    twice(
        f,
        (R(6, 2, 4), torch.randint(1, 4, (2, 3)), torch.tensor([6, 5]), torch.tensor([3, 2])),
        (R(8, 2, 4), torch.randint(1, 4, (2, 3)), torch.tensor([8, 5]), torch.tensor([3, 2])),
    )


@prog
def e_grid_sample_dyn():
    def f(x, g):
        return F.grid_sample(x, g, align_corners=False)

    twice(f, (R(1, 2, 4, 4), R(1, 3, 3, 2)), (R(2, 2, 5, 6), R(2, 4, 5, 2)))


@prog
def e_view_as_complex_rope_dyn():
    def f(x, fr):
        return torch.view_as_real(torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2)) * fr[: x.size(1), None]).flatten(
            3
        )

    fr = torch.polar(torch.ones(16, 2), torch.randn(16, 2))
    twice(f, (R(1, 3, 2, 4), fr), (R(1, 5, 2, 4), fr))


@prog
def e_tril_mask_dyn():
    def f(x):
        T = x.size(1)
        m = torch.tril(torch.ones(T, T, dtype=torch.bool))
        m2 = torch.full((T, T), float("-inf")).triu(1)
        a = x @ x.mT
        return (
            a.masked_fill(~m, -1e9).softmax(-1),
            (a + m2).softmax(-1),
            torch.ones(T, T).tril_(-1).sum(),
            torch.triu_indices(4, 4).sum(),
        )

    twice(f, (R(2, 3, 4),), (R(2, 5, 4),))


@prog
def e_alibi_dyn():
    def f(x):
        T = x.size(1)
        b = (torch.arange(T)[None] - torch.arange(T)[:, None]).abs().neg() * torch.tensor([0.5, 0.25]).view(2, 1, 1)
        return (x.unsqueeze(1) @ x.unsqueeze(1).mT + b).softmax(-1)

    twice(f, (R(2, 3, 4),), (R(2, 5, 4),))


@prog
def e_chunk_split_dyn():
    def f(x):
        return (
            x.chunk(3, 0)[0],
            x.split(2, 1)[1],
            x.tensor_split(2, 1)[1],
            torch.split(x, [1, x.size(0) - 1])[1],
            x.unbind(1)[0],
        )

    twice(f, (R(6, 4),), (R(9, 4),))


@prog
def e_bf16_autocast_dyn():
    l = nn.Linear(4, 4)
    ln = nn.LayerNorm(4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (
                F.mse_loss(ln(l(x) @ x.mT), torch.zeros(x.size(0), x.size(1), x.size(1)).to(torch.bfloat16))
                if False
                else (l(x) @ x.mT).float().sum()
            )

    twice(f, (R(2, 4, 4),), (R(3, 4, 4),))
