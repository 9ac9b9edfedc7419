#!/usr/bin/env python3
"""What torch 2.15's five entry points of AOTAutograd do with the programs of aot_cases.txt, for aot_answers.txt.

    python make_aot_answers.py aot_cases.txt > aot_answers.txt

The program's graph text is Python: it is executed, and the module handed to the entry point with the backend that runs
graphs as they are. Recorded are results, gradients, inputs after the call, and refusals. tests/installed says how the two
files are written.
"""

import contextlib
import itertools
import json
import lzma
import os
import re
import sys
import warnings

import torch
import torch._functorch.config
from torch._functorch.aot_autograd import (
    aot_export_joint_simple,
    aot_export_module,
    aot_function,
    aot_module,
    aot_module_simplified,
    make_boxed_compiler,
)
from torch._guards import TracingContext, tracing
from torch._subclasses import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch._functorch.partitioners import min_cut_rematerialization_partition

warnings.filterwarnings("ignore")


def read_cases(path):
    cases = []
    lines = iter(open(path).read().splitlines())
    for line in lines:
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if words[0] == "case":
            cases.append({"name": words[1], "tensors": [], "calls": [], "options": {}})
        case = cases[-1]
        if words[0] == "entry":
            case["entry"] = words[1]
            case["options"] = dict(word.split("=") for word in words[2:])
        elif words[0] == "graph":
            case["graph"] = "\n".join(itertools.takewhile(lambda each: each != "end", lines))
        elif words[0] in ("parameter", "buffer"):
            case["tensors"].append(words)
        elif words[0] in ("input", "alias", "same", "tangent", "again"):
            if words[0] == "again" or not case["calls"]:
                case["calls"].append([])
            case["calls"][-1].append(words)
    return cases


def sizes(word):
    return [int(size) for size in word.strip("[]").split(",") if size]


def tensor(dtype, shape, values):
    numbers = [float(value) for value in values]
    return torch.tensor(numbers, dtype=torch.float64).to(getattr(torch, dtype)).reshape(sizes(shape))


def module_of(case):
    scope = {"torch": torch, "device": torch.device}
    exec(case["graph"], scope)
    module = scope["GraphModule"]()
    for kind, name, dtype, shape, grad, *values in case["tensors"]:
        made = tensor(dtype, shape, values)
        if kind == "parameter":
            module.register_parameter(name, torch.nn.Parameter(made, grad == "grad"))
        else:
            module.register_buffer(name, made)
    return module


def arguments_of(lines):
    """The inputs of one call, and the tangents of its backward."""
    inputs = []
    tangents = []
    for kind, *rest in lines:
        if kind == "same":
            inputs.append(inputs[int(rest[0])])
        elif kind == "alias":
            of, shape, strides, offset = rest
            inputs.append(inputs[int(of)].as_strided(sizes(shape), sizes(strides), int(offset)))
        elif kind == "input":
            _, dtype, shape, grad, *values = rest
            inputs.append(tensor(dtype, shape, values).requires_grad_(grad == "grad"))
        elif kind == "tangent":
            tangents.append(tensor(*rest[:2], rest[2:]))
    return inputs, tangents


compiled_graphs = []


def boxed(graph, _):
    compiled_graphs.append(graph)
    return graph


NOP = make_boxed_compiler(boxed)


def compiled(case, module, inputs):
    keep = {"keep_inference_input_mutations": case["options"].get("keep") == "1"}
    if case["options"].get("min_cut") == "1":
        keep["partition_fn"] = min_cut_rematerialization_partition
    if case["entry"] == "aot_function":
        return aot_function(module, NOP, dynamic=case["options"].get("dynamic") == "1", **keep)
    if case["entry"] == "aot_module":
        return aot_module(module, NOP, **keep)
    return aot_module_simplified(torch.fx.symbolic_trace(module), inputs, NOP, **keep)


def described(value):
    if not isinstance(value, torch.Tensor):
        return f"{type(value).__name__} {value}"
    numbers = " ".join(f"{each:.9g}" for each in value.detach().double().reshape(-1).tolist())
    shape = ",".join(str(size) for size in value.shape)
    return f"{str(value.dtype)[6:]} [{shape}] {numbers}".rstrip()


def relation(value, inputs):
    for i, given in enumerate(inputs):
        if value is given:
            return f"is_input={i}"
    for i, given in enumerate(inputs):
        if value.untyped_storage().data_ptr() == given.untyped_storage().data_ptr():
            return f"views_input={i}"
    return "own"


def write_operators(graph):
    for node in graph.graph.nodes:
        if node.op == "call_function":
            print(f"node {node.target}")


