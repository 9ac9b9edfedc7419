"""The programs of the shared corpus, written again after the `source` of its golden files: same seeds, same graphs.

Each is a module or function and the arguments of its calls. Weights are made with seed 0, the arguments of call i with seed
1000 + i, and the call begins with seed 100 + i. The loss is the sum of the mean squares of what can be differentiated.
"""

from common import *


def loss_of(result):
    wanted = [x for x in tensors(result) if x.requires_grad]
    return sum((x.abs() if x.is_complex() else x).square().mean() for x in wanted)


def calls(f, *arguments, learning_rate=None, **options):
    """Compiles, and calls and differentiates once for each function that makes arguments."""
    compiled = C(f, **options)
    optimizer = torch.optim.SGD(f.parameters(), learning_rate) if learning_rate else None
    for i, make in enumerate(arguments):
        torch.manual_seed(1000 + i)
        given = make()
        torch.manual_seed(100 + i)
        result = compiled(*given)
        loss = loss_of(result)
        if isinstance(loss, torch.Tensor):
            loss.backward()
        if optimizer:
            optimizer.step()
            optimizer.zero_grad()


def plain(*size, **options):
    return torch.randn(*size, **options)


class MLP(nn.Module):
    def __init__(self, width, hidden, out, act=nn.ReLU):
        super().__init__()
        self.fc1, self.act, self.fc2 = nn.Linear(width, hidden), act(), nn.Linear(hidden, out)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


@prog
def mlp_sgd():
    calls(MLP(16, 32, 4), lambda: (plain(8, 16),), lambda: (plain(8, 16),), learning_rate=0.1)


@prog
def mlp_inference():
    with torch.no_grad():
        calls(MLP(16, 32, 4), lambda: (plain(8, 16),))


@prog
def conv_bn_relu():
    m = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
    calls(m, lambda: (plain(2, 3, 8, 8),), lambda: (plain(2, 3, 8, 8),))


@prog
def bn_eval_train_mix():
    m = nn.Sequential(nn.Conv1d(3, 8, 3), nn.BatchNorm1d(8), nn.SiLU(), nn.Conv1d(8, 4, 3, groups=2), nn.BatchNorm1d(4, momentum=0.3))
    m[1].eval()
    calls(m, lambda: (plain(2, 3, 16),), lambda: (plain(2, 3, 16),))


@prog
def unet_small():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.d1, self.d2 = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
            self.n, self.u1, self.o = nn.GroupNorm(4, 16), nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 2, 1)

        def forward(self, x):
            a = F.relu(self.d1(x))
            b = F.silu(self.n(self.d2(F.max_pool2d(a, 2))))
            u = self.u1(b)
            v = F.interpolate(b[:, :8], scale_factor=2, mode="bilinear", align_corners=False)
            return self.o(torch.cat([a + v, u], 1)).sigmoid()

    calls(M(), lambda: (plain(2, 3, 16, 16),))


@prog
def transformer_encoder_layer():
    m = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    calls(m, lambda: (R(2, 7, 32),))


@prog
def dyn_transformer_seq():
    m = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)

    def sequence(length):
        x = R(2, length, 16)
        mark_dynamic(x, 1)
        return (x,)

    calls(m, lambda: sequence(9), lambda: sequence(12))


@prog
def lstm_unrolled():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.c = nn.LSTMCell(8, 12)

        def forward(self, x):
            h = x.new_zeros(x.shape[1], 12)
            c = x.new_zeros(x.shape[1], 12)
            outs = []
            for t in range(x.shape[0]):
                h, c = self.c(x[t], (h, c))
                outs.append(h)
            return torch.stack(outs), c

    calls(M(), lambda: (plain(6, 3, 8),))


@prog
def moe_topk():
    class MoE(nn.Module):
        def __init__(self, width=16, hidden=32, experts=4, k=2):
            super().__init__()
            self.k = k
            self.gate = nn.Linear(width, experts, bias=False)
            self.w1 = nn.Parameter(torch.randn(experts, width, hidden) * 0.1)
            self.w2 = nn.Parameter(torch.randn(experts, hidden, width) * 0.1)

        def forward(self, x):
            p = self.gate(x).softmax(-1)
            v, ix = p.topk(self.k, -1)
            v = v / v.sum(-1, keepdim=True)
            w1, w2 = self.w1[ix], self.w2[ix]
            h = F.silu(torch.einsum("nd,nkdh->nkh", x, w1))
            y = torch.einsum("nkh,nkhd->nkd", h, w2)
            out = torch.zeros_like(x)
            tok = torch.arange(x.shape[0]).repeat_interleave(self.k)
            out = out.index_add(0, tok, (y * v[..., None]).reshape(-1, x.shape[-1]))
            load = torch.zeros(p.shape[-1]).scatter_add(0, ix.reshape(-1), torch.ones(ix.numel()))
            return out, (load / load.sum() * p.mean(0)).sum()

    calls(MoE(), lambda: (R(10, 16),))


