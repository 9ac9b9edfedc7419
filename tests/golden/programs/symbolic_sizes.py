"""Symbolic sizes from the first compile on, sizes that only the data tell, torch.func. All run in one process, and Dynamo
is reset before each. With symbolic sizes and a float among the inputs a compile is begun twice (0/0 and 0/0_1), and both
attempts leave a graph."""

from common import *


@prog
def d_convnet():
    m = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3, stride=2),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4, 2),
    )
    go(m, R(2, 3, 16, 12, g=False), dynamic=True)


@prog
def d_convT():
    m = nn.Sequential(nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1), nn.LeakyReLU(0.1))
    go(m, R(2, 4, 5, 7), dynamic=True)


@prog
def d_unet():
    a = nn.Conv2d(3, 4, 3, padding=1)
    b = nn.Conv2d(4, 4, 3, stride=2, padding=1)
    c = nn.Conv2d(8, 3, 1)

    def f(x):
        u = a(x).relu()
        v = b(u).relu()
        v = F.interpolate(v, scale_factor=2, mode="nearest")
        return c(torch.cat([u, v], 1))

    go(f, R(2, 3, 8, 8), dynamic=True)


@prog
def d_interp():
    def f(x):
        return F.interpolate(x, size=(x.shape[2] * 2, x.shape[3] * 2), mode="bilinear", align_corners=False)

    go(f, R(2, 3, 4, 6), dynamic=True)


@prog
def d_enc():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    go(m, R(3, 5, 8), dynamic=True)


@prog
def d_enc_drop():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    go(m, R(3, 5, 8), dynamic=True)


