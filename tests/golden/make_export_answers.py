#!/usr/bin/env python3
"""What torch 2.11's aot_export_module and aot_export_joint_simple make of programs, for export_answers.json.xz.

    python make_export_answers.py > export_answers.json && xz -9 export_answers.json

Each program is captured by Dynamo; its graph is exported in every way there is. A row has Dynamo's graph, what is known
of each input, and per way the graph or the error.
"""

import json
import os
import sys
import warnings

import torch
import torch._dynamo
import torch.nn as nn
import torch.nn.functional as F
from torch._functorch.aot_autograd import aot_export_joint_simple, aot_export_module

warnings.filterwarnings("ignore")
P = {}
RAW = set()


def prog(f):
    P[f.__name__] = f
    return f


def raw(f):
    """A program that Dynamo does not take: traced by torch.fx."""
    RAW.add(f.__name__)
    return prog(f)


def R(*size, g=False):
    return torch.randn(*size, requires_grad=g)


# ---- programs: each returns the function and its arguments -----------------------------------------------------------


@prog
def mlp():
    m = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))

    def f(x, y):
        out = m(x)
        return F.cross_entropy(out, y), out.detach()

    return f, (R(8, 16), torch.randint(4, (8,)))


@prog
def conv_batch_norm_loss_second():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 4))

    def f(x, y):
        out = m(x)
        return out.detach(), F.cross_entropy(out, y)

    return f, (R(2, 3, 8, 8), torch.randint(4, (2,)))


@prog
def gradient_of_an_input():
    w = nn.Parameter(torch.randn(5, 3))

    def f(x, y):
        return ((x @ w).tanh() * y).sum()

    return f, (R(4, 5, g=True), R(4, 3))


@prog
def two_outputs_require_grad():
    m = nn.Linear(4, 4)

    def f(x):
        out = m(x)
        return out.sum(), out

    return f, (R(2, 4),)


@prog
def loss_is_no_number():
    m = nn.Linear(4, 4)
    return (lambda x: m(x).relu()), (R(2, 4),)


@prog
def loss_without_grad():
    m = nn.Linear(4, 4)
    return (lambda x: m(x).detach().sum()), (R(2, 4),)


@prog
def nothing_requires_grad():
    return (lambda x: (x * 2).sum()), (R(2, 4),)


@prog
def loss_of_one_element():
    m = nn.Linear(4, 4)
    return (lambda x: m(x).sum().reshape(1, 1)), (R(2, 4),)


@prog
def input_changed():
    m = nn.Linear(4, 4)

    def f(x):
        x.mul_(2)
        return m(x).sum()

    return f, (R(2, 4),)


@prog
def input_that_requires_grad_changed():
    def f(x):
        y = x.sin()
        with torch.no_grad():
            x.mul_(2)
        return y.sum()

    return f, (R(2, 4, g=True),)


@raw
def input_transposed():
    def f(x):
        x.t_()
        return (x.sum(),)

    return f, (R(2, 4),)


@raw
def input_resized_and_changed():
    def f(x):
        x.unsqueeze_(1)
        x.mul_(3)
        return (x + 1,)

    return f, (R(2, 4),)


@prog
def dropout_changed():
    m = nn.Linear(4, 4)

    def f(x):
        return F.dropout(m(x), 0.5).mul_(2).sum()

    return f, (R(2, 4),)


@prog
def input_unsqueezed_and_changed():
    def f(x):
        x.unsqueeze_(0)
        x.add_(1)
        return x * 2

    return f, (R(2, 4),)


@prog
def views_of_one_base_changed():
    def f(x, y):
        x.add_(1)
        return (x + y).sum()

    base = R(6)
    return f, (base[:4], base[2:])


@prog
def views_of_one_base_read():
    def f(x, y):
        return (x + y).sum()

    base = R(6)
    return f, (base[:4], base[2:])


@prog
def output_is_view_of_input():
    return (lambda x: (x.t(), x.sum())), (R(2, 4),)


@prog
def output_is_input():
    return (lambda x: (x, x.sum())), (R(2, 4),)


@prog
def outputs_alias_each_other():
    def f(x):
        y = x.sin()
        return y, y[0]

    return f, (R(2, 4),)


@prog
def parameter_without_gradient():
    used, unused = nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(4))

    def f(x):
        return (x * used).sum(), (unused * 0).detach()

    return f, (R(2, 4),)


@prog
def views_changed_inside():
    m = nn.Linear(4, 4)

    def f(x):
        y = m(x).add_(1)
        w = y.view(-1)
        w[0:4].mul_(2)
        y[1].zero_()
        return y.square().mean()

    return f, (R(4, 4),)


@prog
def attention():
    q, k, v = (nn.Linear(8, 8) for _ in range(3))
    norm = nn.LayerNorm(8)

    def f(x):
        split = lambda t: t.reshape(2, 5, 2, 4).transpose(1, 2)
        out = F.scaled_dot_product_attention(split(q(x)), split(k(x)), split(v(x)), is_causal=True)
        out = norm(x + out.transpose(1, 2).contiguous().flatten(2))
        return F.gelu(out).mean()

    return f, (R(2, 5, 8),)


@prog
def dropout_and_embedding():
    table = nn.Embedding(7, 6)

    def f(i):
        x = F.dropout(table(i), 0.3, True)
        return F.softmax(x, -1).log().sum()

    return f, (torch.randint(7, (3, 4)),)