@prog
def gcn():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = nn.Linear(5, 8), nn.Linear(8, 3)

        def forward(self, x, ei):
            s, d = ei[0], ei[1]
            deg = torch.zeros(x.shape[0]).index_add(0, d, torch.ones(d.numel())) + 1
            for l in (self.l1, self.l2):
                m = l(x)[s] * (deg[s] * deg[d]).rsqrt()[:, None]
                x = torch.zeros(x.shape[0], m.shape[1]).index_add_(0, d, m).relu()
            return x.log_softmax(-1)

    calls(M(), lambda: (plain(7, 5), torch.randint(0, 7, (2, 20))))


@prog
def dropout_rng():
    m = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 4), nn.Dropout1d(0.2))
    calls(m, lambda: (plain(5, 8),))


@prog
def ac_checkpoint():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.b = nn.ModuleList(MLP(8, 16, 8) for _ in range(3))

        def forward(self, x):
            for b in self.b:
                x = x + checkpoint(b, x, use_reentrant=False)
            return x

    calls(M(), lambda: (plain(4, 8),))


@prog
def ac_selective_policy():
    from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

    def policy(context, op, *args, **kwargs):
        kept = op in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
        return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.b = nn.ModuleList(MLP(8, 16, 8, nn.GELU) for _ in range(2))

        def forward(self, x):
            for b in self.b:
                x = checkpoint(b, x, use_reentrant=False, context_fn=functools.partial(create_selective_checkpoint_contexts, policy))
            return x.sigmoid()

    calls(M(), lambda: (plain(4, 8),))


@prog
def amp_autocast():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.m = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 4))

        def forward(self, x):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                return self.m(x)

    calls(M(), lambda: (plain(8, 16),))


@prog
def autograd_function():
    class SquareClamp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, lo):
            ctx.save_for_backward(x)
            ctx.lo = lo
            return (x * x).clamp(min=lo)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x * (x * x > ctx.lo), None

    def f(x, w):
        return SquareClamp.apply(x @ w, 0.1).sum(0)

    calls(f, lambda: (R(4, 3), R(3, 3)))