@prog
def d_gptblock():
    class B(nn.Module):
        def __init__(s):
            super().__init__()
            s.ln = nn.LayerNorm(8)
            s.qkv = nn.Linear(8, 24)
            s.o = nn.Linear(8, 8)
            s.m = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8))

        def forward(s, x):
            B, T, C = x.shape
            q, k, v = s.qkv(s.ln(x)).split(C, dim=2)
            q, k, v = (t.view(B, T, 2, C // 2).transpose(1, 2) for t in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + s.o(y.transpose(1, 2).contiguous().view(B, T, C))
            return x + s.m(x)

    go(B(), R(2, 5, 8), dynamic=True)


@prog
def d_gptblock_mark():
    emb = nn.Embedding(11, 8)
    pos = nn.Embedding(16, 8)
    l = nn.Linear(8, 11)

    def f(i, t):
        T = i.shape[1]
        h = emb(i) + pos(torch.arange(T))
        m = torch.tril(torch.ones(T, T)).view(1, T, T)
        a = (h @ h.transpose(-2, -1) / math.sqrt(8)).masked_fill(m == 0, float("-inf")).softmax(-1)
        lo = l(a @ h)
        return F.cross_entropy(lo.view(-1, lo.size(-1)), t.view(-1))

    i = torch.randint(0, 11, (3, 6))
    t = torch.randint(0, 11, (3, 6))
    torch._dynamo.mark_dynamic(i, 1)
    torch._dynamo.mark_dynamic(t, 1)
    go(f, i, t)


@prog
def d_slice_n():
    def f(x, n):
        return x[:n].sum(0), x[n:].sum(0), x.narrow(0, 0, n) * 2

    go(f, R(7, 6), 3, dynamic=True)


@prog
def d_scale():
    def f(x, s):
        return x * s + s

    go(f, R(4, 6), 0.7, dynamic=True)


@prog
def d_chunk():
    def f(x):
        a, b = x.chunk(2, -1)
        return a * b.sigmoid(), F.glu(x, -1), torch.stack([a, b]).flatten(0, 1)

    go(f, R(4, 6), dynamic=True)


@prog
def d_pad():
    def f(x):
        T = x.shape[1]
        p = (-T) % 4
        y = F.pad(x, (0, p))
        return y.view(x.shape[0], -1, 4).mean(-1)

    go(f, R(3, 6), dynamic=True)


@prog
def d_pad2():
    def f(x):
        y = F.pad(x, (0, 16 - x.shape[1]))
        a, b = y.chunk(2, 1)
        return a + b

    go(f, R(3, 6), dynamic=True)


@prog
def d_index():
    def f(x, i):
        return (
            x.index_select(0, i),
            x[i],
            x.gather(0, i[:, None].expand(-1, x.shape[1])),
            torch.zeros_like(x).index_add(0, i, x[i]),
        )

    go(f, R(5, 6), torch.tensor([0, 2, 4]), dynamic=True)


@prog
def d_reduce():
    def f(x):
        return (
            x.mean(1),
            x.var(0),
            x.std(),
            x.norm(),
            x.logsumexp(1),
            x.amax(1),
            x.cumsum(1),
            x.softmax(0),
            x.sort(1)[0],
            x.topk(2, 1)[0],
        )

    go(f, R(4, 6), dynamic=True)


@prog
def d_reshape():
    def f(x):
        B, T, C = x.shape
        return (
            x.reshape(B * T, C),
            x.view(B, T, 2, C // 2),
            x.view(B, -1),
            x.transpose(1, 2).reshape(B, -1),
            x.permute(2, 0, 1).contiguous().view(C, -1),
            x.unflatten(-1, (2, -1)),
        )

    go(f, R(3, 5, 8), dynamic=True)


@prog
def d_loss():
    def f(x, t):
        return F.cross_entropy(x, t), F.mse_loss(x, x * 2), F.nll_loss(x.log_softmax(1), t)

    go(f, R(5, 7), torch.tensor([0, 1, 2, 3, 4]), dynamic=True)


@prog
def d_gn():
    m = nn.Sequential(nn.GroupNorm(2, 4), nn.SiLU(), nn.Conv2d(4, 4, 3, padding=1))
    go(m, R(2, 4, 6, 6), dynamic=True)


@prog
def d_ln_rms():
    m = nn.RMSNorm(6)
    n = nn.LayerNorm(6)
    go(lambda x: m(x) + n(x), R(4, 5, 6), dynamic=True)


@prog
def d_lstm():
    m = nn.LSTMCell(4, 6)
    go(lambda x, h, c: m(x, (h, c)), R(3, 4), R(3, 6), R(3, 6), dynamic=True)


@prog
def d_gru():
    m = nn.GRUCell(4, 6)
    go(m, R(3, 4), R(3, 6), dynamic=True)


@prog
def d_emb():
    e = nn.Embedding(10, 4)
    go(lambda i: e(i).sum(1), torch.randint(0, 10, (3, 5)), dynamic=True)


@prog
def d_einsum():
    def f(a, b):
        return torch.einsum("bij,bjk->bik", a, b), torch.bmm(a, b), a @ b, torch.einsum("bij->bji", a)

    go(f, R(3, 4, 5), R(3, 5, 6), dynamic=True)


@prog
def d_expand():
    def f(x, y):
        return (x[:, None] * y[None], x.unsqueeze(0).expand(x.shape[0], -1, -1).sum(0), x.repeat(2, 3), torch.cat([x, y], 0))

    go(f, R(4, 6), R(4, 6), dynamic=True)


@prog
def d_mut():
    def f(x, b):
        b.add_(x.detach().sum(0))
        return x * b

    go(f, R(4, 6), torch.zeros(6), dynamic=True)


@prog
def d_inf():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
    with torch.no_grad():
        C(m, dynamic=True)(R(2, 3, 8, 8, g=False))


@prog
def d_masked():
    def f(x, l):
        m = torch.arange(x.shape[1])[None] < l[:, None]
        return (x * m[..., None]).sum(1) / l[:, None]

    go(f, R(3, 5, 4), torch.tensor([2, 5, 1]), dynamic=True)


@prog
def d_ce_ignore():
    def f(x, t):
        return F.cross_entropy(x.view(-1, x.size(-1)), t.view(-1), ignore_index=-1)

    go(f, R(2, 5, 7), torch.randint(0, 7, (2, 5)), dynamic=True)


@prog
def d_rope():
    def f(x):
        T = x.shape[1]
        t = torch.arange(T, dtype=torch.float32)
        fr = torch.outer(t, 1 / 10000 ** (torch.arange(0, 4, 2) / 4))
        c, s = fr.cos(), fr.sin()
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)

    go(f, R(2, 5, 4), dynamic=True)


@prog
def d_symout():
    def f(x):
        return x.sum() * x.shape[0], x.shape[0] * x.shape[1], x.view(-1)[: x.shape[0] * 2]

    go(f, R(4, 6), dynamic=True)


@prog
def d_tri():
    def f(x):
        T = x.shape[-1]
        i, j = torch.triu_indices(T, T, 1)
        return x[..., i, j]

    go(f, R(3, 5, 5))


@prog
def u_mask_set():
    def f(x, m):
        y = x.clone()
        y[m] = 0
        z = x[m]
        return y.sum() + z.sum(), z.shape[0]

    go(f, R(4, 6), torch.rand(4, 6) > 0.3)


@prog
def u_item_arange():
    def f(x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        return x[:k] * 2, torch.arange(k)

    go(f, R(4, 6), torch.tensor(3))


@prog
def u_nonzero_mlp():
    l = nn.Linear(6, 3)

    def f(x):
        i = (x[:, 0] > -9).nonzero().squeeze(1)
        return l(x[i]).sum(), l(x.index_select(0, i)).mean()

    go(f, R(4, 6))


@prog
def u_unique_emb():
    e = nn.Embedding(10, 4)

    def f(t):
        u = torch.unique(t)
        return e(u).sum()

    go(f, torch.tensor([1, 1, 3, 2, 7]))


@prog
def u_repeat2():
    def f(x, r):
        return torch.repeat_interleave(x, r, dim=0) * 2

    go(f, R(4, 6), torch.tensor([1, 2, 0, 1]))


@prog
def u_split():
    def f(x, s):
        a = s.tolist()
        return [p.sum() for p in torch.split(x, a, 0)][0]

    go(f, R(6, 6), torch.tensor([1, 3, 2]))


@prog
def f_grad2():
    def f(x, y):
        return torch.func.grad(lambda a, b: (a * b).sin().sum(), argnums=(0, 1))(x, y)

    go(f, R(4), R(4))


@prog
def f_gradval():
    def f(x):
        g, v = torch.func.grad_and_value(lambda t: (t.exp()).sum())(x)
        return g * v

    go(f, R(4, 6))


@prog
def f_vjp():
    def f(x):
        o, vf = torch.func.vjp(lambda t: t.sin() * t, x)
        return vf(torch.ones_like(o))[0] + o

    go(f, R(4, 6))


@prog
def f_jacrev():
    def f(x):
        return torch.func.jacrev(lambda t: t.sin() * t.sum())(x)

    go(f, R(4))


@prog
def f_jvp():
    def f(x, t):
        return torch.func.jvp(lambda a: a.sin() * a, (x,), (t,))

    go(f, R(4), R(4))


@prog
def f_jacfwd():
    def f(x):
        return torch.func.jacfwd(lambda t: t.sin() * t.sum())(x)

    go(f, R(4))


@prog
def f_hess():
    def f(x):
        return torch.func.hessian(lambda t: (t**3).sum())(x)

    go(f, R(3))


@prog
def f_vmapgrad():
    w = nn.Linear(4, 2)

    def f(x, t):
        def loss(a, b):
            return F.mse_loss(torch.tanh(w.weight @ a), b)

        return torch.vmap(torch.func.grad(loss))(x, t)

    go(f, R(3, 4), R(3, 2))


@prog
def f_vmap2():
    def f(x, y):
        return torch.vmap(lambda a, b: torch.vmap(lambda c: c @ b)(a))(x, y), torch.vmap(
            lambda a: a.softmax(0), in_dims=1, out_dims=1
        )(x[0])

    go(f, R(3, 4, 5), R(3, 5, 2))


@prog
def s_hooks():
    m = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 2))
    with torch.autograd.graph.save_on_cpu():
        go(m, R(4, 6))


@prog
def s_vit():
    class V(nn.Module):
        def __init__(s):
            super().__init__()
            s.p = nn.Conv2d(3, 8, 4, 4)
            s.c = nn.Parameter(torch.zeros(1, 1, 8))
            s.pe = nn.Parameter(torch.zeros(1, 5, 8))
            s.e = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
            s.h = nn.Linear(8, 3)

        def forward(s, x):
            x = s.p(x).flatten(2).transpose(1, 2)
            x = torch.cat([s.c.expand(x.shape[0], -1, -1), x], 1) + s.pe
            return s.h(s.e(x)[:, 0])

    go(V(), R(2, 3, 8, 8, g=False))


@prog
def s_vit_dyn():
    class V(nn.Module):
        def __init__(s):
            super().__init__()
            s.p = nn.Conv2d(3, 8, 4, 4)
            s.c = nn.Parameter(torch.zeros(1, 1, 8))
            s.pe = nn.Parameter(torch.zeros(1, 5, 8))
            s.h = nn.Linear(8, 3)

        def forward(s, x):
            x = s.p(x).flatten(2).transpose(1, 2)
            x = torch.cat([s.c.expand(x.shape[0], -1, -1), x], 1) + s.pe
            return s.h(x[:, 0])

    x = R(3, 3, 8, 8, g=False)
    torch._dynamo.mark_dynamic(x, 0)
    go(V(), x)


@prog
def s_rnn():
    m = nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True)
    go(lambda x: m(x)[0], R(2, 5, 4))


