"""Backward passes under compiled autograd."""

from common import *


def R(*size, **options):
    return torch.randn(*size, **options)


def compiled(**options):
    """Backward passes inside are compiled."""
    options.setdefault("backend", "aot_eager")
    return torch._dynamo.compiled_autograd._enable(torch.compile(**options))


def train(model, *batches, forward=None, loss=lambda out: out.square().mean(), **options):
    """One backward pass a batch; gradients add up."""
    run = model if forward is None else forward
    for batch in batches:
        value = loss(run(batch))
        with compiled(**options):
            value.backward()


def eager(f):
    return torch.compile(f, backend="aot_eager")


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.skip, self.head = nn.Conv2d(3, 8, 1, bias=False), nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)) + self.skip(x))
        return self.head(F.adaptive_avg_pool2d(F.max_pool2d(x, 2), 1).flatten(1))


@prog
def conv_batch_norm():
    train(Residual(), R(2, 3, 8, 8), R(2, 3, 8, 8))


@prog
def conv_batch_norm_compiled():
    m = Residual()
    train(m, R(2, 3, 8, 8), forward=eager(m))


@prog
def conv_channels_last():
    m = nn.Sequential(nn.Conv2d(4, 8, 3, stride=2), nn.GroupNorm(2, 8), nn.SiLU(), nn.AvgPool2d(2))
    m = m.to(memory_format=torch.channels_last)
    train(m, R(2, 4, 9, 9).to(memory_format=torch.channels_last))


@prog
def layer_norm():
    train(nn.Sequential(nn.Linear(6, 12), nn.LayerNorm(12), nn.GELU(), nn.Linear(12, 3)), R(4, 6), R(4, 6))


class Attention(nn.Module):
    def __init__(self, heads=2, width=8):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4).unbind()
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, n, w))


@prog
def attention_sdpa():
    train(Attention(), R(2, 5, 8))


@prog
def attention_written_out():
    w = nn.Parameter(R(8, 8))

    def f(x):
        s = (x @ w) @ x.transpose(-1, -2) / 8**0.5
        return torch.softmax(s.masked_fill(torch.ones(5, 5).triu(1).bool(), float("-inf")), -1) @ x

    train(None, R(2, 5, 8, requires_grad=True), forward=f)


@prog
def transformer_layer_compiled():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    train(m, R(2, 4, 8), R(2, 4, 8), forward=eager(m))


@prog
def embedding_cross_entropy():
    m = nn.Sequential(nn.Embedding(11, 6, padding_idx=0), nn.Linear(6, 11))
    y = torch.randint(0, 11, (2, 5))
    train(m, torch.randint(0, 11, (2, 5)), loss=lambda out: F.cross_entropy(out.view(-1, 11), y.view(-1)))


@prog
def dropout():
    train(nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.3), nn.Linear(6, 2)), R(4, 6))


@prog
def indexing():
    w, i, j = nn.Parameter(R(6, 5)), torch.tensor([0, 2, 2, 5]), torch.tensor([[1, 0], [3, 4]])

    def f(x):
        y = w[i] * x + w.gather(1, j).sum() + w[2:5, ::2].sum() + w.index_select(0, i).mean()
        return torch.cat([y, w[:, 1:4].sum(1, keepdim=True).expand(6, 5)]) * w.diagonal().prod()

    train(None, R(4, 5), forward=f)


@prog
def mutation():
    w = nn.Parameter(R(4, 4))

    def f(x):
        y = w * 2
        y[1:3] = x[1:3]
        y[:, 0].mul_(3)
        return y.add_(x).relu_()

    train(None, R(4, 4), forward=f)


@prog
def mutation_of_whole():
    w = nn.Parameter(R(4, 4))
    train(None, R(4, 4), forward=lambda x: (w * x).neg_().add_(w).mul_(2).masked_fill_(x > 0, 0.5))


@prog
def two_backward_passes():
    m = nn.Sequential(nn.Linear(4, 3), nn.Sigmoid())
    a, b = m(R(2, 4)), m(R(2, 4)).sum()
    with compiled():
        a.sum().backward(retain_graph=True)
        (a * 2).sum().backward()
        b.backward()


@prog
def gradients_of_inputs():
    x, y = R(3, 4, requires_grad=True), R(4, 2, requires_grad=True)
    z = torch.tanh(x @ y)
    with compiled():
        torch.autograd.grad(z, (x, y), R(3, 2))


@prog
def some_gradients_only():
    m = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    value = m(R(2, 4)).sum()
    with compiled():
        torch.autograd.grad(value, [m[0].weight, m[2].bias])


@prog
def hooks_on_tensors():
    m = nn.Linear(4, 4)
    m.weight.register_hook(lambda g: g.clamp(-1, 1))
    x = R(2, 4)
    y = m(x)
    y.register_hook(lambda g: g * 0.5 + 1)
    z = y.sin()
    z.retain_grad()
    with compiled():
        (z * y).sum().backward()


@prog
def hooks_on_nodes():
    m = nn.Linear(4, 4)
    y = m(R(2, 4)).exp()
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] / 2,))
    with compiled():
        y.sum().backward()


@prog
def hooks_on_modules():
    m = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    m[1].register_full_backward_hook(lambda mod, ins, outs: (ins[0] * 3,))
    train(m, R(2, 4))


@prog
def hooks_after_accumulation():
    m = nn.Linear(4, 2)

    def step(p):
        with torch.no_grad():
            p.sub_(p.grad, alpha=0.1)
        p.grad = None

    for p in m.parameters():
        p.register_post_accumulate_grad_hook(step)
    train(m, R(2, 4))