@prog
def autograd_function_ctx_attr():
    class TwoOut(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            m = (x > y).float()
            ctx.save_for_backward(y)
            ctx.m = m
            ctx.mark_non_differentiable(m)
            return x * m + y * (1 - m), m

        @staticmethod
        def backward(ctx, g, _):
            (y,) = ctx.saved_tensors
            return g * ctx.m, g * (1 - ctx.m) + 0 * y

    def f(x, y):
        o, m = TwoOut.apply(x.sin(), y)
        return o * o, m

    calls(f, lambda: (R(4, 3), R(4, 3)))


@prog
def complex_fft():
    def f(x, w):
        y = torch.fft.rfft(x)
        y = y * w
        return torch.fft.irfft(y, n=x.shape[-1]), y.abs()

    calls(f, lambda: (R(3, 8), R(5)))


def custom_operators():
    @torch.library.custom_op("corpus::scaled_add", mutates_args=())
    def scaled_add(x: torch.Tensor, y: torch.Tensor, a: float) -> torch.Tensor:
        return x + a * y

    scaled_add.register_fake(lambda x, y, a: torch.empty_like(x))
    scaled_add.register_autograd(lambda ctx, g: (g, g * ctx.a, None), setup_context=lambda ctx, inputs, output: setattr(ctx, "a", inputs[2]))

    @torch.library.custom_op("corpus::accum_", mutates_args=("acc",))
    def accum_(x: torch.Tensor, acc: torch.Tensor) -> None:
        acc.add_(x.sum())

    accum_.register_fake(lambda x, acc: None)

    @torch.library.custom_op("corpus::eff_record", mutates_args=())
    def eff_record(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    eff_record.register_fake(lambda x: torch.empty_like(x))
    eff_record.register_autograd(lambda ctx, g: torch.ops.corpus.eff_record(g))
    from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

    _register_effectful_op(torch.ops.corpus.eff_record.default, _EffectType.ORDERED)


@prog
def custom_op():
    custom_operators()

    def f(x, y):
        return torch.ops.corpus.scaled_add(x.sin(), y, 0.5).relu()

    calls(f, lambda: (R(4, 3), R(4, 3)))


@prog
def custom_op_mutating():
    custom_operators()

    def f(x, acc):
        z = torch.zeros(2)
        torch.ops.corpus.accum_(x.detach(), acc)
        torch.ops.corpus.accum_(x.detach(), z)
        return x.cos() * acc + z.sum()

    calls(f, lambda: (R(4, 3), plain(1)))


@prog
def effects_custom_op_bw():
    custom_operators()

    def f(x):
        y = torch.ops.corpus.eff_record(x * 2)
        return torch.ops.corpus.eff_record(y.cos())

    calls(f, lambda: (R(3, 2),))


@prog
def effects_print():
    def f(x, y):
        z = x * y
        torch._higher_order_ops.print("sum {}", z.shape[0])
        w = z.sin()
        torch._higher_order_ops.print("done {a}", a=1)
        return w

    calls(f, lambda: (R(3), R(3)))


@prog
def detach_none_grads():
    def f(x, y, w):
        return x.detach() * 2, (x * 3).sum(), y.long(), torch.mul(x, y.detach()), w > 0

    calls(f, lambda: (R(4), R(4) * 3, plain(4)))


@prog
def dyn_mark_symint_saved():
    def f(x, w):
        b, s, d = x.shape
        y = (x.reshape(b * s, d) @ w).reshape(b, s, -1)
        return y.sum(1) * s, y.transpose(0, 1).reshape(s, -1)

    def arguments(b, s):
        x, w = R(b, s, 8), R(8, 5)
        mark_dynamic(x, 0)
        mark_dynamic(x, 1)
        return x, w

    calls(f, lambda: arguments(4, 6), lambda: arguments(3, 7))


@prog
def dyn_symint_outputs():
    def f(x, w):
        n = x.shape[0]
        return n * 2 + 1, (x * w).sum(0) * x.shape[1], x.view(-1)[:n]

    def arguments(n):
        x, w = R(n, 4), R(4)
        mark_dynamic(x, 0)
        return x, w

    calls(f, lambda: arguments(5), lambda: arguments(7))


@prog
def dyn_unbacked_nonzero():
    def f(x, w):
        ix = torch.nonzero(x[:, 0] > 0).squeeze(-1)
        return (x[ix] @ w).sum(0)

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        calls(f, lambda: (R(8, 4), R(4, 3)))


@prog
def graph_breaks():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)

        def forward(self, x):
            x = self.a(x).relu()
            torch._dynamo.graph_break()
            x = self.b(x).sigmoid()
            if x.sum() > 0:
                x = x * 2
            return self.c(x)

    calls(M(), lambda: (plain(4, 6),))


def hooked(pack, unpack, mode, f, *arguments):
    with torch._functorch.config.patch(saved_tensors_hooks_filtering_mode=mode):
        with torch.autograd.graph.saved_tensors_hooks(torch.fx.symbolic_trace(pack), torch.fx.symbolic_trace(unpack)):
            calls(f, *arguments)


@prog
def hooks_fp8_mlp():
    m = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
    pack = lambda x: (x.dtype, x.to(torch.float8_e5m2))
    unpack = lambda p: p[1].to(p[0])
    hooked(pack, unpack, "donated", m, lambda: (plain(8, 16),))


@prog
def hooks_fp8_scale_all():
    def f(x, w):
        y = (x @ w).sin()
        z = (y * y).exp()
        return (z @ w.t()).relu()

    def pack(x):
        s = 448.0 / x.abs().max().clamp(min=1e-06)
        y = (x * s).to(torch.float8_e4m3fn)
        return x.dtype, s, y

    unpack = lambda p: p[2].to(p[0]) / p[1]
    hooked(pack, unpack, "all", f, lambda: (R(4, 6), R(6, 6)))


@prog
def hooks_sym_dynamic():
    def f(x, w):
        return ((x @ w).sin() @ w).cos()

    def arguments(n):
        x, w = R(n, 6), R(6, 6)
        mark_dynamic(x, 0)
        return x, w

    pack = lambda x: (x.dtype, x.size(0), x.reshape(-1).to(torch.bfloat16))
    unpack = lambda p: p[2].to(p[0]).reshape(p[1], -1)
    hooked(pack, unpack, "donated", f, lambda: arguments(5), lambda: arguments(7))


@prog
def hop_cond():
    def f(p, x, w):
        return torch.cond(p.sum() > 0, lambda x, w: (x @ w).sin(), lambda x, w: (x * 2) @ w, (x, w))

    calls(f, lambda: (plain(3), R(3, 4), R(4, 2)))


@prog
def hop_flex_attention():
    from torch.nn.attention.flex_attention import flex_attention

    def f(q, k, v, bias):
        return flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + bias[h] * (i - j))

    with torch.no_grad():
        calls(f, lambda: (*(plain(1, 2, 16, 16) for _ in range(3)), plain(2)))


