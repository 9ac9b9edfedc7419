"""Records which ATen calls PyTorch's Python functions and bindings make.

usage: record.py OUT.jsonl [SECONDS]
For every sample that PyTorch tests its operators with (torch.testing._internal.common_methods_invocations.op_db), and
for the subscripts below: the call as a Dynamo graph, and what make_fx(pre_dispatch=True) traces of it, both as graphs
encoded like the golden files of the corpus. One JSON line per call.
"""
import json, math, operator, random, sys, time, warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

warnings.filterwarnings("ignore")
PER_VARIANT = 5
# Take pivots or factors that made-up numbers are not: LAPACK would write beyond its arrays.
FACTORIZED = ("ldl_solve", "lu_solve", "lu_unpack", "ormqr", "cholesky_solve", "cholesky_inverse", "householder")
# Dynamo traces into these.
INLINED = ("masked.", "signal.")


class Unsupported(Exception):
    pass


def tensor(t):
    if t.layout != torch.strided or t.is_quantized or type(t) not in (torch.Tensor, torch.nn.Parameter):
        raise Unsupported
    return {"kind": "tensor", "dtype": str(t.dtype)[6:], "shape": list(t.shape), "stride": list(t.stride()),
            "storage_offset": t.storage_offset(), "device": "cpu", "requires_grad": t.requires_grad}


def encode(x):
    if isinstance(x, torch.fx.Node):
        return {"node": x.name}
    if isinstance(x, bool) or x is None or isinstance(x, (str, int)):
        return x
    if isinstance(x, float):
        return x if math.isfinite(x) else {"float": str(x)}
    if isinstance(x, complex):
        return {"complex": [x.real, x.imag]}
    if isinstance(x, torch.Size):
        return {"tuple": [encode(i) for i in x]}
    if isinstance(x, tuple):
        return {"tuple": [encode(i) for i in x]}
    if isinstance(x, list):
        return [encode(i) for i in x]
    if isinstance(x, slice):
        return {"slice": [encode(i) for i in (x.start, x.stop, x.step)]}
    if x is Ellipsis:
        return {"ellipsis": True}
    for kind in ("dtype", "layout", "memory_format"):
        if isinstance(x, getattr(torch, kind)):
            return {kind: str(x)[6:]}
    if isinstance(x, torch.device):
        return {"device": str(x)}
    raise Unsupported


def graph(nodes):
    return {"num_nodes": len(nodes), "nodes": nodes}


def traced(module):
    nodes = []
    for node in module.graph.nodes:
        target = node.target
        if node.op == "call_function":
            if isinstance(target, torch._ops.OpOverload):
                target = str(target)
            elif target is operator.getitem:
                target = "_operator.getitem"
            else:
                raise Unsupported
        entry = {"name": node.name, "op": node.op, "target": str(target), "args": encode(list(node.args)),
                 "kwargs": {name: encode(value) for name, value in node.kwargs.items()}}
        if node.op == "get_attr":
            entry["val"] = tensor(getattr(module, node.target))
        if node.op == "placeholder":
            entry["val"] = None
        nodes.append(entry)
    return nodes


