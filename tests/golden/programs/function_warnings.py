"""Programs whose gradients Dynamo may get wrong, with ordinary ones of the same kinds beside them: an autograd.Function with
one tensor as two arguments, one that writes to its argument, one under torch.func. `make_function_answers.py` tells which
differ from eager mode."""

from common import *


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, left, right):
        ctx.save_for_backward(left, right)
        return left * torch.sigmoid(right)

    @staticmethod
    def backward(ctx, g):
        left, right = ctx.saved_tensors
        s = torch.sigmoid(right)
        return g * s, g * left * s * (1 - s)


class Three(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        ctx.save_for_backward(a, b, c)
        return a * b + c

    @staticmethod
    def backward(ctx, g):
        a, b, c = ctx.saved_tensors
        return g * b, g * a, g * 1


class SteepSine(torch.autograd.Function):
    """Its backward is not the derivative of its forward."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 100 * x.cos()


class Triples(torch.autograd.Function):
    """Writes to its argument."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, g):
        return g * 3


class Counts(torch.autograd.Function):
    """Writes to a buffer that needs no gradient."""

    @staticmethod
    def forward(ctx, x, calls):
        calls.add_(1)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


class Product(torch.autograd.Function):
    """Computes both gradients, whichever is needed."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w.t(), x.t() @ g


class OnlyWeight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return None, x.t() @ g


class Looks(torch.autograd.Function):
    """Its backward computes what it does not use, but no gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        largest = x.abs()
        return g * x.exp()


class Rounds(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -g


CASES = {}


def case(*sizes):
    """Decorator: a program that calls `f` with inputs of these sizes."""

    def named(f):
        CASES[f.__name__] = f, sizes
        P[f"fw_{f.__name__}"] = lambda: go(f, *(R(*size) for size in sizes))
        return f

    return named


@case((4, 4), (4, 4))
def one_tensor_twice(x, w):
    h = x @ w
    return Gate.apply(h, h).square().mean()


@case((4, 4))
def an_input_twice(w):
    return Gate.apply(w, w).sum()


@case((4, 4), (4, 4))
def twice_by_another_name(x, w):
    h = x @ w
    same = h
    return Gate.apply(h, same).sum()


@case((4, 4), (4, 4))
def two_of_three(x, w):
    return Three.apply(x, w, x).sum() + Three.apply(w, w, x * 2).sum()


@case((4, 4), (4, 4))
def two_tensors(x, w):
    return Gate.apply(x @ w, w).sum()


@case((4, 4))
def a_tensor_and_a_view(x):
    return Gate.apply(x, x.view_as(x)).sum()


@case((4, 4))
def gradient_of_a_function(x):
    return torch.func.grad(lambda t: SteepSine.apply(t).sum())(x).sum() + x.sum()


@case((4, 4))
def mapped_function(x):
    return torch.func.vmap(lambda t: SteepSine.apply(t))(x).sum()


@case((4, 4))
def function_with_context(x):
    return SteepSine.apply(x).sum()


@case((4, 4), (4, 4))
def mapped_module_and_function(x, w):
    model = lambda t: (t * w).tanh()
    return torch.func.vmap(model)(x).sum() + SteepSine.apply(x).sum()


@case((4, 4))
def gradient_of_plain_operators(x):
    return torch.func.grad(lambda t: t.sin().sum())(x).sum() + x.sum()


@case((4, 4))
def written_and_used(x):
    y = x * 1
    z = Triples.apply(y)
    return (z * y).sum()


@case((4, 4))
def written_for_its_effect(x):
    y = x * 1
    Triples.apply(y)
    return (y * y).sum()


@case((4, 4))
def written_and_dropped(x):
    y = x * 1
    return Triples.apply(y).sum()


@case((4, 4))
def counted(x):
    calls = torch.zeros(1)
    return Counts.apply(x, calls).sum() + calls.sum()


@case((4, 4), (4, 4))
def one_gradient_of_two(x, w):
    return Product.apply(x.detach(), w).sum()


@case((4, 4), (4, 4))
def gradient_of_the_weight_alone(x, w):
    return OnlyWeight.apply(x, w).sum()


@case((4, 4))
def looks_at_values(x):
    return Looks.apply(x).sum()


@case((4, 4))
def straight_through(x):
    return (Rounds.apply(x) * x).sum()


@case((4, 4))
def reversed_gradient(x):
    return Same.apply(x).sum()


@case((4, 4))
def unused_result(x):
    SteepSine.apply(x)
    return x.sum()


@case((4, 4))
def detached_result(x):
    return (x * SteepSine.apply(x).detach()).sum()


@case((4, 4))
def without_grad_inside(x):
    with torch.no_grad():
        scale = SteepSine.apply(x)
    return (x * scale).sum()


@case((4, 4), (4, 4))
def checkpointed_function(x, w):
    return checkpoint(lambda t: Gate.apply(t @ w, w) * 2, x, use_reentrant=False).sum()


@case((4, 4), (4, 4))
def unused_weight(x, w):
    return x.sum()


@case((4, 4), (4, 4))
def index_of_the_largest(x, w):
    return x[w.argmax(0)].sum() + (w > 0).float().sum()
