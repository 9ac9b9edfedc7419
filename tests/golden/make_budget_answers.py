#!/usr/bin/env python3
"""Writes budget_answers.json: what torch's own min-cut partitioner saves at activation-memory budgets below 1.

    python tests/golden/make_budget_answers.py ../shared/corpus/golden > tests/golden/budget_answers.json

Run with the Python of an environment that has torch 2.11.0 and scipy. Each golden joint graph is rebuilt as an FX
graph, its values made by running it on fake tensors, and partitioned. Left out, and listed under "skipped":
graphs with symbolic sizes, subgraphs, or operators that are not in the wheel.
"""

import json
import lzma
import operator
import pathlib
import sys

import torch
import torch._inductor.config
import torch.fx
from torch._functorch import config, partitioners
from torch._guards import TracingContext, tracing
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils.checkpoint import CheckpointPolicy

BUDGETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
SOLVERS = ["dp", "greedy", "ilp", "dp_knapsack_sliding_hirschberg", "dynamic_memory_budget_dp"]
# The other solvers are asked on graphs small enough that their answers are worth their length.
MOST_NODES_ALL_SOLVERS = 300
MOST_NODES = 3000


class Unsupported(Exception):
    pass


def target_of(name):
    if name == "_operator.getitem":
        return operator.getitem
    namespace, packet, overload = name.split(".")
    if namespace not in ("aten", "prims"):
        raise Unsupported(name)
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def argument(value, nodes):
    if isinstance(value, list):
        return [argument(item, nodes) for item in value]
    if not isinstance(value, dict):
        return value
    (kind, inner), *rest = value.items()
    if kind == "node":
        return nodes[inner]
    if kind == "tuple":
        return tuple(argument(item, nodes) for item in inner)
    if kind == "dtype":
        return getattr(torch, inner.removeprefix("torch."))
    if kind == "device":
        return torch.device(inner)
    if kind in ("layout", "memory_format"):
        return getattr(torch, inner.removeprefix("torch."))
    if kind == "float":
        return float(inner)
    raise Unsupported(f"argument {kind}")


def fake_of(val, mode):
    if val is None or val["kind"] != "tensor" or any(not isinstance(d, int) for d in val["shape"] + val["stride"]):
        raise Unsupported("symbolic input")
    with mode:
        return torch.empty_strided(val["shape"], val["stride"], dtype=getattr(torch, val["dtype"]), device=val["device"])


def build(graph_json, mode):
    graph = torch.fx.Graph()
    nodes = {}
    for n in graph_json["nodes"]:
        if n["op"] == "get_attr":
            raise Unsupported("get_attr")
        if n["op"] == "output":
            node = graph.output(argument(n["args"], nodes)[0])
        elif n["op"] == "placeholder":
            node = graph.placeholder(n["name"])
        else:
            args = tuple(argument(a, nodes) for a in n["args"])
            kwargs = {k: argument(v, nodes) for k, v in n["kwargs"].items()}
            node = graph.create_node("call_function", target_of(n["target"]), args, kwargs, n["name"])
        if node.name != n["name"]:
            raise Unsupported(f"name {n['name']}")
        nodes[n["name"]] = node
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    inputs = [fake_of(n["val"], mode) for n in graph_json["nodes"] if n["op"] == "placeholder"]
    FakeTensorProp(module, mode).propagate_dont_convert_inputs(*inputs)
    for n in graph_json["nodes"]:
        meta = nodes[n["name"]].meta
        for key in ("partitioner_tag", "ac_graph_id", "saved_tensor_with_no_vc_check"):
            if n.get(key) is not None:
                meta[key] = n[key]
        if n.get("recompute"):
            meta["recompute"] = getattr(CheckpointPolicy, n["recompute"].split(".")[1])
        if n["op"] == "output":
            meta["desc"] = n["desc"]
            meta.pop("val", None)
    return module


def saved(graph_json, golden, budget, solver):
    mode = FakeTensorMode()
    module = build(graph_json, mode)
    with tracing(TracingContext(mode)), config.patch(activation_memory_budget=budget, activation_memory_budget_solver=solver):
        forward, _ = partitioners.min_cut_rematerialization_partition(
            module,
            [],
            num_fwd_outputs=golden["num_fwd_outputs"],
            static_lifetime_input_indices=golden["static_lifetime_input_indices"],
        )
    outputs = next(iter(forward.graph.find_nodes(op="output"))).args[0]
    return [node.name for node in outputs[golden["num_fwd_outputs"] :]]


def answers_of(unit):
    golden = unit["partitions"]["min_cut"]
    joint = golden.get("joint_differs", unit["joint"])
    recorded = golden.get("pre_hooks", golden)["fw"]["nodes"][-1]["args"][0]
    recorded = recorded["tuple"] if isinstance(recorded, dict) else recorded
    recorded = [v["node"] for v in recorded[golden["num_fwd_outputs"] :]]
    if saved(joint, golden, 1.0, "dp") != recorded:
        raise Unsupported("budget 1 does not give the recorded answer")
    many = joint["num_nodes"] <= MOST_NODES_ALL_SOLVERS
    return {
        solver: {str(budget): saved(joint, golden, budget, solver) for budget in BUDGETS}
        for solver in (SOLVERS if many else SOLVERS[:1])
    }


def main():
    result = {"torch": torch.__version__, "estimator": "flops", "programs": {}, "skipped": {}}
    only = sys.argv[2:]
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json*")):
        if only and not any(part in path.name for part in only):
            continue
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as file:
            golden = json.load(file)
        for index, unit in enumerate(golden["units"]):
            where = f"{path.name} units/{index}"
            if "joint" not in unit:
                continue
            try:
                if unit["joint"]["num_nodes"] > MOST_NODES:
                    raise Unsupported("too large")
                result["programs"][where] = answers_of(unit)
            except Exception as error:  # noqa: BLE001
                result["skipped"][where] = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            print(where, result["skipped"].get(where, "done"), file=sys.stderr, flush=True)
    print(json.dumps(result, indent=0, sort_keys=True).replace("\n", ""))


if __name__ == "__main__":
    main()
