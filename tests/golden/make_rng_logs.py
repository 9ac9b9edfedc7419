#!/usr/bin/env python3
"""Writes trace logs of checkpointed regions with dropout: TORCH_TRACE=DIR python tests/golden/make_rng_logs.py KIND

The joint, forward and backward graphs of the logs are kept beside this script as rng_checkpoint_KIND_*.txt.

KIND is eager (backend aot_eager: min-cut) or default (a backend of aot_autograd, which takes the default partition).
They were made with torch 2.11.0 on the CPU.
"""

import sys

import torch
import torch.nn.functional as F
from functorch.compile import nop
from torch._dynamo.backends.common import aot_autograd
from torch.utils.checkpoint import checkpoint


def block(x, w, v):
    h = F.dropout(torch.relu(x @ w), 0.3)
    return F.dropout(h @ v, 0.1)


def step(x, w, v, n):
    # n is dynamic, so that a symbolic integer is saved beside the random states.
    y = checkpoint(block, x, w, v, use_reentrant=False)
    y = checkpoint(block, y, w, v, use_reentrant=False)
    return (y * x.shape[0]).view(-1, n).sum()


def main():
    torch.manual_seed(0)
    x, w, v = (torch.randn(*shape, requires_grad=True) for shape in ((4, 8), (8, 16), (16, 8)))
    torch._dynamo.mark_dynamic(x, 0)
    backend = "aot_eager" if sys.argv[1] == "eager" else aot_autograd(fw_compiler=nop, bw_compiler=nop)
    torch.compile(step, backend=backend)(x, w, v, 2).backward()


main()