@prog
def s_gru():
    m = nn.GRU(4, 6)
    go(lambda x: m(x)[0], R(5, 2, 4))


@prog
def s_gcn():
    l = nn.Linear(4, 3)

    def f(x, e):
        s, d = e
        h = l(x)
        o = torch.zeros_like(h).index_add_(0, d, h[s])
        deg = torch.zeros(x.shape[0]).index_add_(0, d, torch.ones(e.shape[1]))
        return (o / deg.clamp(min=1)[:, None]).relu()

    go(f, R(5, 4), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]))


@prog
def s_gcn_dyn():
    l = nn.Linear(4, 3)

    def f(x, e):
        s, d = e
        h = l(x)
        o = torch.zeros_like(h).index_add_(0, d, h[s])
        return o.relu()

    go(f, R(5, 4), torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), dynamic=True)


@prog
def s_attn_mask():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m), F.scaled_dot_product_attention(q, k, v, dropout_p=0.1)

    go(f, R(2, 2, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4), torch.rand(5, 5) > 0.1)


@prog
def s_attn_gqa():
    def f(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    go(f, R(2, 4, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4))


@prog
def s_attn_mask_dyn():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=m)

    go(f, R(2, 2, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4), torch.zeros(5, 5), dynamic=True)


@prog
def s_autofn():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return (x @ w).relu(), x.sum()

        @staticmethod
        def backward(ctx, g, h):
            x, w = ctx.saved_tensors
            return g @ w.t() + h, x.t() @ g

    go(lambda x, w: S.apply(x, w)[0].sin(), R(4, 6), R(6, 3))


