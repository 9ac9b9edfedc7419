"""Graphs that are unusual as text: strings with quotes and line ends, numbers past 64 bits, every dtype, control flow inside
control flow, sizes that are expressions, names that are no ASCII. What they compute does not matter."""

import typing
from common import *


TEXTS = ["plain", "it's", 'say "hi"', "both ' and \"", "new\nline\ttab", "back\\slash", "\u00fcn\u00efcode \u2713 \u6f22"]
TEXTS += ["\x00\x1b[31m\x7f\u200b\ud7ff", "a; b = None", "# File: x.py:1 in f, code: y", "emoji \U0001f600", ");  y = None"]
TEXTS += ["torch.ops.aten.mm.default(x, y)", "{}$%", "  lead and trail  ", "\r\n", "'''", '"""', ""]


@prog
def strings_as_arguments():
    @torch.library.custom_op("unusual::tag", mutates_args=())
    def tag(x: torch.Tensor, name: str, scales: typing.Sequence[float], dtype: typing.Optional[torch.dtype] = None) -> torch.Tensor:
        return x * scales[0]

    tag.register_fake(lambda x, name, scales, dtype=None: torch.empty_like(x))
    tag.register_autograd(lambda ctx, grad: (grad, None, None, None))

    def f(x):
        for text in TEXTS:
            x = tag(x, text, [0.5, math.inf, -math.inf, 1e-30, 1e22, -0.0], torch.bfloat16)
        return tag(x, "nan", [math.nan, 3.0])

    go(f, R(3))


@prog
def every_kind_of_argument():
    library = torch.library.Library("unusual2", "FRAGMENT")
    library.define(
        "two(Tensor a, SymInt n, Scalar s=1, ScalarType? d=None, MemoryFormat? m=None, Layout? l=None, Device? v=None,"
        " str? mode='x') -> (Tensor, Tensor)"
    )
    two = lambda a, n, s=1, d=None, m=None, l=None, v=None, mode="x": (a * s, a + n)
    library.impl("two", two, "CompositeExplicitAutograd")

    def f(a):
        options = {"d": torch.float8_e4m3fn, "m": torch.channels_last, "l": torch.strided}
        x, y = torch.ops.unusual2.two(a, a.shape[0] * 2, 2.5, v=torch.device("cuda:1"), mode='q"q', **options)
        return x * y

    go(f, R(3, g=False), dynamic=True)
    every_kind_of_argument.library = library


@prog
def numbers_past_64_bits():
    def f(x):
        x = (x * math.inf + -math.inf).clamp(min=-math.inf, max=1e308) + 1e-45
        x = torch.nan_to_num(x * 1e16, nan=0.0, posinf=3.4028234663852886e38, neginf=-1e-7)
        x = x.masked_fill(x > 0.3333333333333333, math.nan).add(1, alpha=-1e-5)
        return x * 123456789012345678 - 2**63 + 1 + torch.scalar_tensor(5, dtype=torch.int32)

    go(f, R(4))


@prog
def every_dtype():
    kinds = "float64 float16 bfloat16 int8 uint8 int16 int32 int64 bool complex64 complex128 uint16 uint32 uint64"
    eights = "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz"
    go(lambda x: [x.to(getattr(torch, kind)) for kind in (kinds + " " + eights).split()], R(4, g=False))


@prog
def complex_numbers():
    def f(x, y):
        z = torch.complex(x, y) * (1 + 2j)
        return torch.view_as_real(z.conj() * 1j), torch.fft.fft(z), z + complex(math.inf, -0.0), z * 1e-3j

    go(f, R(4), R(4))


