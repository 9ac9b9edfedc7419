#!/usr/bin/env python3
"""Records what PyTorch's FlopCounterMode counts: graphs with one operator each, the values of their symbols, and the count.

python make_flop_answers.py > flop_answers.txt, with torch 2.15.0
"""

import itertools
import logging

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

logging.disable(logging.WARNING)
aten = torch.ops.aten
half, single = torch.float16, torch.float32


def t(*shape, dtype=single):
    return torch.empty(shape, device="meta", dtype=dtype)


def conv(x, w, out_channels=None, stride=1, padding=0, dilation=1, transposed=False, groups=1):
    n = x.dim() - 2
    return (x, w, None, [stride] * n, [padding] * n, [dilation] * n, transposed, [0] * n, groups)


def conv_backward(x, w, mask, **options):
    out = aten.convolution.default(*conv(x, w, **options))
    arguments = conv(x, w, **options)
    return (torch.empty_like(out), x, w, None, *arguments[3:], mask)


def attention(queries, keys, heads=8, size=32, value_size=None, dtype=half):
    return t(2, heads, queries, size, dtype=dtype), t(2, heads, keys, size, dtype=dtype), t(2, heads, keys, value_size or size, dtype=dtype)


def attention_backward(op, queries, keys, **options):
    q, k, v = attention(queries, keys, **options)
    out = t(2, q.shape[1], queries, v.shape[3], dtype=half)
    sums = t(2, q.shape[1], queries)
    if op is aten._scaled_dot_product_flash_attention_for_cpu_backward.default:
        return (out, q, k, v, out, sums, 0.0, False)
    if op is aten._scaled_dot_product_flash_attention_backward.default:
        return (out, q, k, v, out, sums, None, None, queries, keys, 0.0, False, t(2, dtype=torch.uint64), t(dtype=torch.uint64))
    raise AssertionError(op)


CASES = [
    (aten.mm.default, (t(3, 4), t(4, 5))),
    (aten.mm.default, (t(128, 64, dtype=half), t(64, 256, dtype=half))),
    (aten.addmm.default, (t(5), t(3, 4), t(4, 5))),
    (aten.bmm.default, (t(7, 3, 4), t(7, 4, 5))),
    (aten.baddbmm.default, (t(7, 3, 5), t(7, 3, 4), t(7, 4, 5))),
    (aten.convolution.default, conv(t(2, 6, 10, 12), t(8, 6, 3, 3))),
    (aten.convolution.default, conv(t(2, 6, 10, 12), t(8, 6, 3, 3), stride=2, padding=1)),
    (aten.convolution.default, conv(t(2, 6, 10, 12), t(8, 3, 3, 3), groups=2)),
    (aten.convolution.default, conv(t(2, 6, 10), t(8, 6, 3), dilation=2)),
    (aten.convolution.default, conv(t(2, 6, 4, 5, 6), t(8, 6, 2, 2, 2))),
    (aten.convolution.default, conv(t(2, 6, 10, 12), t(6, 8, 3, 3), transposed=True, stride=2)),
    (aten.convolution.default, conv(t(2, 6, 10, 12), t(6, 1, 3, 3), groups=6, padding=1)),
    *[
        (aten.convolution_backward.default, conv_backward(t(2, 6, 10, 12), t(8, 6, 3, 3), mask, stride=stride))
        for mask, stride in itertools.product(([True, True, False], [True, False, False], [False, True, False]), (1, 2))
    ],
    (aten.convolution_backward.default, conv_backward(t(2, 6, 10, 12), t(6, 8, 3, 3), [True, True, False], transposed=True)),
    (aten.convolution_backward.default, conv_backward(t(2, 6, 10, 12), t(8, 3, 3, 3), [True, True, False], groups=2)),
    (aten._scaled_dot_product_flash_attention.default, attention(16, 24)),
    (aten._scaled_dot_product_flash_attention_for_cpu.default, attention(16, 16, dtype=single)),
    (aten._scaled_dot_product_efficient_attention.default, (*attention(16, 24, value_size=64), None, True)),
    (aten._scaled_dot_product_cudnn_attention.default, (*attention(16, 24), None, True)),
    (
        aten._scaled_dot_product_flash_attention_backward.default,
        attention_backward(aten._scaled_dot_product_flash_attention_backward.default, 16, 24),
    ),
    (
        aten._scaled_dot_product_flash_attention_for_cpu_backward.default,
        attention_backward(aten._scaled_dot_product_flash_attention_for_cpu_backward.default, 16, 16),
    ),
    # None of these has a formula: PyTorch counts nothing.
    (aten.add.Tensor, (t(3, 4), t(4))),
    (aten.sum.dim_IntList, (t(3, 4), [1])),
    (aten._softmax.default, (t(3, 4), 1, False)),
    (aten.clone.default, (t(3, 4),)),
    (aten.embedding.default, (t(100, 8), t(5, dtype=torch.int64))),
]
# The same graph with other sizes, through its symbols.
SYMBOLIC = [
    (aten.mm.default, [(t(3, 4), t(4, 5)), (t(30, 7), t(7, 2))]),
    (aten.bmm.default, [(t(6, 3, 4), t(6, 4, 5)), (t(2, 11, 7), t(2, 7, 3))]),
    (aten.convolution.default, [conv(t(2, 6, 10, 12), t(8, 6, 3, 3)), conv(t(5, 6, 20, 21), t(8, 6, 3, 3))]),
    (aten._scaled_dot_product_flash_attention_for_cpu.default, [attention(16, 16, dtype=single), attention(40, 40, dtype=single)]),
]


def split(arguments):
    """The tensors among the arguments, and a function that puts them in their places again."""
    places = [i for i, argument in enumerate(arguments) if isinstance(argument, torch.Tensor)]

    def join(*tensors):
        whole = list(arguments)
        for place, tensor in zip(places, tensors):
            whole[place] = tensor
        return whole

    return [arguments[i] for i in places], join


def trace(op, arguments, mode):
    tensors, join = split(arguments)

    def call(*inputs):
        return op(*join(*inputs))

    # As many parameters as tensors, so that each becomes a placeholder.
    names = ", ".join(f"x{i}" for i in range(len(tensors)))
    function = eval(f"lambda {names}: call({names})", {"call": call})
    return make_fx(function, tracing_mode=mode)(*tensors)


def count(op, arguments):
    with FlopCounterMode(display=False) as counter:
        op(*arguments)
    return counter.get_total_flops()


def bindings(module, arguments):
    found = {}
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    for node, tensor in zip(placeholders, split(arguments)[0]):
        for size, value in zip(node.meta["val"].shape, tensor.shape):
            if isinstance(size, torch.SymInt):
                found[str(size)] = value
    return found


def show(op, module, flops, symbols):
    values = "".join(f" {name}={value}" for name, value in symbols.items())
    print(f"=== {op} {flops}{values}")
    print(module.print_readable(print_output=False, include_stride=True, include_device=True).rstrip())


for op, arguments in CASES:
    show(op, trace(op, arguments, "real"), count(op, arguments), {})
for op, several in SYMBOLIC:
    module = trace(op, several[0], "symbolic")
    for arguments in several:
        show(op, module, count(op, arguments), bindings(module, arguments))
