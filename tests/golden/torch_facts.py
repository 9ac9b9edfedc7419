#!/usr/bin/env python3
"""Prints as JSON what the installed torch says of its operators, decompositions and options: python torch_facts.py

torch_diff.py runs it under each of two wheels.
"""

import importlib
import json

import torch
import torch._dynamo
import torch._inductor.decomposition
from torch._decomp import core_aten_decompositions, decomposition_table

KEYS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
KEYS += ("CPU", "Autograd", "AutogradCPU", "AutocastCPU", "Meta", "Functionalize", "ADInplaceOrView", "BackendSelect")
OPTIONS = ("torch._functorch.config", "torch._dynamo.config", "torch.fx.experimental._config")


def schemas():
    return sorted({str(x) for x in torch._C._jit_get_all_schemas()})


def kernels(names):
    """Which keys each operator has a kernel of its own for."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return {name: [key for key in KEYS if has(name, key)] for name in names}


def tags(names):
    found = {}
    for name in names:
        space, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        try:
            operator = getattr(getattr(getattr(torch.ops, space), base), overload or "default")
        except (AttributeError, RuntimeError):
            continue
        found[name] = sorted(str(x).removeprefix("Tag.") for x in operator.tags)
    return found


def python_kernels():
    """Operators whose kernels for tracing are written in Python, by the key."""
    found = {}
    for space in ("aten", "prims"):
        for base in dir(getattr(torch.ops, space)):
            packet = getattr(getattr(torch.ops, space), base)
            for overload in packet.overloads() if hasattr(packet, "overloads") else ():
                keys = sorted(str(key).removeprefix("DispatchKey.") for key in getattr(packet, overload).py_kernels)
                if keys:
                    found[f"{space}::{base}.{overload}"] = keys
    return found


def options(name):
    try:
        module = importlib.import_module(name)
    except ImportError:
        return {}
    plain = lambda value: sorted(value) if isinstance(value, set) else value
    return {key: repr(plain(value)) for key, value in module.get_config_copy().items() if "/" not in repr(value)}


def decompositions():
    tables = {"every": decomposition_table, "core ATen": core_aten_decompositions()}
    tables["Inductor"] = torch._inductor.decomposition.decompositions
    return {name: sorted(str(op) for op in table) for name, table in tables.items()}


def facts():
    names = [x for x in torch._C._dispatch_get_all_op_names() if x.split("::")[0] in ("aten", "prims")]
    known = kernels(names)
    return {
        "torch": torch.__version__,
        "schemas": schemas(),
        "kernels": known,
        "tags": tags(sorted(known)),
        "python_kernels": python_kernels(),
        "options": {name: options(name) for name in OPTIONS},
        "decompositions": decompositions(),
        "higher_order": sorted(str(x) for x in torch._ops._higher_order_ops),
    }


if __name__ == "__main__":
    print(json.dumps(facts(), indent=1))