@prog
def s_views_mut():
    def f(x):
        y = x * 2
        z = y.view(-1)
        z[::2].add_(1)
        y[:, 0].mul_(3)
        w = y.t()
        w.copy_(w * 2)
        return y, w

    go(f, R(4, 6))


@prog
def s_inplace_param():
    w = nn.Parameter(torch.randn(6))
    b = torch.zeros(6)

    def f(x):
        with torch.no_grad():
            w.mul_(0.9)
        b.copy_(x.detach()[0])
        return x * w + b

    go(f, R(4, 6))


@prog
def s_adamw():
    m = nn.Linear(3, 2)
    o = torch.optim.AdamW(m.parameters(), lr=0.1)
    for p in m.parameters():
        p.grad = torch.ones_like(p)
    C(lambda: o.step())()


@prog
def s_adamw_foreach():
    m = nn.Linear(3, 2)
    o = torch.optim.AdamW(m.parameters(), lr=0.1, foreach=True, capturable=False)
    for p in m.parameters():
        p.grad = torch.ones_like(p)
    C(lambda: o.step())()


@prog
def s_rmsprop():
    m = nn.Linear(3, 2)
    o = torch.optim.RMSprop(m.parameters(), lr=0.1, momentum=0.5, foreach=True)
    for p in m.parameters():
        p.grad = torch.ones_like(p)
    C(lambda: o.step())()


