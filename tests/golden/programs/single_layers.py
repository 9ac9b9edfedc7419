"""One layer, loss or family of operators each. All run in one process, and Dynamo is reset before each, so that each
begins with compile 0/0."""

from common import *


@prog
def mlp_gelu():
    m = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    go(m, R(3, 8, g=False))


@prog
def conv_net():
    m = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.GroupNorm(2, 8),
        nn.SiLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    go(m, R(2, 3, 8, 8, g=False))


@prog
def conv_transpose():
    m = nn.Sequential(nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1), nn.BatchNorm2d(3), nn.LeakyReLU(0.1))
    go(m, R(2, 4, 5, 5))


@prog
def conv1d3d():
    c1 = nn.Conv1d(3, 4, 3)
    c3 = nn.Conv3d(2, 3, 2)
    go(lambda x, y: (c1(x).relu(), c3(y).tanh()), R(2, 3, 9), R(1, 2, 4, 4, 4))


@prog
def mha():
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    go(lambda x: m(x, x, x)[0], R(2, 5, 8))


@prog
def mha_noweights():
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    go(lambda x: m(x, x, x, need_weights=False)[0], R(2, 5, 8))


@prog
def enc_layer():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    go(m, R(2, 5, 8))


@prog
def dec_layer():
    m = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True)
    go(m, R(2, 5, 8), R(2, 4, 8))


@prog
def lstm_cell():
    m = nn.LSTMCell(4, 6)
    go(lambda x, h, c: m(x, (h, c)), R(2, 4), R(2, 6), R(2, 6))


@prog
def gru_cell():
    m = nn.GRUCell(4, 6)
    go(m, R(2, 4), R(2, 6))


@prog
def embedding_bag():
    m = nn.EmbeddingBag(10, 4, mode="mean")
    go(m, torch.tensor([1, 2, 4, 5]), torch.tensor([0, 2]))


@prog
def losses():
    def f(x, y, t):
        return (
            F.cross_entropy(x, t)
            + F.mse_loss(x, y)
            + F.smooth_l1_loss(x, y)
            + F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean")
            + F.huber_loss(x, y)
        )

    go(f, R(4, 5), R(4, 5), torch.tensor([0, 1, 2, 3]))


@prog
def losses2():
    def f(x, y, t):
        return (
            F.binary_cross_entropy_with_logits(x, t)
            + F.cosine_embedding_loss(x, y, torch.ones(4))
            + F.triplet_margin_loss(x, y, t)
            + F.l1_loss(x, y)
            + F.poisson_nll_loss(x, t)
            + F.gaussian_nll_loss(x, y, t + 0.1)
        )

    go(f, R(4, 5), R(4, 5), torch.rand(4, 5))


@prog
def losses3():
    def f(x, t):
        return (
            F.nll_loss(x.log_softmax(1), t, ignore_index=1)
            + F.multi_margin_loss(x, t)
            + F.cross_entropy(x, t, label_smoothing=0.1)
            + F.cross_entropy(x, x.softmax(1).detach())
        )

    go(f, R(4, 5), torch.tensor([0, 1, 2, 3]))


@prog
def indexing():
    def f(x, i, m):
        y = x.clone()
        y[i] = 1.0
        y[:, 1:3] += 2
        y[m] = 0
        return (
            y.gather(1, i[:, None].expand(-1, 2)),
            x[i, :2],
            x[..., None].squeeze(-1),
            x.index_select(0, i),
            y.masked_fill(m, 3.0),
        )

    go(f, R(4, 5), torch.tensor([0, 2, 1, 3]), torch.rand(4, 5) > 0.5)


@prog
def scatters():
    def f(x, i):
        return (
            x.scatter(1, i, 0.5),
            x.scatter_add(1, i, x),
            torch.zeros(4, 5).index_add(0, i[:, 0], x),
            x.scatter_reduce(1, i, x, "amax"),
        )

    go(f, R(4, 5), torch.randint(0, 4, (4, 5)))


@prog
def sorts():
    def f(x):
        v, i = x.sort(1)
        t = x.topk(2, 1)
        return (v, t[0], x.kthvalue(2, 1)[0], x.median(1)[0], x.cumsum(1), x.cumprod(0), x.logcumsumexp(1), x.cummax(1)[0])

    go(f, R(4, 5))