@prog
def saved_tensor_hooks():
    m = nn.Linear(4, 4)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        y = m(R(2, 4)).tanh().pow(3)
    with compiled():
        y.sum().backward()


@prog
def dynamic_batch():
    m = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
    train(m, R(2, 4), R(3, 4), R(5, 4))


@prog
def dynamic_all():
    m = nn.Sequential(nn.Linear(4, 6), nn.LayerNorm(6), nn.Linear(6, 2))
    train(m, R(3, 4), R(5, 4), dynamic=True)


@prog
def dynamic_compiled():
    m = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
    f = eager(m)
    train(m, R(2, 4), R(3, 4), R(5, 4), forward=f)


@prog
def compiled_in_two_parts():
    m = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def f(x):
        y = m(x)
        torch._dynamo.graph_break()
        return m(y * 2)

    train(m, R(2, 4), forward=eager(f))


@prog
def compiled_with_views():
    w = nn.Parameter(R(4, 6))

    def f(x):
        y = w * x.add_(1)
        return y.t(), y[:2], (y > 0), y.detach().argmax(), y.sin(), (w * 2).view(3, 8)

    def loss(outs):
        return outs[0].sum() + outs[1].prod() + outs[5].mean()

    train(None, R(4, 6), forward=eager(f), loss=loss)


@prog
def compiled_transposed_gradient():
    m = nn.Linear(4, 6)
    train(m, R(3, 4), forward=eager(m), loss=lambda out: (out.t() @ R(3, 3)).relu().sum())


@prog
def compiled_channels_last_gradient():
    m = nn.Conv2d(4, 6, 3)
    last = nn.Conv2d(6, 2, 1).to(memory_format=torch.channels_last)
    train(m, R(2, 4, 6, 6), forward=eager(m), loss=lambda out: last(out).square().sum())


@prog
def compiled_dynamic_transposed_gradient():
    m = nn.Linear(4, 6)
    f = torch.compile(m, backend="aot_eager", dynamic=True)
    train(m, R(3, 4), R(5, 4), forward=f, loss=lambda out: (out.t() @ R(out.shape[0], 3)).relu().sum())


@prog
def second_derivative():
    x = R(3, 2, requires_grad=True)
    with compiled():
        (g,) = torch.autograd.grad((x**3).sin().sum(), x, create_graph=True)
    g.sum().backward()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * ctx.scale * x * x, None


@prog
def autograd_function():
    train(None, R(3, 4, requires_grad=True), forward=lambda x: Cube.apply(x * 2, 1.5))


@prog
def checkpointed():
    m = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    f = eager(lambda x: torch.utils.checkpoint.checkpoint(m, x, use_reentrant=False))
    train(m, R(2, 4, requires_grad=True), forward=f)


@prog
def lstm():
    m = nn.LSTM(4, 3)
    train(m, R(5, 2, 4), forward=lambda x: m(x)[0])


@prog
def losses():
    m = nn.Linear(4, 3)

    def loss(o):
        y = torch.rand(2, 3)
        return (
            F.binary_cross_entropy_with_logits(o, y)
            + F.smooth_l1_loss(o, y)
            + F.kl_div(F.log_softmax(o, 1), y)
            + F.huber_loss(o, y)
        )

    train(m, R(2, 4), loss=loss)


@prog
def pointwise_zoo():
    def f(x):
        y = x.sigmoid() * x.erf() + torch.where(x > 0, x.log1p(), -x) + x.clamp(min=0.1).rsqrt()
        y = y + torch.maximum(x, x.roll(1)) + F.softplus(x) + F.leaky_relu(x, 0.2) + x.abs().sqrt()
        return y + torch.atan2(x, y) + F.elu(x) + x.logsumexp(1, keepdim=True) + x.cumsum(0)

    train(None, R(3, 4, requires_grad=True), forward=f)


@prog
def reductions_and_shapes():
    def f(x):
        a = x.std(1) + x.var(0).mean() + x.norm(dim=1) + x.amax(1) + x.max(1).values
        b = torch.stack([x, x.flip(0)]).permute(1, 0, 2).reshape(3, 8).split(3, 1)
        c = F.pad(x, (1, 1)).unfold(1, 3, 1).sum() + x.repeat(2, 1).topk(2).values.sum()
        return a + b[0].sum() + b[2].prod() + c + torch.einsum("ij,kj->ik", x, x).tril().sum()

    train(None, R(3, 4, requires_grad=True), forward=f)


@prog
def linear_algebra():
    def f(x):
        s = x @ x.T + 3 * torch.eye(3)
        a = torch.linalg.solve(s, x) + torch.linalg.inv(s) @ x
        return a * torch.linalg.cholesky(s).diagonal().sum() + torch.bmm(x[None], x.T[None]).sum() + s.det()

    train(None, R(3, 4, requires_grad=True), forward=f)


@prog
def mixed_precision():
    m = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            return m(x).float()

    train(m, R(2, 4), forward=f)


@prog
def foreach():
    ws = [nn.Parameter(R(3)), nn.Parameter(R(2, 2))]
    value = sum(t.sum() for t in torch._foreach_mul(torch._foreach_exp(ws), 2.0))
    with compiled():
        value.backward()


@prog
def shared_parameter():
    w = nn.Parameter(R(4, 4))
    train(None, R(2, 4), R(2, 4), forward=lambda x: (x @ w).relu() @ w.t())


@prog
def optimizer_step():
    m = nn.Linear(4, 2)
    opt = torch.optim.SGD(m.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        train(m, R(3, 4))
        opt.step()
