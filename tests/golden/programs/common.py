"""What the packs' programs share: where they are kept by name, how each is compiled, called and differentiated.

Import it after TORCH_TRACE is set.
"""

import contextlib
import dataclasses
import functools
import math
import os
import sys
import warnings

import torch
import torch._dynamo
import torch._functorch.aot_autograd
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.checkpoint
from torch._dynamo import mark_dynamic
from torch.utils.checkpoint import checkpoint

warnings.filterwarnings("ignore")
BACKEND = "aot_eager"
P = {}


def prog(f):
    """Decorator: this function is a program of its own."""
    P[f.__name__] = f
    return f


def inductor_graphs(model, inputs):
    """AOTAutograd as Inductor calls it; the graphs that come out are run as they are."""
    from torch._inductor.compile_fx import compile_fx

    return compile_fx(model, inputs, inner_compile=lambda graph, *args, **options: graph)


def warm_inductor():
    """Imports Inductor and its patterns once, not in every child process."""
    import torch._inductor.compile_fx
    import torch._inductor.fx_passes.joint_graph

    torch._inductor.fx_passes.joint_graph.lazy_init()


def warm_imports():
    """Imports once what each compile of a child process would import again: three quarters of its time."""
    import torch._inductor.compile_fx
    import torch.export._trace
    import torch.fx.experimental.validator
    from torch._dynamo.backends import registry

    registry._lazy_import()


def core_graphs(model, inputs):
    """AOTAutograd with core ATen's decompositions."""
    from functorch.compile import make_boxed_func
    from torch._decomp import core_aten_decompositions
    from torch._dynamo.backends.common import aot_autograd

    compiler = lambda graph, inputs: make_boxed_func(graph.forward)
    return aot_autograd(fw_compiler=compiler, decompositions=core_aten_decompositions())(model, inputs)


def choose_backend(name):
    """One of torch's backends, or one of those made here."""
    global BACKEND
    if name == "inductor_graphs":
        warm_inductor()
    BACKEND = {"inductor_graphs": inductor_graphs, "core_graphs": core_graphs}.get(name, name)


def capture_values():
    """Dynamo then traces `item()` and operators whose results' sizes depend on values."""
    torch._dynamo.config.capture_scalar_outputs = True
    torch._dynamo.config.capture_dynamic_output_shape_ops = True


def R(*size, g=True, **options):
    return torch.randn(*size, requires_grad=g, **options)


def C(f, **options):
    options.setdefault("backend", BACKEND)
    return torch.compile(f, **options)


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if dataclasses.is_dataclass(value):
        value = [getattr(value, x.name) for x in dataclasses.fields(value)]
    if isinstance(value, (tuple, list)):
        return [t for x in value for t in tensors(x)]
    return []


def back(result):
    """Backward from every tensor of the result that can be differentiated."""
    wanted = [x for x in tensors(result) if x.requires_grad]
    if wanted:
        sum(x.abs().sum() if x.is_complex() else x.sum() for x in wanted).backward()
    return result


def go(f, *args, **options):
    """Compiles, calls and differentiates."""
    return back(C(f, **options)(*args))


def twice(f, *calls):
    """Two sizes or more, so that the second compile has symbols."""
    c = C(f)
    for args in calls:
        back(c(*args))


def changing(name, f, *calls):
    """A program of this name that calls `f` with the tensors that each of `calls` makes."""
    P[name] = lambda: twice(f, *(call() for call in calls))


def optimizer_steps(model, optimizer, *args, steps=2):
    """Gradients by eager, the optimizer's step compiled: first with state that it makes, then with state it has."""
    step = C(lambda: optimizer.step())
    for _ in range(steps):
        model(*args).square().sum().backward()
        step()
        optimizer.zero_grad()


def attempt(name):
    torch.manual_seed(0)
    try:
        P[name]()
        print("ok", name, flush=True)
    except Exception as e:
        print("FAIL", name, type(e).__name__, " ".join(str(e).split())[:250], flush=True)


def run_in_turn(names):
    """All in this process; Dynamo is reset before each, so that each begins with compile 0/0."""
    for name in names or P:
        torch._dynamo.reset()
        attempt(name)


def run_apart(out, names):
    """Each in a child process, with its log in out/NAME. Without names, those that have a folder are left out."""
    warm_imports()
    for name in names or [name for name in P if not os.path.isdir(os.path.join(out, name))]:
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            if status:
                print("DIED", name, status, flush=True)
            continue
        folder = os.path.join(out, name)
        os.makedirs(folder, exist_ok=True)
        torch._logging._internal.LOG_TRACE_HANDLER.root_dir = folder
        torch.set_num_threads(1)
        attempt(name)
        sys.stdout.flush()
        os._exit(0)
