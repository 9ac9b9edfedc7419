#!/usr/bin/env python3
"""Writes dead_code_cases/*.txt: small graphs as they are recorded, and what FX leaves of them by itself and while a
function is compiled (torch 2.15).

    python make_dead_code_cases.py

Each case is a function of tensors, traced as it is written; what its docstring says stands at the head of its file.
"""

import pathlib

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

aten = torch.ops.aten
FOLDER = pathlib.Path(__file__).parent / "dead_code_cases"
CASES = []


def case(*sizes):
    def add(f):
        CASES.append((f, sizes))
        return f

    return add


@case((4,))
def what_nothing_uses_goes(x):
    """What nothing uses goes, and then what only that used."""
    aten.neg(aten.exp(x))
    return aten.sin(x)


@case((4,), (4,))
def inputs_stay(x, y):
    """An input stays although nothing uses it."""
    return aten.sin(x)


@case((4,))
def random_operators_stay(x):
    """A random operator draws numbers also where nothing uses them, so later ones depend on it; a compile drops it."""
    aten.rand_like(x)
    aten.bernoulli.p(x, 0.5)
    return aten.add(x, aten.rand_like(x))


@case((4,), (4,))
def what_writes_to_an_input_stays(x, y):
    """A copy into an input is what the program does, used or not."""
    aten.copy_(x, aten.mul(y, 2))
    return aten.sin(y)


@case((4,))
def assertions_stay(x):
    """An assertion has no result."""
    aten._assert_async.msg(aten.all(aten.gt(x, 0)), "x must be positive")
    return aten.sin(x)


@case((4, 4))
def parts_of_a_list_go_one_by_one(x):
    """Of several results those that nothing uses go; the call stays for the others."""
    low, high = aten.aminmax(x)
    first, second = aten.split(x, 2)
    return aten.add(low, first)


def text(graph):
    return graph.print_readable(print_output=False, include_stride=True, include_device=True)


def main():
    FOLDER.mkdir(exist_ok=True)
    for f, sizes in CASES:
        mode = FakeTensorMode()
        with mode:
            inputs = [torch.randn(size) for size in sizes]
        elsewhere = torch.fx.Graph.eliminate_dead_code
        torch.fx.Graph.eliminate_dead_code = lambda *_, **__: False
        graph = make_fx(f, tracing_mode="fake")(*inputs)
        torch.fx.Graph.eliminate_dead_code = elsewhere
        before = text(graph)
        graph.graph.eliminate_dead_code()
        graph.recompile()
        after = text(graph)
        with torch._guards.tracing(torch._guards.TracingContext(mode)):
            graph.graph.eliminate_dead_code()
        graph.recompile()
        (FOLDER / f"{f.__name__}.txt").write_text(
            f"# {f.__doc__}\nbefore:\n{before}\nafter:\n{after}\ncompiled:\n{text(graph)}\n"
        )


if __name__ == "__main__":
    main()
