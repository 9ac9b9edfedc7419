#!/usr/bin/env python3
"""Records what PyTorch's wrappers make of outputs that alias inputs or each other, mistakes included.

    python make_wrapper_mistakes.py OUT.log.xz >>wrapper_mistakes/answers.tsv

Compiles the functions of programs/wrapper_mistakes.py with aot_eager, calls each once compiled and once in eager mode on equal
arguments, and compares numbers, and whether an output is an argument. Writes the trace log, and one line per function: the
release of torch, the compile's id, the function, and "equal", "differs" or "fails: MESSAGE".
"""

import glob
import lzma
import os
import sys
import tempfile

FOLDER = tempfile.mkdtemp()
os.environ["TORCH_TRACE"] = FOLDER
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"

import torch
import torch._dynamo

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "programs"))
import wrapper_mistakes

RELEASE = ".".join(torch.__version__.split(".")[:2])


def called(function, made):
    arguments = made()
    results = function(*arguments)
    outputs = list(results) if isinstance(results, tuple) else [results]
    where = [next((i for i, each in enumerate(arguments) if each is output), None) for output in outputs]
    loss = sum((output * output).mean() for output in outputs)
    if loss.requires_grad:
        loss.backward()
    return [value.detach().clone() for value in [*outputs, *arguments]], where


def answer(function, made):
    eager = called(function, made)
    try:
        compiled = called(torch.compile(function, backend="aot_eager"), made)
    except Exception as error:
        return "fails: " + str(error).split("\n")[0]
    same = all(a.shape == b.shape and torch.allclose(a, b) for a, b in zip(eager[0], compiled[0]))
    return "equal" if same and eager[1] == compiled[1] else "differs"


for number, (name, (function, made)) in enumerate(wrapper_mistakes.PROGRAMS.items()):
    print(RELEASE, f"{number}/0", name, answer(function, made), sep="\t")
(log,) = glob.glob(os.path.join(FOLDER, "*.log"))
with open(log) as file:
    text = file.read().replace(HERE, "tests/golden")
text = text.replace(os.path.dirname(os.path.dirname(torch.__file__)), "/site-packages")
with lzma.open(sys.argv[1], "wt", preset=9) as file:
    file.write(text)
