#!/usr/bin/env python3
"""Records programs in the format of the corpus's golden files (its README tells it).

    python make_recorded_calls.py OUT [--core] [--programs MODULE] [--packed] [NAME…]

MODULE is one of programs/: aotautograd_features unless given, recorded with torch 2.11.0; goldens-2.15 are
shared_programs, and saved_tensors_hooks the module of that name, recorded with torch 2.15.0.

Each program is compiled twice, by the default and by the min-cut partitioner; the graphs that AOTAutograd makes, and
what goes in and out of the compiled ones at their first call, are written down. --core decomposes to core ATen; --packed
compresses the file and leaves out tensors that are large in sum.

What AOTAutograd is asked (`dynamo`, `example_inputs`, `grad_mode`, `inference_mode`, `aot_config`, `features`) is
written down before it starts; nothing of it is read off what it answers.
"""

import argparse
import functools
import importlib
import inspect
import json
import lzma
import math
import os
import struct
import sys

import torch
import torch._dynamo
from functorch.compile import default_partition, min_cut_rematerialization_partition
from torch._functorch._aot_autograd.descriptors import ParamAOTInput, PlainAOTInput
from torch._functorch._aot_autograd.frontend_utils import _try_get_metadata_from_dynamo
from torch._functorch.aot_autograd import aot_module_simplified
from torch._guards import TracingContext
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"))
import common
import recorded_metadata

DTYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.bool: "BOOL"}
DTYPES |= {torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8"}
DTYPES |= {torch.complex64: "C64", torch.complex128: "C128", torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2"}
MOST_TENSOR_BYTES, MOST_BYTES_PACKED = 700_000, 160_000
CALL_SEED = 100
HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
PACKAGES = os.path.dirname(os.path.dirname(torch.__file__)) + os.sep


def plain(name):
    return str(name).removeprefix("torch.")


# ---- graphs ----------------------------------------------------------------------------------------------------------


def hint(number):
    node = number.node
    return {"hint": node.hint} if node.hint is not None else {}


def size(number):
    if isinstance(number, torch.SymInt) and number.node.is_nested_int():
        return {"symint": str(number), "hint": None}
    return {"symint": str(number.node.expr), **hint(number)} if isinstance(number, torch.SymInt) else int(number)


def tensor(value):
    return {
        "kind": "tensor",
        "dtype": plain(value.dtype),
        "shape": [size(x) for x in value.shape],
        "stride": [size(x) for x in value.stride()],
        "storage_offset": size(value.storage_offset()),
        "device": str(value.device),
        "requires_grad": value.requires_grad,
    }


def meta(value):
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        row = tensor(value)
        if isinstance(value, torch.nn.Parameter):
            row["parameter"] = True
        if is_traceable_wrapper_subclass(value):
            row["subclass"] = type(value).__name__
            row["inner"] = {name: meta(getattr(value, name)) for name in value.__tensor_flatten__()[0]}
        return row
    for kind, type_ in (("symint", torch.SymInt), ("symfloat", torch.SymFloat), ("symbool", torch.SymBool)):
        if isinstance(value, type_):
            return {"kind": kind, "expr": str(value.node.expr), **hint(value)}
    if isinstance(value, (tuple, list)):
        return {"kind": "tuple", "elements": [meta(x) for x in value]}
    return {"kind": "other", "repr": repr(value)[:80]}


def argument(value):
    if isinstance(value, torch.fx.Node):
        return {"node": value.name}
    if isinstance(value, slice):
        return {"slice": [argument(value.start), argument(value.stop), argument(value.step)]}
    if isinstance(value, tuple):
        return {"tuple": [argument(x) for x in value]}
    if isinstance(value, list):
        return [argument(x) for x in value]
    if isinstance(value, dict):
        return {"dict": {str(k): argument(v) for k, v in value.items()}}
    if value is Ellipsis:
        return {"ellipsis": True}
    for kind, type_ in (("dtype", torch.dtype), ("layout", torch.layout), ("memory_format", torch.memory_format)):
        if isinstance(value, type_):
            return {kind: plain(value)}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    if isinstance(value, torch.SymInt):
        return {"symint": str(value.node.expr), **hint(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, torch._ops.OpOverload):
        return {"op": str(value)}
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)


def target(node):
    called = node.target
    if isinstance(called, str):
        return called
    if isinstance(called, torch._ops.HigherOrderOperator):
        return "higher_order." + called.name()
    if isinstance(called, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return str(called)
    return "getattr" if called is getattr else torch.fx.node._get_qualified_name(called)


def described(desc):
    return [repr(x) for x in desc] if isinstance(desc, (tuple, list)) else repr(desc)


def encode_node(node):
    row = {"name": node.name, "op": node.op, "target": target(node), "args": [argument(x) for x in node.args]}
    row["kwargs"] = {k: argument(v) for k, v in node.kwargs.items()}
    value = node.meta.get("val", node.meta.get("example_value"))
    if value is not None and node.op != "output":
        row["val"] = meta(value)
    for key in ("seq_nr", "partitioner_tag", "ac_graph_id", "is_gradient_acc", "saved_tensor_with_no_vc_check"):
        if node.meta.get(key) is not None:
            row[key] = node.meta[key]
    if node.meta.get("recompute") is not None:
        row["recompute"] = str(node.meta["recompute"])
    if node.meta.get("original_aten") is not None:
        row["original_aten"] = str(node.meta["original_aten"])
    if node.meta.get("desc") is not None:
        row["desc"] = described(node.meta["desc"])
    source = getattr(node.meta.get("grapharg"), "source", None)
    if source is not None:
        row["source"] = source.name if isinstance(source.name, str) else source.name()
    return row


def encode(module, text=True):
    graph = module.graph
    row = {"num_nodes": len(graph.nodes), "nodes": [encode_node(x) for x in graph.nodes]}
    # No node of the graph reads its hooks.
    hooks = [(name, x) for name, x in module.named_children() if name.startswith("saved_tensors_hooks_")]
    inside, constants = {name: encode(x, text=False) for name, x in hooks}, {}
    for node in graph.nodes:
        if node.op == "get_attr":
            value = functools.reduce(getattr, node.target.split("."), module)
            if isinstance(value, torch.fx.GraphModule):
                inside[node.target] = encode(value, text=False)
            elif isinstance(value, torch.Tensor):
                constants[node.target] = tensor(value)
    if inside:
        row["subgraphs"] = inside
    if constants:
        row["constants"] = constants
    if text:
        options = {"print_output": False, "include_stride": True, "include_device": True, "expanded_def": True}
        row["text"] = module.print_readable(**options)
    return row


def saved(forward, num_fwd_outputs):
    """What the compiled forward returns behind its own outputs."""
    outputs = forward.graph.output_node().args[0]
    kept = outputs[num_fwd_outputs:]
    symbols = [x.name for x in kept if isinstance(x.meta["val"], (torch.SymInt, torch.SymFloat, torch.SymBool))]
    row = {"fw_output_names": [getattr(x, "name", None) for x in outputs], "saved_for_backward": [x.name for x in kept]}
    return row | {"saved_symints": symbols, "num_fw_outs_saved_for_bw": len(kept), "num_symints_saved_for_bw": len(symbols)}


# ---- one compile -----------------------------------------------------------------------------------------------------


class Recorder:
    """A backend that keeps what it compiles."""

    def __init__(self, partitioner, table):
        self.kind = partitioner
        self.partitioner = default_partition if partitioner == "default" else min_cut_rematerialization_partition
        self.table = table
        self.units, self.tensors = [], {}

    def __call__(self, module, inputs):
        place = {"index": len(self.units)} | self.question(module, inputs)
        self.units.append(place)
        parts = {}

        def partition(joint, joint_inputs, *, num_fwd_outputs, static_lifetime_input_indices=None, **options):
            place.setdefault("joint", place.pop("before_bodies", None) or encode(joint))
            given = {"num_fwd_outputs": num_fwd_outputs}
            given["static_lifetime_input_indices"] = static_lifetime_input_indices
            forward, backward = self.partitioner(joint, joint_inputs, **given, **options)
            parts.update(given)
            if "saved_tensors_hooks_pack_0" in str(place["dynamo"].get("subgraphs", {}).keys()):
                mode = torch._functorch.config.saved_tensors_hooks_filtering_mode
                parts["pre_hooks"] = {"filtering_mode": mode, "fw": encode(forward), "bw": encode(backward)}
            saved = [x for x in forward.graph.output_node().args[0][num_fwd_outputs:]]
            return forward, backward

        def compiler(half):
            def compile_half(graph, _):
                if half == "inf":
                    place["inference"] = encode(graph)
                else:
                    parts[half] = encode(graph)
                if half == "bw":
                    parts["bw_input_names"] = [x.name for x in graph.graph.find_nodes(op="placeholder")]
                    parts["bw_output_names"] = [getattr(x, "name", None) for x in graph.graph.output_node().args[0]]
                else:
                    told = TracingContext.get().fw_metadata
                    (place if half == "inf" else parts)["fw_metadata"] = recorded_metadata.metadata(told)
                if half == "fw":
                    parts["bw_donated_idxs"] = told.bw_donated_idxs
                    parts.update(saved(graph, parts["num_fwd_outputs"]))
                return self.recorded(graph, half, place["index"], parts)

            return compile_half

        with recorded_metadata.Watch() as watch:
            compiled = aot_module_simplified(
                module,
                inputs,
                fw_compiler=compiler("fw"),
                bw_compiler=compiler("bw"),
                inference_compiler=compiler("inf"),
                partition_fn=partition,
                decompositions=self.table,
                keep_inference_input_mutations=True,
            )
        place["needs_autograd"] = "joint" in place
        place.pop("before_bodies", None)
        place["wrappers"] = watch.state()
        parts |= watch.autograd_told
        place["partitions"] = {self.kind: parts}
        return compiled

    def question(self, module, inputs):
        """What AOTAutograd is asked, as it is before AOTAutograd starts."""
        held = dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))
        described = [ParamAOTInput(name) for name in held] + [PlainAOTInput(i) for i in range(len(inputs))]
        _, static = _try_get_metadata_from_dynamo(module, held.keys(), len(described), described)
        config = {"keep_inference_input_mutations": True, "num_params_buffers": len(held), "static_input_indices": static}
        asked = {"dynamo": encode(module), "example_inputs": [self.example(x) for x in inputs]}
        asked |= {"grad_mode": torch.is_grad_enabled(), "inference_mode": torch.is_inference_mode_enabled()}
        features = [] if asked["grad_mode"] else ["inference"]
        if any(isinstance(x, torch.SymInt) for x in inputs):
            features.append("dynamic")
        return asked | {"aot_config": config, "features": features}

    @staticmethod
    def example(value):
        row = meta(value)
        if isinstance(value, torch.Tensor):
            row["shape"] = [x["hint"] if isinstance(x, dict) and "hint" in x else x for x in row["shape"]]
        return row

    def recorded(self, graph, half, unit, parts):
        def call(inputs):
            if half in parts.setdefault("real", {}):
                return graph(*inputs)
            kept = [self.keep(x, f"u{unit}.{half}.in.{i}") for i, x in enumerate(inputs)]
            if half != "bw":
                torch.manual_seed(CALL_SEED)
            outputs = graph(*inputs)
            made = [self.keep(x, f"u{unit}.{half}.out.{i}") for i, x in enumerate(outputs)]
            parts["real"][half] = {"in": kept, "out": made}
            inputs.clear()
            return outputs

        call._boxed_call = True
        return call

    def keep(self, value, key):
        if not isinstance(value, torch.Tensor):
            return value if value is None or isinstance(value, (int, float, bool)) else repr(value)
        self.tensors[f"{self.kind}.{key}"] = value.detach().clone().contiguous()
        row = {"key": key, "dtype": plain(value.dtype), "shape": list(value.shape), "stride": list(value.stride())}
        return row | {"requires_grad": value.requires_grad}


def relative(graph, first):
    for node in graph["nodes"]:
        if "seq_nr" in node:
            node["seq_nr"] -= first


def merge(units, others):
    """The units of both runs, the graphs they share once."""
    for unit, other in zip(units, others, strict=True):
        unit["partitions"] |= other["partitions"]
        for graph in [unit.get("joint"), unit.get("inference")]:
            if graph:
                relative(graph, min([x["seq_nr"] for x in graph["nodes"] if "seq_nr" in x], default=0))
    return units


def write_tensors(path, tensors):
    header, chunks, offset = {}, [], 0
    for name, value in tensors.items():
        if value.is_quantized or value.dtype not in DTYPES:
            continue
        raw = bytes(value.resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8).numpy()) if value.numel() else b""
        header[name] = {"dtype": DTYPES[value.dtype], "shape": list(value.shape)}
        header[name]["data_offsets"] = [offset, offset + len(raw)]
        chunks.append(raw)
        offset += len(raw)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head + b"".join(chunks))


