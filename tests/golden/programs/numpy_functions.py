"""NumPy inside compiled programs, which Dynamo runs as torch._numpy on tensors: universal functions, Python's operators on
arrays, methods, reductions, subscripts; and numbers that a program computes on the way (`torch.div(32, 8)`)."""

import numpy as np
from common import *


def arrays(*shapes):
    return tuple(np.arange(1.0, 1.0 + math.prod(shape), dtype=np.float32).reshape(shape) for shape in shapes)


def numpy_program(f):
    """A program on arrays: `f` is called with two of them, and with a tensor that is differentiated."""
    P[f.__name__] = lambda: go_numpy(f)
    return f


def go_numpy(f):
    compiled = C(lambda x, y: f(x.numpy(), y))
    compiled(torch.arange(1.0, 13.0).reshape(3, 4), *arrays((3, 4)))


UNARY = "arccos arccosh arcsin arcsinh arctan arctanh ceil conjugate cos cosh deg2rad radians exp exp2 expm1 floor isfinite isinf"
UNARY += " isnan log log10 log1p log2 negative rad2deg degrees reciprocal rint fix sign signbit sin sinh sqrt square tan tanh trunc"
UNARY += " positive absolute fabs cbrt"
BINARY = "add arctan2 copysign divide true_divide equal float_power floor_divide fmax fmin fmod greater greater_equal heaviside hypot"
BINARY += " less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal"
BINARY += " power remainder mod subtract"
INTEGER = "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm"


@numpy_program
def unary_of_floats(x, y):
    return [getattr(np, name)(x) for name in UNARY.split()]


@numpy_program
def unary_of_integers(x, y):
    n = x.astype(np.int32)
    return [getattr(np, name)(n) for name in "sqrt exp sin square trunc negative sign absolute invert logical_not".split()]


@numpy_program
def binary_of_arrays(x, y):
    return [getattr(np, name)(x, y) for name in BINARY.split()]


@numpy_program
def binary_with_numbers(x, y):
    names = "add multiply subtract divide floor_divide power remainder maximum minimum hypot greater equal logical_and arctan2"
    made = [getattr(np, name)(x, 2) for name in names.split()] + [getattr(np, name)(2.5, x) for name in names.split()]
    return made + [getattr(np, name)(x.astype(np.int16), 3) for name in "add multiply floor_divide lcm gcd maximum".split()]


@numpy_program
def binary_of_integers(x, y):
    n, m = x.astype(np.int64), y.astype(np.int32)
    return [getattr(np, name)(n, m) for name in INTEGER.split()] + [np.lcm(4, 6), np.gcd(np.int64(4), 6)]


