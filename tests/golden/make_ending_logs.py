#!/usr/bin/env python3
"""Writes the log of a program whose compiled graph ends the process, or of one that made-up inputs would end.

    python make_ending_logs.py NAME OUT.log.xz

Each is compiled with aot_eager in a child process, which may die: its log is complete up to there.
"""

import glob
import lzma
import os
import subprocess
import sys
import tempfile

PROGRAMS = {
    # SIGSEGV in torch 2.11 and 2.15: the tangent of the exponent is zeros without memory, which a kernel reads.
    "jvp_of_ldexp": """
k = torch.tensor([1.0, 2.0])
f = lambda a, t: torch.func.jvp(lambda a: torch.ldexp(a, k), (a,), (t,))[1]
C(f)(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
""",
    # Indexes above the size make LibTorch write out of bounds; beside it a graph that nothing ends.
    "coo_to_csr": """
C(lambda i: torch._convert_indices_from_coo_to_csr(i, 4))(torch.arange(22) // 6)
C(lambda x: x.sin() + 1)(torch.randn(3))
C(lambda i: torch._convert_indices_from_csr_to_coo(i, torch.arange(6)))(torch.tensor([0, 2, 3, 6]))
""",
    # No gradient needs a tangent.
    "no_tangent": """
C(torch.sgn, dynamic=True)(torch.randn(5, requires_grad=True)).sum().backward()
C(torch.angle, dynamic=True)(torch.randn(5, requires_grad=True)).sum().backward()
""",
}
HEAD = """
import torch
C = lambda f, **options: torch.compile(f, backend="aot_eager", **options)
"""

name, out = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, TORCH_TRACE=folder, TORCHINDUCTOR_FORCE_DISABLE_CACHES="1")
    subprocess.run([sys.executable, "-c", HEAD + PROGRAMS[name]], env=environment, stderr=subprocess.DEVNULL)
    (log,) = glob.glob(os.path.join(folder, "*.log"))
    with open(log) as file:
        text = file.read()
import torch

text = text.replace(os.path.dirname(os.path.dirname(torch.__file__)), "/site-packages").replace(os.getcwd(), "tests/golden")
with lzma.open(out, "wt", preset=9) as file:
    file.write(text)