def told_bases(units):
    """Which inputs AOTAutograd put one base in place of, told to the unit that is compiled."""
    from torch._functorch._aot_autograd import runtime_wrappers

    merge = runtime_wrappers.merge_view_inputs

    @functools.wraps(merge)
    def merge_and_tell(*args, **options):
        merged = merge(*args, **options)
        if merged[2] is not None and units:
            rows = [x if isinstance(x, int) else {"synthetic_base_index": x[0], "view": tensor(x[1])} for x in merged[2]]
            units[-1]["synthetic_base_info"] = rows
        return merged

    runtime_wrappers.merge_view_inputs = merge_and_tell
    return lambda: setattr(runtime_wrappers, "merge_view_inputs", merge)


def joint_before_bodies(units):
    """Keeps the joint graph as it is before the bodies of its higher-order operators are partitioned, each partitioner's own way."""
    from torch._functorch._aot_autograd import graph_compile

    passes = graph_compile.run_joint_graph_passes_on_hops

    @functools.wraps(passes)
    def keep_and_pass(joint, *args, **options):
        if units:
            units[-1]["before_bodies"] = encode(joint)
        return passes(joint, *args, **options)

    graph_compile.run_joint_graph_passes_on_hops = keep_and_pass
    return lambda: setattr(graph_compile, "run_joint_graph_passes_on_hops", passes)