@prog
def sizes_that_are_expressions():
    def f(x):
        s, t = x.shape
        made = [x.new_zeros(s // 2 + 1, t % 3 + 1), x.new_ones(max(s, t), min(s, 4)), x.new_zeros((s * t + 3) // 4)]
        made += [x.new_zeros(int(s / 2), math.ceil(t / 3), math.floor(s * 1.5)), x.new_zeros(s**2, abs(s - t) + 1)]
        return made, x.reshape(-1)[: s * t - 1] * s / t, x[: s // 2, 1:] * (s / t), x.repeat(2, 3).view(-1, 2 * t)

    c = C(f, dynamic=True)
    for size in ((7, 5), (9, 11)):
        back(c(R(*size)))


@prog
def numbers_of_sizes():
    def f(x, y):
        n, k = min(x.shape[0], y.shape[0]), torch.sym_max(x.shape[0], y.shape[0])
        numbers = torch.sym_int(x.shape[0] / 3), math.pow(x.shape[0], 2), x.shape[0] % 4, -x.shape[0] // 3
        return x[:n] + y[:n], x.new_zeros(k), x * torch.sym_float(x.shape[0]), numbers

    c = C(f, dynamic=True)
    back(c(R(8, 3), R(6, 3)))
    back(c(R(5, 3), R(9, 3)))


@prog
def slices_of_sizes():
    def f(x, n):
        k = x.shape[0] - n
        return x[k:, ::2], x[-n:, None, ...], x[: k // 2, :-1], torch.arange(k), x.narrow(0, n, k), x.split(x.shape[0] // 2)

    c = C(f, dynamic=True)
    back(c(R(9, 8), 3))
    back(c(R(11, 10), 4))


@prog
def sizes_of_the_data():
    capture_values()

    def f(x, i):
        u = i.item()
        torch._check(u >= 0)
        torch._check(u < 100)
        return x.nonzero() + 1, torch.zeros(u, 3) + u, x[x > 0] * 2, torch.repeat_interleave(x[0], torch.tensor([1, 2, 3]))

    go(f, R(4, 3, g=False), torch.tensor(5))


@prog
def branches_in_branches():
    w = R(4, 4, g=False)

    def f(x, p, q):
        inner = lambda a: torch.cond(q, lambda c: c + w, lambda c: c - w, (a * 2,))
        return torch.cond(p, inner, lambda a: a.relu() + w.sum(), (x,))

    go(f, R(4, 4, g=False), torch.tensor(True), torch.tensor(False))


@prog
def branch_of_a_size():
    c = C(lambda x: torch.cond(x.shape[0] > 4, lambda a: a.sin(), lambda a: a.cos(), (x,)), dynamic=True)
    back(c(R(5, 3)))
    back(c(R(3, 3)))


@prog
def loops():
    from torch._higher_order_ops.associative_scan import associative_scan
    from torch._higher_order_ops.map import map as map_rows
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    def f(i, x, y):
        i, x = while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 1.1 + i), (i, x))
        carry, rows = scan(lambda c, r: (c * 0.5 + r, c.sin()), x[0], x, dim=0)
        both = associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y), dim=0, combine_mode="generic")
        return carry, rows, both, map_rows(lambda r, z: (r * z).relu(), x, y[0])

    go(f, torch.tensor(0), R(3, 3, g=False), R(3, 3, g=False))


@prog
def loop_over_an_integer():
    from torch._higher_order_ops.while_loop import while_loop

    f = lambda x: while_loop(lambda i, x: i < x.shape[0], lambda i, x: (i + 1, x + i), (0, x))
    go(f, R(3, 3, g=False), dynamic=True)


@prog
def attention_by_functions():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 128, 128, device="cpu")
    score = lambda s, b, h, q, k: s * 0.5 + torch.where(q > k, 1.0, -0.5)
    f = lambda q, k, v: flex_attention(q, k, v, score_mod=score, block_mask=mask)
    go(f, *[R(1, 4, 128, 16, g=False) for _ in range(3)])


@prog
def regions_compiled_once():
    @torch.compiler.nested_compile_region
    def block(x, w):
        return torch.cat([F.gelu(x @ w), x])

    go(lambda x, w: block(block(x, w), w), R(6, 4), R(4, 4), dynamic=True)


@prog
def checkpoints_with_random_numbers():
    block = lambda x, w: F.dropout(x @ w, 0.3).relu()
    go(lambda x, w: checkpoint(block, x, w, use_reentrant=False).sum(), R(4, 4), R(4, 4))


@prog
def transforms():
    def f(x):
        y, pull = torch.func.vjp(lambda a: a.sin(), x)
        cube = lambda a: a.pow(3)
        mapped = torch.vmap(torch.vmap(lambda a: F.dropout(a, 0.5) * a, randomness="different"), randomness="same")
        return pull(y)[0], torch.func.jacrev(cube)(x), torch.func.jvp(cube, (x,), (y,)), mapped(torch.outer(x, x))

    go(f, R(3, g=False))


