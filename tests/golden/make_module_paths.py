"""Writes module_paths.log.xz, a trace log of a few small models, and module_paths.tsv, the module that PyTorch
itself records for each node of their joint graphs (node.meta: nn_module_stack of the forward,
fwd_nn_module_stack of the backward). No log holds these; the program derives modules, and is compared with them.

    TORCH_TRACE=FOLDER python make_module_paths.py table module_paths.tsv
    python make_module_paths.py pack FOLDER/….log module_paths.log.xz [PATH=REPLACEMENT]…

The second replaces paths of the machine and makes the payloads' md5 sums true again.
"""

import hashlib
import lzma
import re
import sys

import trace_log


def pack(log, out, *replacements):
    with open(log, "rb") as file:
        raw = file.read()
    for replacement in replacements:
        raw = raw.replace(*(part.encode() for part in replacement.split("=", 1)))
    lines = []
    for envelope, payload in trace_log.records(raw):
        if payload:
            text = b"\n".join(line[1:] for line in payload)
            envelope = re.sub(
                rb'"has_payload": "[0-9a-f]+"', b'"has_payload": "%s"' % hashlib.md5(text).hexdigest().encode(), envelope
            )
        lines += [envelope, *payload]
    with lzma.open(out, "wb", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(b"\n".join(lines))


if sys.argv[1] == "pack":
    pack(*sys.argv[2:])
    sys.exit()

import torch
import torch.nn.functional as F
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch import nn
from torch._dynamo.backends.common import aot_autograd

rows = []
name = ""


def path_of(node):
    """fc1, layers.0.attn; ? where PyTorch records none: code outside of modules, or sums of gradients."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack")
    if not stack:
        return "?"
    path = list(stack.values())[-1][0]
    for text in ("L['self']", "L.self"):
        path = path.replace(text, "")
    path = re.sub(r"\._modules\['([^']+)'\]", r".\1", path)
    path = re.sub(r"\[['\"]?([^'\"\]]+)['\"]?\]", r".\1", path)
    return path.lstrip(".") or "?"


def keep(joint, inputs, **options):
    for node in joint.graph.nodes:
        if node.op == "call_function":
            backward = "backward" if "fwd_nn_module_stack" in node.meta or node.meta.get("partitioner_tag") == "is_backward" else "forward"
            rows.append((name, node.name, backward, str(node.meta.get("seq_nr", "?")), path_of(node)))
    return min_cut_rematerialization_partition(joint, inputs, **options)


backend = aot_autograd(
    fw_compiler=lambda graph, inputs: make_boxed_func(graph.forward),
    bw_compiler=lambda graph, inputs: make_boxed_func(graph.forward),
    partition_fn=keep,
)


class Mlp(nn.Module):
    """All of it in one line."""

    def __init__(self, bias):
        super().__init__()
        self.fc1 = nn.Linear(8, 16, bias=bias)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(16, 4, bias=bias)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Attention(nn.Module):
    """Three projections of one value, in one line."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, width, bias=False)
        self.v = nn.Linear(width, width, bias=False)
        self.o = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = [m(x).view(batch, length, self.heads, -1).transpose(1, 2) for m in (self.q, self.k, self.v)]
        weights = torch.softmax(q @ k.transpose(-1, -2) * 0.35, -1)
        return self.o((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.ln1 = nn.LayerNorm(width)
        self.attn = Attention(width)
        self.ln2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Stack(nn.Module):
    """Blocks whose lines repeat."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.norm = nn.LayerNorm(16)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 4, 3)
        self.b1 = nn.BatchNorm2d(4)
        self.c2 = nn.Conv2d(4, 4, 3, padding=1)
        self.b2 = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)) + x)
        return self.fc(x.mean((2, 3)))


class Gated(nn.Module):
    """A parameter of its own, and an input with a gradient that two modules take."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8, bias=False)
        self.b = nn.Linear(8, 8, bias=False)
        self.c = nn.Linear(8, 8, bias=False)
        self.scale = nn.Parameter(torch.ones(8))

    def forward(self, x):
        return self.c(F.silu(self.a(x)) * self.b(x) * 0.5) * self.scale


class Tied(nn.Module):
    """One weight in two modules, dropout, a loss."""

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(11, 8)
        self.seq = nn.Sequential(nn.Linear(8, 8, bias=False), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 8))
        self.out = nn.Linear(8, 11, bias=False)
        self.out.weight = self.e.weight

    def forward(self, x):
        return F.cross_entropy(self.out(self.seq(self.e(x))).view(-1, 11), x.view(-1))


torch.manual_seed(0)
models = [
    (Mlp(True), torch.randn(4, 8)),
    (Mlp(False), torch.randn(4, 8, requires_grad=True)),
    (Mlp(True), torch.randn(2, 4, 8)),
    (Attention(), torch.randn(2, 5, 16)),
    (Stack(), torch.randn(2, 5, 16)),
    (Convolutions(), torch.randn(2, 3, 8, 8)),
    (Gated(), torch.randn(3, 8, requires_grad=True)),
    (Tied(), torch.randint(0, 11, (2, 5))),
]
torch._dynamo.reset()
for index, (model, example) in enumerate(models):
    name = str(index)
    # Each in a frame of its own, so that the compiles have ids of their own.
    exec(f"def call_{index}(): return torch.compile(model, backend=backend)(example)")
    locals()[f"call_{index}"]().sum().backward()

with open(sys.argv[2], "w") as table:
    table.write("# model\tnode\thalf\tseq_nr\tmodule\n")
    for row in rows:
        table.write("\t".join(row) + "\n")