@prog
def reductions():
    def f(x):
        return (
            x.mean((0, 1)),
            x.std(),
            x.var(1),
            x.norm(dim=1),
            x.logsumexp(1),
            x.amax(1),
            x.prod(),
            x.argmax(1),
            x.min(1)[0],
            x.nansum(),
            x.softmax(0),
            torch.std_mean(x, 1)[1],
            x.aminmax()[0],
        )

    go(f, R(4, 5))


@prog
def pointwise():
    def f(x, y):
        return (
            torch.where(x > 0, x, y),
            x.clamp(-1, 1),
            x.sigmoid() * y.tanh(),
            torch.lerp(x, y, 0.3),
            torch.addcmul(x, y, y, value=2),
            x.pow(3),
            2**x,
            x.exp().log1p(),
            torch.atan2(x, y),
            x.abs().sqrt(),
            x.erf(),
            torch.maximum(x, y),
            x.fmod(2.0),
            x.remainder(1.5),
            torch.hypot(x, y),
            torch.copysign(x, y),
            x.sign(),
        )

    go(f, R(4, 5), R(4, 5))


@prog
def pointwise2():
    def f(x):
        return (
            F.softplus(x),
            F.elu(x),
            F.selu(x),
            F.celu(x),
            F.mish(x),
            F.hardswish(x),
            F.hardtanh(x),
            F.hardsigmoid(x),
            F.relu6(x),
            F.softsign(x),
            F.tanhshrink(x),
            F.hardshrink(x),
            F.softshrink(x),
            F.threshold(x, 0.1, 2.0),
            F.logsigmoid(x),
            F.glu(x, 1),
            F.rrelu(x, training=False),
            torch.special.i0(x),
            torch.lgamma(x.abs() + 1),
            x.sinc(),
            torch.nan_to_num(x),
        )

    go(f, R(4, 6))


@prog
def views():
    def f(x):
        a, b = x.chunk(2, 1)
        c = x.split([1, 3], 0)
        u = x.unbind(1)
        return (
            a @ b.t(),
            c[1].reshape(-1),
            u[0] + u[1],
            x.unfold(1, 3, 1),
            x.flip(1),
            x.roll(1, 0),
            x.permute(1, 0).contiguous(),
            x.view(2, 2, 6).transpose(1, 2),
            x.diagonal(),
            x.tril(),
            torch.stack([a, b]),
            x.repeat(2, 1),
            x.expand(2, 4, 6),
            x.narrow(1, 1, 2),
            x.movedim(0, 1),
            torch.tile(x, (1, 2)),
            x.as_strided((2, 3), (6, 1)),
        )

    go(f, R(4, 6))


@prog
def alias_outputs():
    def f(x):
        y = x * 2
        return y, y.view(-1), x.t(), x

    go(f, R(4, 6))


@prog
def mutate_input():
    def f(x, b):
        b.add_(x.detach().sum(0))
        b.mul_(2)
        return (x * b).sum()

    go(f, R(4, 6), torch.zeros(6))


@prog
def mutate_view():
    def f(x, w):
        y = x * w
        v = y[:, 1:3]
        v.mul_(3)
        y.t().add_(1)
        return y

    go(f, R(4, 6), R(6))


@prog
def mutate_nograd_copy():
    def f(x, b):
        with torch.no_grad():
            b.copy_(x.mean(0))
        return x - b

    go(f, R(4, 6), torch.zeros(6))


@prog
def buffers():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.lin = nn.Linear(6, 6)
            s.register_buffer("n", torch.zeros(()))
            s.register_buffer("ema", torch.zeros(6))

        def forward(s, x):
            s.n += 1
            y = s.lin(x)
            s.ema.lerp_(y.detach().mean(0), 0.1)
            return y / (s.n + 1)

    go(M(), R(4, 6, g=False))


@prog
def batchnorm_train():
    m = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3), nn.InstanceNorm1d(3))
    go(lambda x: m[1](m[0](x)), R(4, 6))


@prog
def dropouts():
    def f(x):
        return (
            F.dropout(x, 0.5),
            F.dropout2d(x[None, None], 0.3),
            F.alpha_dropout(x, 0.2),
            x.bernoulli(0.5),
            torch.rand_like(x) * x,
        )

    go(f, R(4, 6))


