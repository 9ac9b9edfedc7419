#!/usr/bin/env python3
"""Records which programs' compiled calls differ from their eager calls in PyTorch itself: aliasing, versions, gradients.

    python make_call_differences.py PACK=NAME,NAME… … >call_differences.tsv

PACK is a row of make_packs.PACKS. Each graph that Dynamo makes of the named programs is called twice on equal arguments at its
first call, as it is and compiled by AOTAutograd, with the backward of the sum of mean squares: as aot_eager does, or with
Inductor's decompositions for a pack, or a program, that was compiled as for Inductor. One line per value that differs: the release of torch, the
pack, the program, the number of its graph, the value, and what it is on both sides. Numbers differ when they are more than 1e-5
of the tensor's largest magnitude apart.
"""

import importlib
import os
import sys

import torch
import torch._dynamo
from functorch.compile import min_cut_rematerialization_partition
from torch._functorch.aot_autograd import aot_module_simplified

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"))
import common
from make_packs import PACKS

SEED = 100
RELEASE = ".".join(torch.__version__.split(".")[:2])


def copied(arguments):
    """Equal arguments that share memory and are leaves as the given ones."""
    storages, made, seen = {}, [], {}
    for value in arguments:
        if not isinstance(value, torch.Tensor):
            made.append(value)
            continue
        if id(value) in seen:
            made.append(seen[id(value)])
            continue
        key = value.untyped_storage()._cdata
        if key not in storages:
            whole = torch.empty(0, dtype=torch.uint8)
            whole.set_(value.detach().untyped_storage().clone())
            storages[key] = whole.untyped_storage()
        with torch.no_grad():
            copy = torch.empty(0, dtype=value.dtype).set_(storages[key], value.storage_offset(), value.size(), value.stride())
        copy.requires_grad_(value.requires_grad)
        if value.requires_grad and not value.is_leaf:
            copy = copy.view_as(copy) if value._is_view() else torch.mul(copy, 1)
        seen[id(value)] = copy
        made.append(copy)
    return made


def place(tensor, arguments, outputs):
    for kind, others in (("argument", arguments), ("output", outputs)):
        for i, other in enumerate(others):
            if other is tensor:
                return f"is {kind} {i}"
    text = "none"
    for kind, others in (("argument", arguments), ("output", outputs)):
        for i, other in enumerate(others):
            if isinstance(other, torch.Tensor) and other.untyped_storage()._cdata == tensor.untyped_storage()._cdata:
                text = f"shares memory with {kind} {i}"
                if tensor._is_view():
                    base = tensor._base
                    text += ", a view of it" if base is other else ", a view of its base" if base is other._base else ", a view"
                return text
    return text


def apart(one, other):
    """Whether two tensors differ by more than rounding."""
    if one.shape != other.shape or not one.numel():
        return False
    wide = torch.complex128 if one.is_complex() else torch.float64
    one, other = one.detach().to(wide), other.detach().to(wide)
    difference = torch.nan_to_num(one - other).abs().max()
    return bool(difference > 1e-5 * torch.nan_to_num(one).abs().max())


def described(call, arguments):
    before = [x._version if isinstance(x, torch.Tensor) else None for x in arguments]
    leaves = [x for x in arguments if isinstance(x, torch.Tensor) and x.requires_grad]
    for leaf in leaves:
        if not leaf.is_leaf:
            leaf.retain_grad()
    given = list(arguments)
    torch.manual_seed(SEED)
    outputs = list(call(*arguments))
    told, tensors = {}, {}
    for i, x in enumerate(outputs):
        if isinstance(x, torch.Tensor):
            facts = f"{place(x, given, outputs[:i])}; requires_grad {x.requires_grad}; grad_fn {x.grad_fn is not None}"
            tensors[f"output {i}"] = x
            told[f"output {i}"] = facts + f"; sizes {list(x.shape)}; strides {list(x.stride())}"
    roots = [x for x in outputs if isinstance(x, torch.Tensor) and x.requires_grad and x.numel()]
    if roots:
        try:
            sum((x.abs() if x.is_complex() else x).float().square().mean() for x in roots).backward()
        except RuntimeError as error:
            told["backward"] = "fails: " + str(error).split("\n")[0][:120]
    for i, x in enumerate(given):
        if isinstance(x, torch.Tensor):
            told[f"argument {i}"] = f"written to {x._version != before[i]}; requires_grad {x.requires_grad}"
            grad = x.grad if x.is_leaf or x.retains_grad else None
            told[f"gradient {i}"] = "none" if grad is None else f"strides {list(grad.stride())}"
            tensors[f"argument {i}"] = x
            if grad is not None:
                tensors[f"gradient {i}"] = grad
    return told, tensors


