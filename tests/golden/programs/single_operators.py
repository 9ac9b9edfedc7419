"""Every operator that PyTorch has samples for (`torch.testing`'s op_db, which wants expecttest), each sample a program of
one call: with gradients, in other dtypes, and with sizes that are symbols."""

import itertools
import linecache
import torch.utils._pytree as pytree
from torch.testing._internal.common_methods_invocations import op_db
from common import *


LARGEST = 4096
COUNTER = itertools.count()
# dtype, whether sizes are symbols, how many samples
VARIANTS = [
    (torch.float32, False, 3),
    (torch.float32, True, 2),
    (torch.bfloat16, False, 1),
    (torch.int64, False, 1),
    (torch.complex64, False, 1),
    (torch.bool, False, 1),
]


def written(value, names):
    """The value as text of a program, or the name under which the program finds it."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        inner = ", ".join(written(x, names) for x in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if value is None or type(value) in (bool, int, str) or isinstance(value, (torch.dtype, torch.memory_format)):
        return repr(value)
    kind = "t" if isinstance(value, torch.Tensor) else "c"
    names.append((f"{kind}{len(names)}", value))
    return names[-1][0]


def program(op, sample):
    """A function of the sample's tensors that calls the operator once, and those tensors."""
    names = []
    arguments = [written(x, names) for x in (sample.input, *sample.args)]
    arguments += [f"{key}={written(value, names)}" for key, value in sample.kwargs.items()]
    tensors = [(name, x) for name, x in names if isinstance(x, torch.Tensor)]
    text = f"def f({', '.join(name for name, _ in tensors)}):\n    return op({', '.join(arguments)})\n"
    scope = {"torch": torch, "op": op, **{name: x for name, x in names if not isinstance(x, torch.Tensor)}}
    file = f"/operators/{next(COUNTER)}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    return scope["f"], [x for _, x in tensors]


def shape_of(sample):
    """Samples of one shape are one program: ranks of tensors, and which arguments are given."""
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    return str(spec), str([x.dim() if isinstance(x, torch.Tensor) else type(x) for x in leaves])


def samples(info, dtype, wanted):
    differentiable = info.supports_autograd and dtype in info.supported_backward_dtypes("cpu")
    known = set()
    for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=differentiable), 40):
        leaves = pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
        sizes = [x.numel() for x in leaves if isinstance(x, torch.Tensor)]
        if shape_of(sample) in known or max(sizes, default=0) > LARGEST:
            continue
        known.add(shape_of(sample))
        yield sample
        if len(known) == wanted:
            return


def run(info):
    for dtype, dynamic, wanted in VARIANTS:
        if dtype not in info.supported_dtypes("cpu"):
            continue
        for sample in samples(info, dtype, wanted):
            try:
                f, inputs = program(info.op, sample)
                C(f, dynamic=dynamic)(*inputs)
            except Exception as e:
                print("  ", info.name, dtype, type(e).__name__, str(e).split("\n")[0][:100], flush=True)


for info in op_db:
    name = "_".join(filter(None, ("op", info.name.replace(".", "_"), info.variant_test_name)))
    run_this = lambda info=info: run(info)
    run_this.__name__ = name
    prog(run_this)