@prog
def random_ops():
    def f(x):
        return (x + torch.randn(4, 6) * torch.rand(6), torch.randint(0, 5, (4,)), torch.randperm(5), x.new_empty(3).normal_())

    go(f, R(4, 6))


@prog
def autocast():
    m = nn.Linear(6, 6)

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            y = m(x)
            z = y.softmax(1)
        return z.float() @ x.t()

    go(f, R(4, 6))


@prog
def complexes():
    def f(x):
        y = torch.fft.rfft(x, dim=1)
        z = torch.view_as_real(y * y.conj())
        return torch.fft.irfft(y, n=6, dim=1), z, torch.complex(x, x).abs(), torch.polar(x.abs(), x).angle()

    go(f, R(4, 6))


@prog
def linalg():
    def f(a, b):
        s = a @ a.mT + 3 * torch.eye(4)
        return (
            torch.linalg.solve(s, b),
            torch.linalg.inv(s),
            torch.linalg.det(s),
            torch.linalg.cholesky(s),
            torch.linalg.norm(a),
            torch.linalg.svdvals(a),
            torch.linalg.qr(a)[1],
            torch.linalg.eigh(s)[0],
            torch.linalg.matrix_power(a, 3),
            torch.trace(a),
            torch.logdet(s),
        )

    go(f, R(4, 4), R(4, 2))


@prog
def einsums():
    def f(x, y):
        return (
            torch.einsum("bij,bjk->bik", x, y),
            torch.einsum("bij,bij->b", x, x),
            torch.bmm(x, y),
            torch.baddbmm(x @ y, x, y),
            torch.tensordot(x, y, dims=([2], [1])),
            torch.outer(x[0, 0], y[0, 0]),
            torch.kron(x[0], y[0]),
            torch.cross(x[0], x[1], dim=-1),
        )

    go(f, R(2, 3, 3), R(2, 3, 3))


@prog
def interp():
    def f(x):
        return (
            F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
            F.interpolate(x, size=(3, 3), mode="nearest"),
            F.interpolate(x, scale_factor=2, mode="bicubic"),
            F.pixel_shuffle(x, 2),
            F.avg_pool2d(x, 2),
            F.lp_pool2d(x, 2, 2),
            F.adaptive_max_pool2d(x, 2),
            F.unfold(x, 2),
            F.pad(x, (1, 1, 1, 1), "reflect"),
            F.pad(x, (1, 2)),
            F.pad(x, (1, 1), "circular"),
        )

    go(f, R(2, 4, 6, 6))


@prog
def grids():
    def f(x, t):
        g = F.affine_grid(t, (2, 4, 6, 6), align_corners=False)
        return F.grid_sample(x, g, align_corners=False)

    go(f, R(2, 4, 6, 6), R(2, 2, 3))


@prog
def sdpa():
    def f(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True), F.scaled_dot_product_attention(
            q, k, v, attn_mask=torch.zeros(5, 5), dropout_p=0.0, scale=0.3
        )

    go(f, R(2, 2, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4))


@prog
def rmsnorm():
    m = nn.RMSNorm(6)
    go(lambda x: F.normalize(m(x), dim=-1) + F.local_response_norm(x[None], 2)[0], R(4, 6))


@prog
def weightnorm():
    m = nn.utils.parametrizations.weight_norm(nn.Linear(6, 3))
    go(m, R(4, 6))


@prog
def nograd_parts():
    def f(x):
        with torch.no_grad():
            y = x * 2
        z = (x * y).detach()
        return z + x, y, torch.zeros_like(x).requires_grad_(False)

    go(f, R(4, 6))


@prog
def checkpointed():
    from torch.utils.checkpoint import checkpoint

    a = nn.Linear(6, 6)
    b = nn.Linear(6, 6)

    def f(x):
        return checkpoint(
            lambda t: torch.relu(a(t)) * t, checkpoint(lambda t: b(t).sin(), x, use_reentrant=False), use_reentrant=False
        )

    go(f, R(4, 6))


@prog
def autograd_fn():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k = k
            return x.sign() * k

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (x.abs() < 1) * ctx.k, None

    go(lambda x: S.apply(x * 2, 3.0).exp(), R(4, 6))