@prog
def grad_off_at_the_end():
    m = nn.Linear(4, 4)

    def f(x):
        y = m(x).relu().sum()
        with torch.no_grad():
            z = x.sin()
        return y, z.cos()

    return f, (R(2, 4),)


@prog
def grad_off_then_more():
    m = nn.Linear(4, 4)

    def f(x):
        with torch.no_grad():
            z = x.sin()
        return (m(x) * z).sum()

    return f, (R(2, 4),)


@prog
def grad_off_then_a_matrix():
    m = nn.Linear(4, 4)

    def f(x):
        with torch.no_grad():
            z = x.sin()
        return m(x) * z

    return f, (R(2, 4),)


@prog
def autocast_inside():
    m = nn.Linear(4, 4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = m(x)
            z = y @ y.t()
        return z.float().sum()

    return f, (R(4, 4),)


@prog
def batch_norm_eval_and_pools():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Hardtanh(), nn.MaxPool2d(2)).eval()

    def f(x):
        y = m(x)
        return F.adaptive_avg_pool2d(y, 1).flatten(1), F.interpolate(y, scale_factor=2)

    return f, (R(2, 3, 8, 8),)


@prog
def dtype_conversions():
    def f(x, y):
        a = x.to(torch.float64)
        b = y.float() + x.to(x.dtype)
        return a.sum(), b.half(), x.type_as(y)

    return f, (R(3, 4), torch.arange(12.0, dtype=torch.float64).reshape(3, 4))


@prog
def many_composites():
    def f(x, y):
        a = torch.einsum("ij,kj->ik", x, y)
        b, c = torch.chunk(x, 2, 1)
        d = torch.stack([b, c]).mean((0, 2))
        e = F.normalize(x, dim=1) + F.softplus(x) + F.silu(y)
        g = torch.where(x > 0, x, torch.zeros_like(x)).cumsum(0)
        h = F.mse_loss(x, y) + F.smooth_l1_loss(x, y) + F.nll_loss(F.log_softmax(x, 1), torch.tensor([0, 1, 2]))
        return a, d, e[:, None, 1:], g, h, torch.var(x, 1), torch.linalg.vector_norm(y), x.expand(2, 3, 4), F.pad(x, (1, 1))

    return f, (R(3, 4), R(3, 4))


@prog
def groups_and_recurrences():
    norm = nn.GroupNorm(2, 4)
    cell = nn.GRUCell(24, 4)

    def f(x, h):
        y = norm(x)
        return cell(y.flatten(1), h), F.leaky_relu(y, 0.1), F.unfold(x.unsqueeze(-1), (2, 1))

    return f, (R(3, 4, 6), R(3, 4))


# ---- answers ---------------------------------------------------------------------------------------------------------

WAYS = {
    "module": lambda gm, args: aot_export_module(gm, args, trace_joint=False)[0],
    "module pre_dispatch": lambda gm, args: aot_export_module(gm, args, trace_joint=False, pre_dispatch=True)[0],
    "module joint": lambda gm, args: aot_export_module(gm, args, trace_joint=True)[0],
    "module joint 0": lambda gm, args: aot_export_module(gm, args, trace_joint=True, output_loss_index=0)[0],
    "module joint 1": lambda gm, args: aot_export_module(gm, args, trace_joint=True, output_loss_index=1)[0],
    "module joint pre_dispatch": lambda gm, args: aot_export_module(
        gm, args, trace_joint=True, output_loss_index=0, pre_dispatch=True
    )[0],
    "simple": lambda gm, args: aot_export_joint_simple(gm, tuple(args), trace_joint=False),
    "simple joint": lambda gm, args: aot_export_joint_simple(gm, tuple(args), trace_joint=True),
}


def text_of(gm):
    text = gm.print_readable(print_output=False, include_stride=True, include_device=True, expanded_def=True)
    # Paths of the machine say nothing.
    return text.replace(__file__, "make_export_answers.py").replace(os.path.dirname(torch.__file__), "torch")


def answers(gm, args):
    row = {}
    for way, export in WAYS.items():
        try:
            row[way] = {"graph": text_of(export(gm, args))}
        except Exception as error:  # the error is the answer
            row[way] = {"error": type(error).__name__, "message": str(error).split("\n\n")[0][:400]}
    return row


def main():
    rows = []
    for name in sys.argv[1:] or P:
        torch._dynamo.reset()
        torch.manual_seed(0)
        f, args = P[name]()
        captured = []

        def backend(gm, example_inputs):
            inputs = [
                {
                    "requires_grad": x.requires_grad,
                    "parameter": isinstance(x, nn.Parameter),
                    "leaf": x.is_leaf,
                    "storage": x.untyped_storage()._cdata,
                    "offset": x.storage_offset(),
                    "bytes": x.untyped_storage().nbytes(),
                    "base": None if x._base is None else [list(x._base.shape), list(x._base.stride())],
                }
                for x in example_inputs
            ]
            ways = answers(gm, example_inputs)
            for node, x in zip(gm.graph.find_nodes(op="placeholder"), example_inputs):
                node.meta.setdefault("val", x)
            captured.append({"name": name, "dynamo": text_of(gm), "inputs": inputs, "ways": ways})
            return gm.forward

        if name in RAW:
            backend(torch.fx.symbolic_trace(f), args)
        else:
            torch.compile(f, backend=backend)(*args)
        for row in captured:
            storages = {}
            for x in row["inputs"]:
                x["storage"] = storages.setdefault(x["storage"], len(storages))
        rows += captured
    json.dump(rows, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
