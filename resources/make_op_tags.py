#!/usr/bin/env python3
"""Writes op_tags.txt: the operator tags that PyTorch's partitioner asks for.

Run with the Python of an environment that has the torch wheel the project is built on, then once for each newer release
whose rules are known, with what there is so far:
    python resources/make_op_tags.py > resources/op_tags.txt
    newer/python resources/make_op_tags.py resources/op_tags.txt > op_tags.txt && mv op_tags.txt resources

A newer release adds its own random operators, which older graphs do not have, and as `pointwise_later` the operators that
it tags as pointwise in addition (PartitionRules::leakyReluIsPointwise).
"""

import pathlib
import sys

import torch
import torch._dynamo  # noqa: F401  registers PyTorch's own Python operators
import torch._inductor.compile_fx  # noqa: F401

earlier = set(pathlib.Path(sys.argv[1]).read_text().splitlines()) if len(sys.argv) > 1 else set()
pointwise = "pointwise_later" if earlier else "pointwise"
lines = set(earlier)
for name in torch._C._dispatch_get_all_op_names():
    namespace, rest = name.split("::")
    packet, _, overload = rest.partition(".")
    try:
        tags = getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default").tags
    except (AttributeError, RuntimeError):
        continue
    if torch.Tag.pointwise in tags and namespace == "aten" and f"pointwise {namespace}.{packet}" not in earlier:
        lines.add(f"{pointwise} {namespace}.{packet}")
    if torch.Tag.nondeterministic_seeded in tags:
        lines.add(f"nondeterministic_seeded {namespace}.{packet}.{overload or 'default'}")
print("\n".join(sorted(lines)))