@prog
def s_amp_conv():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(m(x), torch.tensor([0, 1]))

    go(f, R(2, 3, 6, 6, g=False))


@prog
def s_amp_dyn():
    m = nn.Linear(6, 6)

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            return m(x).float().softmax(-1)

    go(f, R(4, 6), dynamic=True)


@prog
def s_ckpt_dyn():
    from torch.utils.checkpoint import checkpoint

    a = nn.Linear(6, 6)
    go(lambda x: checkpoint(lambda t: a(t).relu().sin(), x, use_reentrant=False).sum(), R(4, 6), dynamic=True)


@prog
def s_recompile():
    m = nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), nn.ReLU())
    c = C(lambda x: m(x).mean(2))
    c(R(2, 3, 8)).sum().backward()
    c(R(2, 3, 12)).sum().backward()
    c(R(5, 3, 12)).sum().backward()


@prog
def s_recompile_t():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    c = C(m)
    c(R(2, 5, 8)).sum().backward()
    c(R(2, 7, 8)).sum().backward()


@prog
def s_ctc():
    def f(x, t, a, b):
        return F.ctc_loss(x.log_softmax(2), t, a, b)

    go(f, R(6, 2, 4), torch.tensor([[1, 2], [1, 3]]), torch.tensor([6, 6]), torch.tensor([2, 2]))


@prog
def s_fold():
    def f(x):
        return (
            F.fold(F.unfold(x, 2, stride=2), (6, 6), 2, stride=2),
            F.pixel_unshuffle(x, 2),
            F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool1d(x[:, :, 0], 2),
        )

    go(f, R(2, 4, 6, 6))


@prog
def d_fold():
    def f(x):
        return (
            F.unfold(x, 2, stride=2),
            F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool2d(x, 2),
            F.adaptive_avg_pool2d(x, 2),
            F.pixel_shuffle(x, 2),
        )

    go(f, R(2, 4, 6, 6), dynamic=True)


@prog
def s_complex():
    def f(x):
        z = torch.fft.fft2(x)
        return (
            torch.fft.ifft2(z * z).real,
            torch.fft.fftshift(x),
            torch.stft(x[0, 0], 4, window=torch.hann_window(4), return_complex=True).abs(),
        )

    go(f, R(1, 2, 8, 8))


@prog
def s_misc():
    def f(x):
        return (
            x.clamp_min(0.1).log(),
            torch.where(x > 0, x, 0.0),
            x.masked_fill(x > 0, -1),
            x.nan_to_num(),
            torch.logaddexp(x, x),
            x.round(),
            x.frac(),
            x.trunc(),
            torch.addmm(x @ x.t(), x, x.t(), beta=0.5),
            x.diag_embed(),
            torch.tril(x @ x.t()),
            x.unfold(1, 2, 2),
            x.argsort(1),
            x.cdist(x),
            x.renorm(2, 0, 1.0),
            x.flip(0).roll(1, 1),
            x.dist(x * 2),
        )

    go(f, R(4, 6))


@prog
def d_misc():
    def f(x):
        return (
            x.clamp_min(0.1).log(),
            torch.where(x > 0, x, 0.0),
            x.flip(0),
            x.roll(1, 1),
            torch.tril(x @ x.t()),
            x.diagonal(),
            x.t().contiguous(),
            x.unbind(1)[0] if False else x[:, 0],
            x[-1],
            x[1:],
            x[:, :-1],
            x[::2],
            x.unsqueeze(1).squeeze(1),
            x.new_full((x.shape[0],), 2.0),
            torch.linspace(0, 1, x.shape[1]),
            torch.eye(x.shape[0]),
            torch.ones_like(x),
            x.to(torch.float64),
        )

    go(f, R(4, 6), dynamic=True)