@prog
def hop_while_scan_map():
    from torch._higher_order_ops.map import map as hop_map
    from torch._higher_order_ops.scan import scan

    def f(x, h, w):
        def step(c, xi):
            n = torch.tanh(c @ w + xi)
            return n, n.clone()

        c, ys = scan(step, h, x)
        z = hop_map(lambda a, b: a * b.sum(), ys, w)
        return c.sum() + z.sum()

    calls(f, lambda: (R(4, 3), R(3), R(3, 3)))


@prog
def invoke_subgraph_mlp():
    from torch.compiler import nested_compile_region

    @nested_compile_region
    def block(x, w):
        return torch.sin(x @ w)

    def f(x, w1, w2):
        return block(block(x, w1), w2).sum()

    calls(f, lambda: (R(4, 4), R(4, 4), R(4, 4)))


@prog
def mut_input_inference():
    def f(x, y):
        x.add_(y)
        y.t_()
        x[0].zero_()
        return x.sum(), y

    with torch.no_grad():
        calls(f, lambda: (plain(3, 4), plain(3, 4)))


@prog
def mut_input_metadata_dynamo_t_():
    def f(x, y):
        x.t_()
        return x.cos() + y

    calls(f, lambda: (plain(3, 4), R(4, 3)))


@prog
def mut_input_mul():
    def f(x, y):
        x.mul_(2)
        return x + y

    calls(f, lambda: (R(3, 4).clone(), R(3, 4)))


@prog
def out_alias_input():
    def f(x, y):
        return x.view(-1), x.t(), y, (x + y)

    calls(f, lambda: (R(3, 4), R(3, 4)))


@prog
def out_alias_intermediate():
    def f(x):
        y = x * 2
        return y.view(-1), y.t(), x.sin()

    calls(f, lambda: (R(3, 4),))


@prog
def recompile_limit_module():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(4, 4)

        def forward(self, x, mode):
            return [torch.sin, torch.cos, torch.tanh, torch.relu, torch.exp][mode](self.l(x))

    with torch._dynamo.config.patch(recompile_limit=3):
        calls(M(), *(lambda mode=mode: (plain(3, 4), mode) for mode in range(5)))


@prog
def recompiles_guards():
    def f(x, flag, scale):
        if flag:
            x = x * scale
        return x.relu().sum(-1)

    double = lambda: (R(3, 4, dtype=torch.float64), True, 2.0)
    calls(f, lambda: (R(3, 4), True, 2.0), lambda: (R(5, 4), False, 2.0), double, lambda: (plain(3, 4), False, 2.0))


@prog
def set_storage_resize():
    def f(x, y):
        with torch.no_grad():
            x.set_(y * 2)
        return x.sum() + y.sum()

    with torch.no_grad():
        calls(f, lambda: (plain(3), plain(3)))


@prog
def sgd_step_compiled():
    m = MLP(16, 32, 4)
    opt = torch.optim.SGD(m.parameters(), 0.1, momentum=0.9)

    def f():
        opt.step()

    step = C(f)
    for i in range(2):
        torch.manual_seed(1000 + i)
        m(plain(8, 16)).square().mean().backward()
        step()
        opt.zero_grad()


@prog
def subclass_nested_jagged():
    def f(v, w):
        return torch.nn.functional.linear(v, w).sin()

    def arguments():
        parts = [plain(n, 4) for n in (2, 5, 3)]
        return torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=True), R(5, 4)

    compiled = C(f)
    torch.manual_seed(1000)
    compiled(*arguments()).values().square().mean().backward()


@prog
def subclass_two_tensor():
    from torch.testing._internal.two_tensor import TwoTensor

    def f(x, y):
        return (x @ y).sin() + y.sum()

    def arguments():
        a, b, y = plain(3, 3), plain(3, 3), R(3, 3)
        return TwoTensor(a, b).requires_grad_(), y

    calls(f, arguments)


@prog
def synthetic_base_views():
    def f(a, b, c):
        a.mul_(2)
        return a + b, b * c

    def arguments():
        base = R(4, 4) * 1
        return base.view(-1), base.view(-1), R(16)

    calls(f, arguments)
