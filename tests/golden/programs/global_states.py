"""What a process has set for all of PyTorch while a program is compiled: the default dtype, autocast, grad and inference
mode, deterministic algorithms, precision of matrix products, `__torch_function__`. Each program is compiled under one of
the states, which its log tells in the guard on the global state alone."""

from common import *


@contextlib.contextmanager
def default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def deterministic(warn_only=False, fill=True):
    torch.use_deterministic_algorithms(True, warn_only=warn_only)
    torch.utils.deterministic.fill_uninitialized_memory = fill
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)
        torch.utils.deterministic.fill_uninitialized_memory = True


@contextlib.contextmanager
def matrix_products(**flags):
    for name, value in flags.items():
        setattr(torch.backends.cuda.matmul, name, value)
    yield


@contextlib.contextmanager
def half_sums():
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    yield


STATES = {
    "f64": lambda: default_dtype(torch.float64),
    "bf16": lambda: default_dtype(torch.bfloat16),
    "f16": lambda: default_dtype(torch.float16),
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast_uncached": lambda: torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False),
    "autocast_f16": lambda: torch.autocast("cpu", dtype=torch.float16),
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
    "deterministic": deterministic,
    "deterministic_warns": lambda: deterministic(warn_only=True),
    "deterministic_unfilled": lambda: deterministic(fill=False),
    "tf32": lambda: matrix_products(allow_tf32=True),
    "half_sums": half_sums,
    "no_torch_function": torch._C.DisableTorchFunctionSubclass,
}


def under(states):
    """Decorator: a program for each of the states, whose inputs are made under it too."""

    def named(make):
        for state in states.split():

            def program(state=state):
                with STATES[state]():
                    f, *args = make()
                    result = C(f)(*args)
                back(result)

            P[f"gs_{make.__name__}_{state}"] = program
        return make

    return named


DTYPES = "f64 bf16 f16"


@under(DTYPES)
def constants():
    return lambda x: x @ torch.eye(3) + torch.ones(3) + torch.tensor(2.0) * torch.full((3,), 1.5), R(3, 3)


@under(DTYPES)
def integers_divided():
    def f(n):
        return n / 2, n.sqrt(), n.float().mean() + n.to(torch.get_default_dtype()).mean(), torch.true_divide(n, n)

    return f, torch.arange(1, 7)


@under(DTYPES)
def ranges():
    def f(x):
        steps = torch.arange(0, 1, 0.25) + torch.linspace(0, 1, 4)
        angles = torch.arange(4) * 0.5
        return x * steps + torch.sin(angles) + torch.cos(torch.arange(4))

    return f, R(4)


@under(DTYPES)
def positions():
    """A transformer's table of sines."""

    def f(x):
        rates = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
        places = torch.arange(x.shape[0]).unsqueeze(1) * rates
        table = torch.zeros(x.shape[0], 8)
        table[:, 0::2] = torch.sin(places)
        table[:, 1::2] = torch.cos(places)
        return x + table

    return f, R(5, 8)


@under(DTYPES)
def like_and_new():
    def f(x, n):
        return x + torch.zeros_like(x) + n.new_ones(4) + torch.where(n > 1, 1.0, 2.0) + torch.scalar_tensor(3.0)

    return f, R(4), torch.arange(4)


@under(DTYPES)
def random_numbers():
    return lambda x: x * torch.rand(4) + torch.randn(4) + F.dropout(x, 0.5, True) + torch.normal(0.0, 1.0, (4,)), R(4)


@under("f64 bf16")
def windows():
    return lambda x: x * torch.hann_window(8).to(x.dtype) + torch.bartlett_window(8).to(x.dtype), R(8)


@under("f64")
def complex_numbers():
    def f(x):
        turned = torch.polar(torch.ones(4), torch.arange(4) * 0.1)
        return torch.view_as_real(torch.complex(x, x) * turned) + torch.fft.fftfreq(4).unsqueeze(1)

    return f, R(4)


@under("f64")
def network():
    model = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 2))
    return lambda x, y: F.cross_entropy(model(x), y), R(3, 4), torch.tensor([0, 1, 1])


@under("f64")
def numpy_numbers():
    import numpy

    return lambda x: x + torch.as_tensor(numpy.linspace(0.0, 1.0, 4)) * 0.5 + torch.tensor([1, 2.5, 3, 4]), R(4)


@under("autocast autocast_uncached autocast_f16")
def shared_weight():
    def f(x, w):
        with torch.autocast("cpu", enabled=False):
            plain = x @ w
        return (x @ w).relu() @ w + plain

    return f, R(4, 4), R(4, 4)


@under("autocast")
def autocast_loss():
    model = nn.Sequential(nn.Linear(4, 8), nn.Softmax(-1), nn.Linear(8, 2))
    return lambda x, y: F.mse_loss(model(x), y), R(3, 4), R(3, 2, g=False)


@under("no_grad inference")
def writes():
    def f(x, w):
        y = F.linear(x, w)
        y.view(-1)[1:3].add_(1)
        x.mul_(2)
        return y, x.t(), y.view(-1)[:2]

    return f, R(4, 4, g=False), R(4, 4)


@under("no_grad inference")
def model_in_evaluation():
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).eval()
    return lambda x: model(x), R(3, 4, g=False)


DETERMINISTIC = "deterministic deterministic_warns deterministic_unfilled"


@under(DETERMINISTIC)
def indexing():
    def f(x, i):
        y = x.clone()
        y[i] = x[i] * 2
        y.index_put_((i,), x[:3], accumulate=True)
        return y.index_add(0, i, x[:3]).scatter_add(0, i.unsqueeze(1).expand(3, 4), x[:3])

    return f, R(5, 4), torch.tensor([0, 2, 2])


@under(DETERMINISTIC)
def memory_that_nothing_wrote():
    def f(x):
        empty = torch.empty(4, 4)
        empty.copy_(x)
        rest = x.new_empty(2, 4)
        rest.zero_()
        return torch.cat([empty, rest]) + torch.empty_like(x).fill_(1.0).sum()

    return f, R(4, 4)


@under("deterministic")
def images():
    def f(x):
        large = F.interpolate(x, scale_factor=2, mode="bilinear") + F.interpolate(x, scale_factor=2, mode="bicubic")
        return F.max_pool2d(F.pad(large, (1, 1, 1, 1), mode="replicate"), 3, 2).cumsum(-1)

    return f, R(1, 2, 4, 4)


@under("deterministic")
def embeddings():
    table = nn.Embedding(8, 4, padding_idx=0)
    return lambda i: F.cross_entropy(table(i).cumsum(1).flatten(0, 1), i.flatten() % 4), torch.tensor([[1, 2], [3, 0]])


@under("deterministic")
def flips():
    return lambda x: x.flip(0).repeat_interleave(2, 0).kthvalue(2, 1).values + x.median(), R(3, 4)


@under("tf32 half_sums")
def matrix_product():
    return lambda x, w: torch.addmm(x[0], x, w).relu() @ w, R(4, 4), R(4, 4)


@under("no_torch_function")
def plain():
    return lambda x: (x * 2).sin().sum(), R(4)