@prog
def dyn_batch():
    m = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
    go(m, R(5, 6), dynamic=True)


@prog
def dyn_attention():
    m = nn.MultiheadAttention(8, 2, batch_first=True)
    go(lambda x: m(x, x, x, need_weights=False)[0], R(2, 5, 8), dynamic=True)


@prog
def dyn_views():
    def f(x):
        return (
            x.view(x.shape[0] * x.shape[1] // 2, 2),
            x.reshape(-1),
            x[:, : x.shape[1] // 2],
            x.new_zeros(x.shape[0], 3),
            torch.arange(x.shape[1]),
            x.sum() / x.shape[0],
            x.flatten(),
            torch.cat([x, x], 1),
        )

    go(f, R(4, 6), dynamic=True)


@prog
def dyn_conv():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.BatchNorm2d(4), nn.ReLU())
    go(lambda x: m(x).mean((2, 3)), R(2, 3, 9, 9), dynamic=True)


@prog
def dyn_pad():
    def f(x):
        return F.pad(x, (0, 8 - x.shape[1])), x.repeat(2, 1), x.expand(3, *x.shape), x.chunk(2, 1)[0], x.softmax(-1)

    go(f, R(4, 6), dynamic=True)


@prog
def dyn_int():
    def f(x, n):
        return x * n, x[:n], torch.full((n,), 2.0)

    go(f, R(4, 6), 3, dynamic=True)


@prog
def dyn_mask():
    def f(x):
        T = x.shape[1]
        m = torch.triu(torch.full((T, T), float("-inf")), 1)
        return (x @ x.transpose(1, 2) + m).softmax(-1)

    go(f, R(2, 5, 8), dynamic=True)


@prog
def un_item():
    def f(x, n):
        k = n.item()
        torch._check_is_size(k)
        torch._check(k <= 4)
        return x[:k].sum(), torch.zeros(k, 3) + 1

    go(f, R(4, 6), torch.tensor(3))


@prog
def un_mask():
    def f(x, m):
        return x[m].sum(), x.masked_select(m)

    go(f, R(4, 6), torch.rand(4, 6) > 0.3)


@prog
def un_nonzero2():
    def f(x):
        i = torch.nonzero(x > 0)
        return x[i[:, 0], i[:, 1]].exp(), i.shape[0] * 2.0 * x

    go(f, R(4, 6))


@prog
def un_unique():
    def f(x, t):
        u, inv = torch.unique(t, return_inverse=True)
        return x[u].sum() + u.float().sum(), torch.unique_consecutive(t)

    go(f, R(8, 6), torch.tensor([1, 1, 3, 2, 7]))


@prog
def un_repeat():
    def f(x, r):
        return x.repeat_interleave(r, dim=0).sum(0)

    go(f, R(4, 6), torch.tensor([1, 2, 0, 1]))


@prog
def un_bincount():
    def f(x, t):
        return torch.bincount(t).float().sum() * x

    go(f, R(4, 6), torch.tensor([1, 2, 0, 1]))


@prog
def un_tolist():
    def f(x, s):
        a, b = s.tolist()
        return torch.split(x, [a, b], 0)[0].sum()

    go(f, R(4, 6), torch.tensor([1, 3]))


@prog
def un_where():
    def f(x):
        (i,) = torch.where(x[:, 0] > -10)
        return x.index_select(0, i).mean(0)

    go(f, R(4, 6))


@prog
def un_float():
    def f(x, s):
        return x * s.item()

    go(f, R(4, 6), torch.tensor(0.5))


@prog
def inference():
    m = nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Dropout(0.5)).eval()
    with torch.no_grad():
        C(m)(R(4, 6, g=False))


@prog
def inference_mode():
    m = nn.Linear(6, 6)
    with torch.inference_mode():
        C(lambda x: m(x).relu_())(torch.randn(4, 6))


@prog
def shared_params():
    l = nn.Linear(6, 6)
    go(lambda x: l(l(x)) + F.linear(x, l.weight.t()), R(4, 6))


@prog
def dup_inputs():
    def f(x, y):
        x.add_(1)
        return x * y

    a = torch.ones(4)
    C(f)(a, a)


