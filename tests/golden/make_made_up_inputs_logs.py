#!/usr/bin/env python3
"""Records programs whose calls on made-up inputs are easily told wrongly: inputs that only few values fit, results that nothing
wrote, views that PyTorch does not make again.

    TORCH_TRACE=FOLDER python make_made_up_inputs_log.py >made_up_inputs.tsv && xz -c FOLDER/*.log >made_up_inputs.log.xz

Each program is one compile. A line has its number, its name, and the verdict of a call beside Dynamo's graph in eager mode: PyTorch's
compiled call was compared with its eager call where nothing stands in the way of that, and the numbers were equal.
"""

import torch

F = torch.nn.functional
PROGRAMS = []


def program(verdict):
    def add(function):
        PROGRAMS.append((function, verdict))
        return function

    return add


def compiled(function, **options):
    return torch.compile(function, backend="aot_eager", **options)


def R(*sizes, grad=True):
    return torch.randn(*sizes, requires_grad=grad)


@program("equal")
def expanded_leaf():
    compiled(lambda x, w: F.layer_norm(x, (32,)) @ w)(R(32).expand(2, 2, 32), R(32, 32)).sum().backward()


@program("equal")
def expanded_result():
    compiled(lambda x, w: torch.relu(x) @ w)((R(1, 4) * 2).expand(5, 4), R(4, 4)).sum().backward()


@program("equal")
def expanded_without_gradient():
    compiled(lambda x, w: torch.cos(x) @ w)(R(1, 4, grad=False).expand(5, 4), R(4, 4)).sum().backward()


@program("equal")
def windows():
    compiled(lambda x, w: torch.sigmoid(x) @ w)(R(10).unfold(0, 4, 2), R(4, 4)).sum().backward()


@program("equal")
def ids_in_floats():
    f = lambda x, w: F.embedding(x[:, 0].long(), w) * x[:, 1:]
    compiled(f)(torch.randint(0, 10, (8, 2)).float(), R(10, 4)).sum().backward()


@program("equal")
def ids_from_shares():
    compiled(lambda x, w: F.embedding((x * 8).long(), w))(torch.rand(6), R(8, 3)).sum().backward()


@program("equal")
def ids_that_count_from_one():
    compiled(lambda x, w: w[(x - 1).int()])(torch.randint(1, 9, (6,)).float(), R(8, 3)).sum().backward()


@program("equal")
def view_of_parameter_without_gradients():
    with torch.no_grad():
        compiled(lambda x, p: (x * 2, p[:], p.t()))(R(3, grad=False), torch.nn.Parameter(R(3, 2)))


@program("equal")
def written_view_of_a_result():
    def f(x):
        a = x[..., :4]
        a /= 2.0
        return a, x[..., 4:]

    a, b = compiled(f)((R(6, 22) * 1).reshape(6, 2, -1))
    (a.sum() + b.sum()).backward()


@program("equal")
def views_of_one_another_in_inference():
    def f(x):
        y = x + 1
        return y, y.view(-1), y.t()

    compiled(f)(R(3, 4, grad=False))


@program("equal")
def turned_and_written():
    compiled(lambda x: x.t().add_(1))(R(1, 2, grad=False))


@program("equal")
def strides_of_size_one():
    compiled(lambda x: (x.sum(0, keepdim=True).t() * 2, x[:, :1].contiguous()))(R(4, 1, grad=False))


@program("not comparable: output 0: 6 of 12 elements depend on memory that nothing has written")
def partly_written():
    def f(x):
        s = torch.empty(4, 3)
        s[:2] = x
        return s

    compiled(f)(R(2, 3))[:2].sum().backward()


@program("not comparable: output 1: 8 of 8 elements depend on memory that nothing has written")
def unwritten():
    compiled(lambda x: (x + 1, torch.empty_like(x), x.new_empty(5, 3)))(R(4, 2, grad=False))


@program("not comparable: output 0: in eager mode it is one of several views that one operator returns")
def views_of_one_unbind():
    a, b, c = compiled(lambda x: (x * 2).unbind(0))(R(3, 4))
    (a.sum() + b.sum()).backward()


@program("equal")
def asserted_not_negative():
    def f(x):
        torch._assert_async((x >= 0).all())
        return x.sqrt()

    compiled(f)(torch.rand(50))


@program("equal")
def asserted_probability():
    def f(x):
        torch._assert_async(((x >= 0) & (x <= 1)).all(), "not a probability")
        return torch.log(x + 1e-3)

    compiled(f)(torch.rand(50))


@program("not comparable: In eager mode the program fails too")
def asserted_sum():
    def f(x):
        torch._assert_async((x.sum(-1) - 1).abs().max() < 1e-5, "no simplex")
        return x * 2

    compiled(f)(torch.softmax(R(5, 4, grad=False), -1))


@program("equal")
def float_that_a_guard_names():
    f = compiled(lambda x, p: x * p if p == 0.5 else x - p, dynamic=True)
    f(R(3), 0.5).sum().backward()


@program("equal")
def number_between_bounds():
    torch._dynamo.config.capture_scalar_outputs = True

    def f(x, n):
        k = n.item()
        torch._check(k >= 2)
        torch._check(k <= 5)
        return x[:, :k] * 2

    compiled(f, fullgraph=True)(R(3, 6), torch.tensor(4)).sum().backward()


if __name__ == "__main__":
    torch.manual_seed(0)
    for function, verdict in PROGRAMS:
        function()
        print(function.__name__, verdict, sep="\t")
