#!/usr/bin/env python3
"""Writes compiled_autograd_saved_hooks.log.xz: a backward under compiled autograd that calls hooks when it runs.

    python make_compiled_autograd_log.py OUT.log.xz

The saved-tensors hooks are Python functions, which AOTAutograd does not inline; a tensor hook and a hook of an
accumulated gradient stand beside them. Made with torch 2.15.0 on the CPU.
"""

import glob
import hashlib
import lzma
import os
import subprocess
import sys
import tempfile

import trace_log


def pack(x):
    import torch

    return x.to(torch.bfloat16)


def unpack(packed):
    import torch

    return packed.to(torch.float32)


def train():
    import torch

    torch.manual_seed(0)
    linear = torch.nn.Linear(4, 6)
    w = torch.nn.Parameter(torch.randn(6, 3))

    def halve(parameter):
        parameter.grad.mul_(0.5)

    w.register_hook(lambda gradient: gradient * 2)
    linear.weight.register_post_accumulate_grad_hook(halve)

    @torch.compile(backend="aot_eager")
    def step(x):
        hidden = linear(x).tanh()
        return (hidden @ w).sin()

    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = step(torch.randn(5, 4))
        y.sum().backward()


def without_places(raw):
    """The log with file names that say nothing of the machine; the sums of payloads follow."""
    here = os.path.dirname(os.path.abspath(__file__)).encode() + b"/"
    packages = os.path.dirname(os.path.dirname(__import__("torch").__file__)).encode() + b"/"
    lines = []
    for envelope, payload in trace_log.records(raw):
        changed = [line.replace(here, b"").replace(packages, b"") for line in payload]
        envelope = envelope.replace(here, b"").replace(packages, b"")
        if payload:
            old, new = (hashlib.md5(b"\n".join(x[1:] for x in text)).hexdigest().encode() for text in (payload, changed))
            envelope = envelope.replace(old, new)
        lines += [envelope, *changed]
    return b"\n".join(lines)


def main():
    if sys.argv[1] == "--train":
        return train()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TORCH_TRACE": folder}
        subprocess.run([sys.executable, __file__, "--train"], env=environment, check=True)
        (log,) = glob.glob(os.path.join(folder, "*.log"))
        with open(log, "rb") as file:
            raw = file.read()
    with lzma.open(sys.argv[1], "wb", preset=9 | lzma.PRESET_EXTREME) as file:
        file.write(without_places(raw))


main()