@prog
def view_inputs():
    def f(x, y):
        x.mul_(2)
        return x + y.sum()

    a = torch.ones(8)
    C(f)(a[:4], a[2:6])


@prog
def optimizer_sgd():
    p = [R(3, 3), R(3)]
    o = torch.optim.SGD(p, lr=0.1, momentum=0.9)
    for q in p:
        q.grad = torch.ones_like(q)
    C(lambda: o.step())()


@prog
def optimizer_adam():
    p = [R(3, 3), R(3)]
    o = torch.optim.Adam(p, lr=0.1)
    for q in p:
        q.grad = torch.ones_like(q)
    C(lambda: o.step())()


@prog
def tensor_attrs():
    def f(x):
        return (
            x.T,
            x.mT,
            x.H if False else x,
            x.real,
            x.to(torch.float64).sum(),
            x.type(torch.int32),
            x.double().half(),
            x.size(0) * x,
            x.numel() + x,
            x.contiguous(memory_format=torch.contiguous_format),
        )

    go(f, R(4, 6))


@prog
def channels_last():
    m = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    go(lambda x: m(x).relu(), R(2, 3, 6, 6, g=False).contiguous(memory_format=torch.channels_last))


@prog
def bucketize():
    def f(x):
        b = torch.tensor([-1.0, 0.0, 1.0])
        return (
            torch.bucketize(x.detach(), b),
            torch.searchsorted(b, x.detach()),
            torch.histc(x.detach(), 4),
            F.one_hot(torch.bucketize(x.detach(), b), 4),
            x.quantile(0.5),
        )

    go(f, R(4, 6))


@prog
def distance():
    def f(x, y):
        return torch.cdist(x, y), F.pairwise_distance(x, x * 2), F.cosine_similarity(x, x * 3, dim=1), torch.pdist(x)

    go(f, R(4, 6), R(3, 6))


@prog
def vmapped():
    def f(x):
        return torch.vmap(lambda t: t.sin() * t.sum())(x)

    go(f, R(4, 6))


@prog
def funcgrad():
    def f(x):
        return torch.func.grad(lambda t: (t**3).sum())(x)

    go(f, R(4, 6))


@prog
def set_grad():
    def f(x):
        torch.set_grad_enabled(False)
        y = x * 2
        torch.set_grad_enabled(True)
        return y * x

    go(f, R(4, 6))


@prog
def inplace_chain():
    def f(x):
        y = x.sin()
        y.relu_().add_(1).clamp_(max=2)
        y[0].zero_()
        y.unsqueeze_(0)
        return y * 2

    go(f, R(4, 6))


@prog
def list_ops():
    def f(xs):
        s = torch._foreach_add(xs, 1.0)
        return (
            torch.block_diag(*xs),
            torch.cartesian_prod(xs[0][0], xs[1][0]),
            torch.hstack(xs),
            torch.vstack(xs),
            torch.meshgrid(xs[0][0], xs[1][0], indexing="ij")[0],
            s[0],
        )

    go(f, [R(3, 3), R(3, 3)])


@prog
def moe():
    g = nn.Linear(6, 3)
    e = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))

    def f(x):
        w, i = g(x).softmax(-1).topk(2, -1)
        o = torch.zeros_like(x)
        for k, m in enumerate(e):
            o = o + m(x) * (w * (i == k)).sum(-1, keepdim=True)
        return o

    go(f, R(5, 6))


@prog
def rope():
    def f(x):
        T = x.shape[1]
        t = torch.arange(T, dtype=torch.float32)
        fr = torch.outer(t, 1 / 10000 ** (torch.arange(0, 4, 2) / 4))
        c, s = fr.cos(), fr.sin()
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)

    go(f, R(2, 5, 4))


@prog
def kvcache():
    def f(x, cache, pos):
        cache.index_copy_(1, pos, x)
        return (cache @ x.transpose(1, 2)).softmax(1)

    with torch.no_grad():
        C(f)(torch.randn(2, 1, 4), torch.zeros(2, 8, 4), torch.tensor([3]))


@prog
def retain_out_noalias():
    def f(x):
        y = x + 1
        return y, y.detach(), y[0], x.detach()

    go(f, R(4, 6))