def context_of(case):
    """What torch.compile has around a compile, or nothing."""
    if case["options"].get("context") != "1":
        return contextlib.nullcontext()
    return tracing(TracingContext(FakeTensorMode(shape_env=ShapeEnv())))


def record_call(case, module):
    arguments = [arguments_of(lines) for lines in case["calls"]]
    function = compiled(case, module, arguments[0][0])
    for inputs, tangents in arguments * int(case["options"].get("calls", "1")):
        outputs = function(*inputs)
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        for i, output in enumerate(outputs):
            print(f"output {i} {described(output)}")
            if isinstance(output, torch.Tensor):
                node = "node" if output.grad_fn is not None else "no_node"
                print(f"place {i} {relation(output, inputs)} requires_grad={int(output.requires_grad)} {node}")
        roots = [each for each in outputs if isinstance(each, torch.Tensor) and each.requires_grad]
        if tangents:
            create = case["options"].get("create") == "1"
            torch.autograd.backward(roots, tangents, retain_graph=create, create_graph=create)
            if case["options"].get("twice") == "1":
                torch.autograd.backward(roots, tangents)
            if create:
                torch.autograd.backward([inputs[0].grad], tangents)
        for i, given in enumerate(inputs):
            print(f"after {i} {described(given)}")
            if given.is_leaf and given.requires_grad:
                print(f"gradient input {i} {described(given.grad) if given.grad is not None else 'none'}")
        for kind, named in (("parameter", module.named_parameters()), ("buffer", module.named_buffers())):
            for name, value in named:
                print(f"{kind} {name} {described(value)}")
                if value.grad is not None:
                    print(f"gradient {name} {described(value.grad)}")
    if case["options"].get("nodes") == "1":
        write_operators(compiled_graphs[0])


def record_export(case, module, inputs):
    options = case["options"]
    joint = options.get("trace_joint") == "1"
    torch._functorch.config.functionalize_rng_ops = options.get("functionalize_rng_ops") == "1"
    if case["entry"] == "aot_export_joint_simple":
        graph = aot_export_joint_simple(module, tuple(inputs), trace_joint=joint)
    else:
        loss = options.get("output_loss_index")
        graph, _ = aot_export_module(
            module,
            inputs,
            trace_joint=joint,
            output_loss_index=int(loss) if loss is not None else None,
            pre_dispatch=options.get("pre_dispatch") == "1",
        )
    write_operators(graph)
    if not joint or case["entry"] == "aot_export_module":
        given = [*module.parameters(), *module.buffers(), *inputs]
        with torch.no_grad():
            results = graph(*given)
        results = results if isinstance(results, (tuple, list)) else (results,)
        for i, output in enumerate(results):
            print(f"output {i} {described(output)}")


def record_log(path):
    """The graphs of a log: their compile and a sum over their text without blanks (64-bit FNV-1a)."""
    lines = lzma.open(path, "rt").read().split("\n")
    for i, line in enumerate(lines):
        if '{"dynamo_output_graph"' not in line:
            continue
        head = json.loads(line[line.index("{") :])
        payload = itertools.takewhile(lambda each: each.startswith("\t"), lines[i + 1 :])
        total = 0xCBF29CE484222325
        for byte in "".join(each.replace(" ", "")[1:] for each in payload).encode():
            total = (total ^ byte) * 0x100000001B3 % 2**64
        attempt = f"_{head['attempt']}" if head.get("attempt") else ""
        print(f"graph {head['frame_id']}/{head['frame_compile_id']}{attempt} {total}")


def message_of(error):
    """Without the metadata that is appended to some."""
    text = re.split(r"\s*(?:fw_metadata=|synthetic_base_info=|out_spec=|ViewAndMutationMeta\()", str(error))[0]
    text = re.sub(r"\n\s+", "\n", text.strip())
    return text.replace("\\", "\\\\").replace("\n", "\\n")


for each in read_cases(sys.argv[1]):
    print("case " + each["name"])
    if each["entry"] == "read_log":
        record_log(os.path.join(os.path.dirname(sys.argv[1]), each["options"]["log"]))
        continue
    module = module_of(each)
    compiled_graphs.clear()
    try:
        if each["entry"].startswith("aot_export"):
            record_export(each, module, arguments_of(each["calls"][0])[0])
        else:
            with context_of(each), torch.set_grad_enabled(each["options"].get("no_grad") != "1"):
                record_call(each, module)
    except Exception as error:  # noqa: BLE001 - what is refused, is recorded
        print(f"error {message_of(error)}")