@numpy_program
def promotion(x, y):
    kinds = [x.astype(kind) for kind in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64")]
    return [a + b for a in kinds for b in kinds]


@numpy_program
def operators(x, y):
    n = x.astype(np.int64)
    made = [x + y, x - 1, 2 * x, x / y, x // 2, x**2, 2.0**x, x % 3, -x, abs(x), x < y, x <= 2, x > y, x >= 2, x == y, x != y]
    return made + [n & 3, n | 1, n ^ 2, ~n, n << 1, n >> 1, x @ y.T, 1 - x, 1 / x]


@numpy_program
def in_place_operators(x, y):
    z = x * 2
    z += y
    z -= 1
    z *= 2
    z /= 3
    return z


@numpy_program
def scalars(x, y):
    n = np.sqrt(64) + np.prod([2, 3]) + np.float32(2) * np.int64(3)
    return x * n, np.sqrt(16), np.prod((3, 4)), x / np.sqrt(x.shape[-1])


@numpy_program
def reductions(x, y):
    made = [getattr(np, name)(x) for name in "sum prod mean std var max min amax amin argmax argmin any all ptp median".split()]
    made += [getattr(np, name)(x, axis=1) for name in "sum prod mean std var max min argmax argmin any all ptp".split()]
    made += [x.sum(axis=0, keepdims=True), x.mean(axis=(0, 1)), x.std(ddof=1), x.var(axis=0), x.max(axis=-1, keepdims=True)]
    made += [np.sum(x, keepdims=True), np.sum(x.astype(np.int32)), np.mean(x.astype(np.int32)), np.sum(x > 2), np.count_nonzero(x, axis=0)]
    return made + [np.cumsum(x), np.cumsum(x, axis=1), np.cumprod(x, axis=0), np.sum(x, dtype=np.float64), np.quantile(x, 0.25)]


@numpy_program
def shapes(x, y):
    made = [x.reshape(4, 3), x.reshape((2, 6)), np.reshape(x, (6, 2)), x.reshape(-1), x.T, x.transpose(), np.transpose(x)]
    made += [np.transpose(x, (1, 0)), x.transpose(1, 0), x.ravel(), x.flatten(), np.expand_dims(x, 1), np.expand_dims(x, (0, 3))]
    made += [np.squeeze(x[None]), np.squeeze(x[None], axis=0), np.swapaxes(x, 0, 1), np.moveaxis(x, 0, 1), np.flip(x), np.flip(x, 1)]
    made += [np.flipud(x), np.fliplr(x), np.roll(x, 1), np.roll(x, 1, axis=1), np.tile(x, 2), np.tile(x, (2, 1)), np.repeat(x, 2)]
    return made + [np.repeat(x, 2, axis=1), np.broadcast_to(x[0], (3, 4)), np.tril(x), np.triu(x, 1), np.diag(x), np.trace(x)]


@numpy_program
def joined_and_split(x, y):
    made = [np.concatenate([x, y]), np.concatenate((x, y), axis=1), np.concatenate([x, y], axis=None), np.stack([x, y]), np.stack([x, y], -1)]
    made += [np.vstack([x, y]), np.hstack([x, y]), np.dstack([x, y]), np.column_stack([x, y]), np.append(x, y), np.append(x, y, axis=0)]
    made += [np.concatenate([x, y.astype(np.int32)]), *np.split(x, 3), *np.array_split(x, 3, axis=1), *np.split(x, [1, 3], axis=1)]
    return made + [*np.hsplit(x, 2), *np.vsplit(x, 3), *np.meshgrid(x[0], y[:, 0]), *np.meshgrid(x[0], y[0], indexing="ij")]


@numpy_program
def subscripts(x, y):
    n = np.array([2, 0])
    made = [x[0], x[:, 1], x[1:, ::2], x[::-1], x[:, ::-1], x[..., 0], x[None], x[n], x[:, [0, 2]], x[1, [0, 2]], x[n, 1]]
    return made + [x[x > 3], np.take(x, n, axis=1), np.take(x, n), np.where(x > 3, x, y), np.where(x > 3, 1.0, x)]


@numpy_program
def items_written(x, y):
    z = x + 1
    z[0] = 5
    z[1, 2:] = y[0, :2]
    return z


@numpy_program
def made_anew(x, y):
    made = [np.zeros((2, 3)), np.ones(4, dtype=np.float32), np.full((2,), 7), np.arange(5), np.arange(1.0, 4.0), np.arange(0, 6, 2), np.eye(3)]
    made += [np.zeros_like(x), np.ones_like(x, dtype=np.int32), np.linspace(0, 1, 5), np.array([1.0, 2.0]), np.array([[1, 2], [3, 4]])]
    return [x.astype(np.float64), x.astype("int32"), np.asarray(x), np.copy(x)] + [one * 1 for one in made]


@numpy_program
def matrices(x, y):
    made = [np.matmul(x, y.T), np.dot(x, y.T), np.dot(x[0], y[0]), np.inner(x, y), np.outer(x[0], y[:, 0]), np.tensordot(x, y.T, axes=1)]
    return made + [np.einsum("ij,kj->ik", x, y), np.kron(x, y), x.dot(y.T.astype(np.float64))]


@numpy_program
def ordered_and_rounded(x, y):
    made = [np.sort(x), np.sort(x, axis=0), np.argsort(x), np.clip(x, 2, 5), np.clip(x, None, 5.0), x.clip(1, 3), np.round(x / 3, 1), x.round()]
    return made + [np.searchsorted(x[0], y[0]), np.diff(x), np.diff(x, axis=0), np.isclose(x, y), np.nan_to_num(x), np.sinc(x), np.real(x)]


@prog
def differentiated():
    def f(x):
        y = torch.from_numpy(np.ones((3, 4), dtype=np.float32) * 3)
        return (x * y * torch.as_tensor(np.sqrt(16))).sum()

    go(f, R(3, 4))


@prog
def numbers_as_sizes():
    def f(x):
        pieces = torch.div(x.size(1), 8, rounding_mode="trunc")
        last = torch.tensor(3).item()
        return x.view(4, pieces, 8, 16).sum(2) * last, x[:, : torch.div(32, 4, rounding_mode="floor") - 1]

    go(f, R(4, 32, 16))


@prog
def numbers_of_numbers():
    def f(x):
        n = torch.add(torch.tensor(2), 3) * torch.tensor(1)
        return x.reshape(n, -1) * torch.sqrt(torch.tensor(4.0)) + torch.full((2,), 1.5)[0]

    go(f, R(10, g=False))