def record(name, kind, table):
    torch._dynamo.reset()
    recorder = Recorder(kind, table)
    common.BACKEND = recorder
    undo = [told_bases(recorder.units), joint_before_bodies(recorder.units)]
    torch.manual_seed(0)
    common.P[name]()
    for each in undo:
        each()
    return recorder


def written(path, document, packed):
    text = json.dumps(document, default=str).replace(HERE, "").replace(PACKAGES, "")
    if packed:
        with lzma.open(path + ".xz", "wt", preset=9 | lzma.PRESET_EXTREME) as file:
            file.write(text)
    else:
        with open(path, "w") as file:
            file.write(text)


def make(asked, name):
    table = torch._decomp.core_aten_decompositions() if asked.core else None
    runs = [record(name, kind, table) for kind in ("default", "min_cut")]
    units = merge(runs[0].units, runs[1].units)
    features = sorted({x for unit in units for x in unit.pop("features")})
    suffix = "__coredecomp" if asked.core else ""
    document = {"name": name, "program": name, "features": features, "split": "family", "torch": torch.__version__}
    document |= {"kind": "compile", "keep_inference_input_mutations": True, "decompositions": "core_aten" if asked.core else "none"}
    document |= {"call_seed": CALL_SEED, "source": inspect.getsource(common.P[name]), "units": units}
    document["tensors_file"] = name + suffix + ".tensors.safetensors"
    tensors = runs[0].tensors | runs[1].tensors
    most = MOST_BYTES_PACKED if asked.packed else MOST_TENSOR_BYTES
    if sum(x.numel() * x.element_size() for x in tensors.values()) <= most:
        write_tensors(os.path.join(asked.out, document["tensors_file"]), tensors)
    else:
        document["tensors_file"] = None
    written(os.path.join(asked.out, name + suffix + ".json"), document, asked.packed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--packed", action="store_true")
    parser.add_argument("--programs", default="aotautograd_features")
    asked = parser.parse_intermixed_args()
    importlib.import_module(asked.programs)
    for name in asked.names or list(common.P):
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        torch.set_num_threads(1)
        try:
            make(asked, name)
            print("ok", name, flush=True)
        except Exception as e:
            print("FAIL", name, type(e).__name__, str(e).split("\n")[0][:150], flush=True)
        os._exit(0)


if __name__ == "__main__":
    main()