def decompositions_of(backend):
    """The table that such a compile decomposes with; None as aot_eager."""
    if backend == "aot_eager":
        return None
    import torch._inductor.compile_fx
    from torch._inductor.decomposition import select_decomp_table

    return select_decomp_table()


class Comparison:
    def __init__(self, pack, program, decompositions):
        self.pack, self.program, self.decompositions, self.graphs = pack, program, decompositions, 0

    def __call__(self, module, examples):
        number = self.graphs
        self.graphs += 1
        called = []
        try:
            # While Dynamo's context is there, as the backend is called.
            compiled = aot_module_simplified(
                module,
                examples,
                lambda graph, _: graph,
                decompositions=self.decompositions,
                partition_fn=min_cut_rematerialization_partition,
                keep_inference_input_mutations=True,
            )
        except torch._dynamo.exc.RestartAnalysis:
            # Dynamo traces the program again, with numbers in place of symbols.
            self.graphs = number
            raise
        except Exception as error:
            self.tell(number, "compile", f"fails: {type(error).__name__}: " + str(error).split("\n")[0][:120], None)
            return module

        def run(*arguments):
            if not called:
                called.append(True)
                self.compare(number, module, compiled, arguments)
            return module(*arguments)

        return run

    def compare(self, number, module, compiled, arguments):
        sides = []
        for call in (module, compiled):
            try:
                sides.append(described(call, copied(arguments)))
            except Exception as error:
                sides.append(({"call": f"fails: {type(error).__name__}: " + str(error).split("\n")[0][:120]}, {}))
        (eager, eager_tensors), (ours, our_tensors) = sides
        for name, tensor in eager_tensors.items():
            if name in our_tensors and apart(tensor, our_tensors[name]):
                self.tell(number, name, "other numbers", "numbers")
            if name in our_tensors and tensor.dtype != our_tensors[name].dtype:
                self.tell(number, name, our_tensors[name].dtype, tensor.dtype)
        for name in list(eager) + [x for x in ours if x not in eager]:
            if eager.get(name) != ours.get(name):
                self.tell(number, name, ours.get(name), eager.get(name))

    def tell(self, number, name, compiled, eager):
        print(RELEASE, self.pack, self.program, number, name, compiled, eager, sep="\t", flush=True)


def compare_in_child(pack, name, decompositions):
    torch.set_num_threads(1)
    importlib.import_module(PACKS[pack].programs)
    if PACKS[pack].captures_values:
        common.capture_values()
    common.BACKEND = Comparison(pack, name, decompositions)
    compiled_as_asked = common.C

    def compiled(f, **options):
        if options.get("backend") == "aot_eager_decomp_partition":
            options["backend"] = Comparison(pack, name, decompositions_of(options["backend"]))
        return compiled_as_asked(f, **options)

    common.C = compiled
    torch.manual_seed(0)
    try:
        common.P[name]()
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0][:200], file=sys.stderr, flush=True)


def main():
    print("torch", "pack", "program", "graph", "value", "compiled", "eager", sep="\t", flush=True)
    for asked in sys.argv[1:]:
        pack, names = asked.split("=")
        decompositions = decompositions_of(PACKS[pack].backend)
        for name in names.split(","):
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                continue
            compare_in_child(pack, name, decompositions)
            os._exit(0)


if __name__ == "__main__":
    main()
