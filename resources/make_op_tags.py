#!/usr/bin/env python3
"""Writes op_tags.txt: the operator tags that PyTorch's partitioner asks for.

Run with the Python of an environment that has the torch wheel the project is built on:
    python resources/make_op_tags.py > resources/op_tags.txt
"""

import torch
import torch._dynamo  # noqa: F401  registers PyTorch's own Python operators
import torch._inductor.compile_fx  # noqa: F401

lines = set()
for name in torch._C._dispatch_get_all_op_names():
    namespace, rest = name.split("::")
    packet, _, overload = rest.partition(".")
    try:
        tags = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default").tags
    except (AttributeError, RuntimeError):
        continue
    if torch.Tag.pointwise in tags and namespace == "aten":
        lines.add(f"pointwise {namespace}.{packet}")
    if torch.Tag.nondeterministic_seeded in tags:
        lines.add(f"nondeterministic_seeded {namespace}.{packet}.{overload or 'default'}")
print("\n".join(sorted(lines)))
