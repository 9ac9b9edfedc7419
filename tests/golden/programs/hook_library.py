"""The hooks that ship with aotscope (resources/hook_library.txt), each inlined by PyTorch into a small network.

Their texts are Python, so PyTorch traces the very same statements: what it makes of them is the answer that
`aotscope-cli hooks --hook NAME` has to give.
"""

import re
from pathlib import Path

from common import *

TEXT = (Path(__file__).resolve().parents[3] / "resources" / "hook_library.txt").read_text()


def functions(text):
    """`pack` and `unpack` as functions."""
    made = {"torch": torch}
    for name, argument, body in re.findall(r"class (\w+)\(torch.nn.Module\):\n    def forward\(self, (\w+)\):\n((?:        .*\n)+)", text):
        lines = [line[4:] for line in body.splitlines()]
        exec("\n".join([f"def {name}({argument}):", *lines]), made)
    return made["pack"], made["unpack"]


def network(x, w, v):
    y = F.gelu(x @ w)
    z = F.layer_norm(y, y.shape[-1:]).relu()
    return (z @ v).sigmoid()


def bits(x):
    return ((x * 2).relu() + 1, (x - 1).relu() * 3)


def hooked(text, f, inputs, dynamic=None):
    torch._functorch.config.saved_tensors_hooks_filtering_mode = "all" if f is network else "donated"
    pack, unpack = (torch.fx.symbolic_trace(each) for each in functions(text))
    compiled = C(f, dynamic=dynamic)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        out = compiled(*inputs)
    (out.sum() if isinstance(out, torch.Tensor) else sum(each.sum() for each in out)).backward()


def add(name, text):
    f = bits if name == "relu_mask" else network

    def inputs(batch):
        return (R(batch, 6),) if f is bits else (R(batch, 6), R(6, 7), R(7, 5))

    def static():
        hooked(text, f, inputs(3))

    def dynamic():
        hooked(text, f, inputs(5), dynamic=True)

    P[f"hl_{name}"] = static
    P[f"hl_{name}_dynamic"] = dynamic


for part in TEXT.split("=== ")[1:]:
    add(part.splitlines()[0], part.split("\n", 1)[1])
