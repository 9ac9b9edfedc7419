#!/usr/bin/env python3
"""Writes logs of small programs whose compiled calls show what a verdict on numbers has to tell apart.

    python make_call_logs.py OUT

Each program of PROGRAMS is compiled by itself, in a process of its own, and its trace log becomes OUT/NAME.log.xz. In the process
PyTorch's compiled call is compared with eager mode, and OUT/gradients.tsv says by how much of its largest magnitude each gradient is
off.
"""

import hashlib
import lzma
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from trace_log import records


def autocast_off_inside(torch):
    """A product in a region without autocast, called under it; the backward computes one gradient in bfloat16."""
    half = torch.randn(16, 16)
    wide = torch.randn(16, 16)
    x = torch.randn(8, 16)

    def f(x, half, wide):
        narrow = torch.tanh(x @ half)
        with torch.autocast("cpu", enabled=False):
            exact = torch.sin(x @ wide)
        return narrow.float().sum() + exact.square().sum()

    def call(g, *leaves):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return g(x, *leaves)

    return f, call, [half, wide], "aot_eager"


def dropouts_of_inductor(torch):
    """Two dropouts and noise, which Inductor's decompositions draw with other operators."""
    x = torch.randn(32, 8)

    def f(x, w, v):
        h = torch.nn.functional.dropout(torch.relu(x @ w), 0.3)
        h = h + torch.randn_like(h) * 0.01
        return torch.nn.functional.dropout(h @ v, 0.5).square().mean()

    return f, lambda g, *leaves: g(x, *leaves), [torch.randn(8, 16), torch.randn(16, 4)], "inductor"


def mask_drawn_again(torch):
    """A dropout that the backward computes again, because nothing may be saved."""
    import torch._functorch.config as config

    config.activation_memory_budget = 0.0
    x = torch.randn(16, 8)

    def f(x, w, v):
        return torch.nn.functional.dropout(torch.nn.functional.gelu(x @ w), 0.4).cos() @ v

    return f, lambda g, *leaves: g(x, *leaves).sum(), [torch.randn(8, 16), torch.randn(16, 16)], "aot_eager"


def exponential_of_a_product(torch):
    """Products of which exponentials, differences and quotients make more than a rounding."""
    x = torch.randn(64, 64)

    def f(x, w):
        y = (x @ w).exp()
        return (y / y.sum(-1, keepdim=True) - y.mean()).sum()

    return f, lambda g, *leaves: g(x, *leaves), [torch.randn(64, 64)], "aot_eager"


PROGRAMS = [autocast_off_inside, dropouts_of_inductor, mask_drawn_again, exponential_of_a_product]


def run(name):
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    f, call, leaves, backend = next(p for p in PROGRAMS if p.__name__ == name)(torch)

    def gradients(g):
        mine = [leaf.clone().requires_grad_() for leaf in leaves]
        torch.manual_seed(1)
        call(g, *mine).backward()
        return [leaf.grad for leaf in mine]

    eager, compiled = gradients(f), gradients(torch.compile(f, backend=backend))
    for i, (one, other) in enumerate(zip(eager, compiled)):
        print(f"{name}\tgradient {i}\t{((one - other).abs().max() / one.abs().max()).item():.2g}")


def with_digests(raw):
    """The log with the digests of its payloads as they are now."""
    lines = []
    for envelope, payload in records(raw):
        digest = hashlib.md5(b"\n".join(line[1:] for line in payload)).hexdigest()
        lines.append(re.sub(rb'"has_payload": "[0-9a-f]*"', f'"has_payload": "{digest}"'.encode(), envelope))
        lines.extend(payload)
    return b"\n".join(lines)


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    rows = ["program\tgradient\tapart\n"]
    for program in PROGRAMS:
        name = program.__name__
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "TORCH_TRACE": folder}
            told = subprocess.run([sys.executable, __file__, "--one", name], env=environment, capture_output=True, text=True)
            if told.returncode:
                sys.exit(told.stderr)
            rows.append(told.stdout)
            log = next(Path(folder).glob("*.log"))
            raw = log.read_bytes()
            # Where the package and this file lay says nothing of the programs.
            for path, short in ((Path(sys.prefix), "venv"), (Path(__file__).resolve().parent, "golden"), (Path(folder), "logs")):
                raw = raw.replace(str(path).encode(), f"/{short}".encode())
            (out / f"{name}.log.xz").write_bytes(lzma.compress(with_digests(raw), preset=9))
    (out / "gradients.tsv").write_text("".join(rows))


if __name__ == "__main__":
    run(sys.argv[2]) if sys.argv[1] == "--one" else main()
