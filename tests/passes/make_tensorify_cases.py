#!/usr/bin/env python3
"""Writes tensorify_cases/*.txt: joint graphs of small programs with Python floats, before and after torch 2.15's
tensorify_python_scalars.

    python make_tensorify_cases.py
"""

import math
import pathlib

import torch
import torch._dynamo
from torch._functorch._aot_autograd import graph_compile

FOLDER = pathlib.Path(__file__).parent / "tensorify_cases"
PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


@program
def a_float_becomes_a_tensor(x, s):
    """The product takes a 0-dimensional tensor in place of the number."""
    return x * s


@program
def arithmetic_of_floats_becomes_arithmetic_of_tensors(x, s):
    """What Python computed from the number is computed from its tensor; the number itself is nowhere."""
    return x * (s + 1.0) + x * (s * s)


@program
def half_precision_computes_in_float32(x, s):
    """The tensor is converted to the dtype that the operator computes in, and the result back."""
    return x.to(torch.bfloat16) * s


@program
def functions_that_are_operators(x, s):
    """sqrt of the number is sqrt of its tensor."""
    return x * math.sqrt(s)


@program
def comparisons_take_their_overload_for_tensors(x, s):
    """gt.Scalar becomes gt.Tensor."""
    return torch.where(x > s, x * s, x)


@program
def a_number_used_twice_is_converted_once(x, s):
    """Both products take one tensor."""
    return (x * s).sin() * s


@program
def a_graph_without_floats_stays(x, s):
    """Nothing takes the number, so it is not in the graph."""
    return x.sin()


@program
def numbers_that_print_alike_are_two(x, s):
    """Both numbers are 0.3 to fifteen digits, and neither their sums nor their powers are one."""
    return x * ((s + 0.3) * (s + 0.30000000000000004)) + x * (s**0.3 + s**0.30000000000000004)


@program
def factors_are_ordered_as_sympy_orders_floats(x, s):
    """Not by their values: by the odd integer that is the float but for a power of two, then by that power."""
    return x * ((s + 1.25) * (s + 1.5) * (s + 2.0) * (s + 0.5) * (s + -0.5))


def text(module):
    printed = module.print_readable(print_output=False, include_stride=True, include_device=True)
    return printed.replace(str(pathlib.Path(__file__).parent) + "/", "")


def main():
    torch._dynamo.config.specialize_float = False
    FOLDER.mkdir(exist_ok=True)
    apply = graph_compile._apply_tensorify_python_scalars
    for name, f in PROGRAMS.items():
        torch._dynamo.reset()
        told = []

        def watch(module):
            before = text(module)
            apply(module)
            told.append((before, text(module)))

        graph_compile._apply_tensorify_python_scalars = watch
        torch.compile(f, backend="aot_eager", dynamic=True)(torch.randn(3, 4, requires_grad=True), 2.5)
        before, after = told[-1]
        about = " ".join(f.__doc__.split())
        (FOLDER / f"{name}.txt").write_text(f"about: {about}\nbefore:\n{before}\nafter:\n{after}")
        print("changed" if before != after else "SAME", name)


main()