def record(op, target, function, args, kwargs):
    leaves, spec = pytree.tree_flatten((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    metas = [tensor(t) for t in tensors]

    def run(*inputs):
        given = iter(inputs)
        a, k = pytree.tree_unflatten([next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], spec)
        return function(*a, **k)

    clones = [t.detach().clone() if t.numel() else t.detach() for t in tensors]
    clones = [torch.empty_strided(t.shape, t.stride(), dtype=t.dtype).copy_(t) for t in tensors]
    module = make_fx(run, pre_dispatch=True, tracing_mode="real")(*clones)
    theirs = traced(module)
    for meta, node in zip(metas, [node for node in theirs if node["op"] == "placeholder"]):
        node["val"] = meta
    names = iter(range(len(tensors)))
    placeholder = torch.fx.Graph()

    def symbol(leaf):
        if isinstance(leaf, torch.Tensor):
            return placeholder.placeholder(f"x{next(names)}")
        return leaf

    call_args, call_kwargs = pytree.tree_unflatten([symbol(leaf) for leaf in leaves], spec)
    nodes = [{"name": f"x{i}", "op": "placeholder", "target": f"x{i}", "args": [], "kwargs": {}, "val": meta}
             for i, meta in enumerate(metas)]
    nodes.append({"name": "call", "op": op, "target": target, "args": encode(list(call_args)),
                  "kwargs": {name: encode(value) for name, value in call_kwargs.items()}})
    nodes.append({"name": "output", "op": "output", "target": "output", "args": [{"tuple": [{"node": "call"}]}], "kwargs": {}})
    return {"target": target, "dynamo": graph(nodes), "predispatch": graph(theirs)}


def function_name(function):
    try:
        name = torch.fx.node._get_qualified_name(function)
    except Exception:
        return None
    return name if name.startswith("torch.") and "lambda" not in name and "opinfo" not in name and "testing" not in name else None


def variants(info):
    name = function_name(info.op)
    if name:
        yield "call_function", name, info.op
    for variant in (info.method_variant, info.inplace_variant):
        if variant is not None and hasattr(torch.Tensor, getattr(variant, "__name__", "")):
            method = variant.__name__
            yield "call_method", method, (lambda m: lambda self, *a, **k: getattr(self, m)(*a, **k))(method)
    for variant in (info.operator_variant, info.inplace_operator_variant):
        if variant is not None and getattr(variant, "__module__", "") == "_operator":
            yield "call_function", "_operator." + variant.__name__, variant


def subscripts():
    x = torch.randn(4, 5, 6)
    rows, mask = torch.tensor([0, 2, 1]), torch.rand(4) > 0.5
    plane = torch.rand(4, 5) > 0.5
    indices = [0, -1, slice(None), slice(1, 3), slice(None, None, 2), slice(-3, None), None, ..., True, False,
               (0, 1), (slice(None), 0), (..., 0), (0, ..., slice(1, 4)), (None, 0, None), (slice(None), None, slice(2, 5, 2)),
               rows, mask, plane, (rows, rows), (slice(None), rows), (rows, slice(None), rows), (0, rows), (rows, 0),
               (..., rows), (None, rows), (rows, None), (mask, 1), (slice(None), slice(None), 3), [0, 2], [True, False, True, False],
               ([0, 1], [1, 2]), (slice(None), [0, 2]), (0, 0, 0), (True, 0), (0, True), (rows, ..., 0), (slice(0, 4), slice(0, 5)),
               torch.tensor(1), (torch.tensor(1), slice(None)), (slice(1, None), rows, None), [slice(None), 0], (slice(None, -1), slice(-2, None))]
    for index in indices:
        yield "_operator.getitem", operator.getitem, (x, index), {}
    small = torch.tensor(2.0)
    for index in indices:
        try:
            shape = x[index].shape
        except Exception:
            continue
        for value in (1, 2.5, True, small, torch.randn(shape), torch.randn((1, *shape)), torch.randn(shape[-1:])):
            yield "_operator.setitem", operator.setitem, (x, index, value), {}


def arithmetic():
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    i, b = torch.arange(12).reshape(3, 4), torch.rand(3, 4) > 0.5
    names = ("add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift eq ne lt le gt ge "
             "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift").split()
    for name in names:
        for left in (x, i, b, 2, 2.5, True):
            for right in (y, i, b, 3, 0.5, False):
                yield "_operator." + name, getattr(operator, name), (left, right), {}
    for name in ("neg", "pos", "invert", "abs"):
        for value in (x, i, b):
            yield "_operator." + name, getattr(operator, name), (value,), {}


def conversions():
    x, i = torch.randn(2, 3), torch.arange(6)
    calls = [("to", (torch.float64,), {}), ("to", ("cpu",), {}), ("to", (torch.device("cpu"), torch.float16), {}), ("to", (i,), {}),
             ("to", (), {"dtype": torch.int64}), ("to", (), {"device": "cpu"}), ("to", (torch.float32, False, True), {}),
             ("to", (), {"dtype": torch.float64, "copy": True}), ("to", (), {"memory_format": torch.contiguous_format}),
             ("type", (torch.int32,), {}), ("type", ("torch.DoubleTensor",), {}), ("type_as", (i,), {}), ("cpu", (), {}),
             ("new_zeros", (2, 3), {}), ("new_zeros", ((2, 3),), {"dtype": torch.int64}), ("new_ones", ([4],), {}), ("new_full", ((2,), 3), {}),
             ("new_empty", (2, 2), {}), ("new_tensor", ([1, 2],), {}), ("view", (3, 2), {}), ("view", ((3, 2),), {}), ("view", (torch.int32,), {}),
             ("view", (-1,), {}), ("expand", (4, 2, 3), {}), ("permute", (1, 0), {}), ("permute", ((1, 0),), {}), ("permute", (), {"dims": (1, 0)}), ("repeat", (2, 1), {}),
             ("split", (1,), {}), ("split", ([1, 1], 0), {}), ("split", (2,), {"dim": 1}), ("chunk", (2,), {}), ("size", (), {}), ("size", (0,), {}), ("dim", (), {}),
             ("transpose", (0, 1), {}), ("sum", (0,), {}), ("sum", ((0, 1),), {}), ("sum", (), {"dim": -1, "keepdim": True}), ("sum", (), {"axis": 1}),
             ("mean", (0,), {"keepdims": True}), ("max", (), {}), ("max", (1,), {}), ("max", (x,), {}), ("std", (), {}), ("std", (0,), {"unbiased": False}), ("var", (1,), {"correction": 0}),
             ("norm", (), {}), ("norm", (2,), {"dim": 1}), ("norm", (), {"p": 1, "dim": (0, 1)}), ("clamp", (), {"min": 0}), ("clamp", (0, 1.5), {}), ("clamp", (x, x), {}),
             ("add", (x,), {"alpha": 2}), ("add_", (3,), {}), ("mul", (2,), {}), ("div", (2,), {"rounding_mode": "floor"}), ("pow", (2,), {}), ("pow", (x,), {}), ("masked_fill", (x > 0, 0.0), {}),
             ("masked_fill", (x > 0, float("-inf")), {}), ("where", (x > 0, x), {}), ("index_select", (0, torch.tensor([0, 1])), {}), ("fill_", (1,), {}), ("fill_", (torch.tensor(2.0),), {}), ("copy_", (x,), {}),
             ("zero_", (), {}), ("squeeze", (), {}), ("squeeze", (0,), {}), ("squeeze", ((0, 1),), {}), ("unsqueeze", (1,), {}), ("flatten", (), {}), ("flatten", (0, 1), {}), ("unflatten", (1, (3, 1)), {}),
             ("reshape", (3, 2), {}), ("reshape", (-1,), {}), ("contiguous", (), {}), ("t", (), {}), ("softmax", (-1,), {}), ("softmax", (), {"dim": 1, "dtype": torch.float64}), ("float", (), {}),
             ("half", (), {}), ("bool", (), {}), ("long", (), {}), ("sort", (), {}), ("sort", (), {"dim": 0, "descending": True}), ("sort", (), {"stable": True}), ("argsort", (1,), {}), ("topk", (2,), {}),
             ("cumsum", (0,), {}), ("flip", (0, 1), {}), ("flip", ((0,),), {}), ("roll", (1,), {}), ("roll", ((1, 2), (0, 1)), {}), ("tile", (2, 2), {}), ("movedim", (0, 1), {}), ("diff", (), {}), ("any", (), {}),
             ("all", (1,), {}), ("unbind", (), {}), ("unbind", (1,), {}), ("gather", (1, torch.zeros(2, 1, dtype=torch.int64)), {}), ("scatter", (1, torch.zeros(2, 1, dtype=torch.int64), 1.5), {}),
             ("scatter_", (1, torch.zeros(2, 1, dtype=torch.int64), x), {}), ("scatter_add_", (1, torch.zeros(2, 3, dtype=torch.int64), x), {}), ("scatter_reduce_", (0, torch.zeros(2, 3, dtype=torch.int64), x, "amax"), {}),
             ("nonzero", (), {}), ("nonzero", (), {"as_tuple": True}), ("bernoulli_", (0.5,), {}), ("bernoulli_", (x.abs().clamp(max=1),), {}), ("uniform_", (), {}), ("uniform_", (-1, 1), {}), ("normal_", (0, 0.02), {}), ("random_", (5,), {}),
             ("expand_as", (torch.zeros(4, 2, 3),), {}), ("view_as", (torch.zeros(3, 2),), {}), ("repeat_interleave", (2,), {}), ("repeat_interleave", (2,), {"dim": 1}), ("__rsub__", (1,), {}), ("__rtruediv__", (2,), {}),
             ("__rpow__", (2,), {}), ("__eq__", (1,), {}), ("__and__", (True,), {}), ("detach", (), {}), ("clone", (), {}), ("clone", (), {"memory_format": torch.contiguous_format}), ("requires_grad_", (False,), {}), ("swapaxes", (0, 1), {}),
             ("unique", (), {}), ("unique", (), {"return_inverse": True, "return_counts": True}), ("addmm", (torch.randn(2, 2), torch.randn(2, 3)), {}), ("addmm", (0.5, 2, torch.randn(2, 2), torch.randn(2, 3)), {}), ("lerp", (x, 0.5), {}), ("addcmul_", (x, x), {"value": 0.1})]
    for method, args, kwargs in calls:
        yield "method:" + method, (lambda m: lambda self, *a, **k: getattr(self, m)(*a, **k))(method), (x, *args), kwargs


def creations():
    x = torch.randn(2, 3)
    calls = [("zeros", (2, 3), {}), ("zeros", ((2, 3),), {"dtype": torch.int64}), ("zeros", ([2],), {"device": "cpu"}), ("ones", (3,), {"dtype": torch.bool}), ("full", ((2, 2), 1.5), {}), ("full", ((2,), True), {}), ("empty", (2, 3), {}),
             ("arange", (5,), {}), ("arange", (1, 5), {}), ("arange", (0, 10, 2), {"dtype": torch.float32}), ("arange", (0, 1, 0.25), {}), ("arange", (), {"end": 4}), ("arange", (), {"start": 1, "end": 4, "device": "cpu"}), ("linspace", (0, 1, 5), {}), ("eye", (3,), {}),
             ("rand", (2, 2), {}), ("randn", ((2, 2),), {}), ("randint", (5, (2,)), {}), ("randint", (1, 5, (2, 2)), {}), ("randperm", (4,), {}), ("tril", (x,), {}), ("triu_indices", (3, 3), {}), ("zeros_like", (x,), {}), ("ones_like", (x,), {"dtype": torch.int32}),
             ("full_like", (x, 2), {}), ("empty_like", (x,), {}), ("rand_like", (x,), {}), ("randn_like", (x,), {}), ("tensor", (1.0,), {}), ("tensor", ([1, 2],), {}), ("tensor", ([[1.5, 2], [3, 4]],), {"dtype": torch.float64}), ("as_tensor", ([1, 2],), {}), ("as_tensor", (x,), {}), ("scalar_tensor", (2.0,), {}),
             ("where", (x > 0, x, 0.0), {}), ("where", (x > 0, 1, 0), {}), ("where", (x > 0,), {}), ("cat", ([x, x],), {}), ("cat", ((x, x), 1), {}), ("cat", ([x, x],), {"axis": 0}), ("stack", ([x, x],), {"dim": -1}), ("einsum", ("ij,kj->ik", x, x), {}), ("einsum", ("ij,kj,lj->ikl", [x, x, x]), {}), ("meshgrid", (x[0], x[1]), {"indexing": "ij"}),
             ("meshgrid", ([x[0], x[1]],), {}), ("split", (x, 1), {}), ("split", (x, [1, 2], 1), {}), ("norm", (x,), {}), ("norm", (x, 1, 0), {}), ("tensordot", (x, x), {"dims": ([1], [1])}), ("broadcast_tensors", (x, x[0]), {}), ("atleast_2d", (x[0],), {}), ("cdist", (x, x), {}), ("block_diag", (x, x), {}), ("cartesian_prod", (x[0], x[0]), {}), ("unique", (x,), {}), ("flatten", (x,), {}), ("max", (x,), {}), ("max", (x, 1), {}),
             ("maximum", (x, x), {}), ("logsumexp", (x, 1), {}), ("logsumexp", (x, (0, 1)), {}), ("add", (x, 2), {}), ("add", (x, 2, x), {}), ("mul", (2.0, x), {}), ("sub", (1, x), {}), ("rsub", (x, 1), {}), ("pow", (2, x), {}), ("pow", (x, 3), {}), ("div", (x, 2), {"rounding_mode": "trunc"}), ("true_divide", (x, 2), {}), ("floor_divide", (x, 2), {}), ("addmm", (torch.randn(2), x, torch.randn(3, 2)), {}), ("baddbmm", (torch.randn(1, 2, 2), torch.randn(1, 2, 3), torch.randn(1, 3, 2)), {"beta": 0.5}),
             ("clamp", (x, 0, 1), {}), ("clamp", (x,), {"max": x}), ("bernoulli", (x.abs().clamp(max=1),), {}), ("bernoulli", (x, 0.5), {}), ("normal", (0.0, 1.0, (2, 2)), {}), ("normal", (x, 1.0), {}), ("multinomial", (x.abs(), 2), {}), ("dropout", (x, 0.5, True), {}), ("_foreach_add", ([x, x], 1), {}), ("_foreach_add", ([x, x], [x, x]), {"alpha": 2}), ("_foreach_mul_", ([x, x], 0.9), {}), ("_foreach_sqrt", ([x, x],), {}), ("_foreach_pow", (2.0, [x, x]), {}),
             ("std_mean", (x, 1), {}), ("var", (x,), {"dim": 0, "correction": 1}), ("histc", (x,), {"bins": 4, "min": 0, "max": 1}), ("bucketize", (x, torch.tensor([0.0, 1.0])), {}), ("isclose", (x, x), {}), ("allclose", (x, x), {}), ("is_floating_point", (x,), {}), ("numel", (x,), {}), ("nonzero", (x,), {"as_tuple": True}), ("index_put", (x, [torch.tensor([0])], torch.tensor(1.0)), {}), ("stft", (torch.randn(400), 64), {"return_complex": True, "window": torch.ones(64)}), ("argmax", (x,), {}), ("argmax", (x, -1, True), {})]
    for name, args, kwargs in calls:
        function = getattr(torch, name)
        yield torch.fx.node._get_qualified_name(function) if name not in ("tensor",) else "torch.tensor", function, args, kwargs


def main():
    limit = time.time() + float(sys.argv[2]) if len(sys.argv) > 2 else None
    seen, refused = set(), {}
    with open(sys.argv[1], "w") as out:
        def write(op, target, function, args, kwargs):
            try:
                line = json.dumps(record(op, target, function, args, kwargs), separators=(",", ":"))
            except Exception as error:
                refused[target] = f"{type(error).__name__}: {error}"[:200]
                return False
            if line not in seen and len(line) < 20000:
                seen.add(line)
                out.write(line + "\n")
            return True

        for calls in (subscripts, arithmetic, conversions, creations):
            for target, function, args, kwargs in calls():
                if target.startswith("method:"):
                    write("call_method", target[7:], function, args, kwargs)
                else:
                    write("call_function", target, function, args, kwargs)
        for info in op_db:
            if any(word in info.name for word in FACTORIZED) or info.name.startswith(INLINED):
                continue
            if limit and time.time() > limit:
                break
            dtype = torch.float32 if torch.float32 in info.dtypes else next(iter(sorted(info.dtypes, key=str)), None)
            if dtype is None:
                continue
            for op, target, function in variants(info):
                torch.manual_seed(0)
                random.seed(0)
                try:
                    count = 0
                    for sample in info.sample_inputs("cpu", dtype, requires_grad=False):
                        count += write(op, target, function, (sample.input, *sample.args), sample.kwargs)
                        if count >= PER_VARIANT:
                            break
                except Exception as error:
                    refused[target] = f"samples: {error}"[:200]
    print(len(seen), "calls of", len({json.loads(line)["target"] for line in seen}), "functions;", len(refused), "refused")
    for target, why in sorted(refused.items()):
        print(" ", target, why.splitlines()[0])


main()