@prog
def modes():
    def f(x, w):
        with torch.autocast("cpu", torch.bfloat16):
            y = x @ w
            with torch.autocast("cpu", enabled=False):
                z = y.float() @ w
        with torch.no_grad():
            a = x * 2
        torch._C._set_grad_enabled(True)
        with torch.set_grad_enabled(False):
            b = x.sin()
        return F.softmax(z, -1) + y + a * b

    go(f, R(4, 4), R(4, 4))


@prog
def ragged_and_sparse():
    ragged = torch.nested.nested_tensor([R(2, 3, g=False), R(4, 3, g=False)], layout=torch.jagged, requires_grad=True)
    C(lambda x: (x.sin() * 2 + 1).cos())(ragged)
    go(lambda x: x.to_sparse().to_dense() * 2, R(4, 4, g=False))


@prog
def quantized():
    from torch.ao.quantization.fx import _decomposed  # noqa: F401, registers the operators

    def f(x, w):
        q = torch.ops.quantized_decomposed
        a = q.quantize_per_tensor(x, 0.1, 3, -128, 127, torch.int8)
        product = torch._int_mm(a, w).to(torch.float32) * 0.02
        return q.dequantize_per_tensor(a, 0.1, 3, -128, 127, torch.int8), product

    go(f, R(32, 32, g=False), torch.randint(-5, 5, (32, 32), dtype=torch.int8))


@prog
def names_that_are_no_identifiers():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleDict({name: nn.Linear(3, 3) for name in ("a-b", "1x", "class", "\u00fc")})
            self.scales = nn.ParameterDict({"w'": nn.Parameter(torch.ones(3)), "for": nn.Parameter(torch.ones(3))})

        def forward(self, x):
            for name in self.layers:
                x = self.layers[name](x)
            return x * self.scales["w'"] + self.scales["for"]

    go(M(), R(2, 3))
    go(lambda d: d["a b"] + d["it's"] * 2, {"a b": R(3), "it's": R(3)})


@prog
def functions_that_are_no_ascii():
    def größe(x, ß):
        δ = x * ß  # File: other.py:3 in g, code: z and "quotes"
        return δ + 1

    go(größe, R(3), R(3))


@prog
def code_without_a_file():
    made = {"torch": torch}
    exec("def f(x):\n  y = x.sin()\n  return y @ y", made)
    go(made["f"], R(3, 3))


@prog
def a_very_long_line():
    sums = " + ".join(f"x * {i}" for i in range(120))
    made = {}
    exec(compile(f"def f(x):\n    return ({sums})\n", "long \u00fc, code: x.py", "exec"), made)
    go(made["f"], R(3))
    go(lambda xs: (torch.cat(xs * 3), torch.tensor(list(range(500)))), [R(2) for _ in range(60)])


@prog
def printing_and_asserting():
    capture_values()

    def f(x):
        torch.ops.aten._print("hello 'world'\n")
        torch._assert(x.sum() > -1e9, 'bad "sum" it\'s')
        torch._assert_async(x.mean() < 1e9, "mean\tis %s")
        return x * 2

    go(f, R(3, g=False))


@prog
def outputs_of_every_kind():
    def f(x, y=None):
        z = x * 2
        return None, x.sum(), y, 3, "s", 2.5, True, x.shape, torch.float32, x.device, z, z[0], z.t(), x.view(-1), x

    go(f, R(3, 3))


@prog
def subscripts():
    capture_values()

    def f(x, i, m):
        read = x[1:, None, ..., -1], x[[0, 2]], x[i], x[m], x[:, i, None], x[True], x[(slice(None), Ellipsis)]
        x = x.clone()
        x[i, 1] = 0
        x[..., 0] = 1.5
        x[m] = 7
        x[None, 0:2, ::3] += 1
        return read, x, torch.ops.aten.index.Tensor(x, [None, i, None])

    go(f, R(4, 5, 6, g=False), torch.tensor([0, 1]), torch.zeros(4, 5, 6, dtype=torch.bool))


@prog
def hooks_of_saved_tensors():
    pack, unpack = lambda x: x.to(torch.bfloat16), lambda x: x.to(torch.float32)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        go(lambda x, w: (x @ w).sin().sum(), R(4, 4), R(4, 4))


@prog
def a_trace_that_fails():
    go(lambda x: (x.sin(), x @ x.new_ones(7, 3), x // 2, 2**x), R(3, 7))
