#!/usr/bin/env python3
"""Inlines saved-tensors hooks into a partition here and with torch, in one run: `./dev bench hooks`.

The program is the largest Dynamo graph of a log of the corpus, partitioned by min-cut; the hook is fp8_e4m3_row of the
library, for every saved tensor (mode all). torch is timed in maybe_inline_graph_saved_tensors_hooks, and here it is the
same part: hooks are traced for each saved tensor and put into both halves. Nothing is known from an earlier run.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import time

import bench_trace

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = HERE.parent.parent / "resources" / "hook_library.txt"
RELEASE = "2.15.0"
HOOK = "fp8_e4m3_row"
PROGRAMS = ["resnet18", "gpt2_12l", "huge_transformer"]


def hook_functions():
    """The hook's graphs as functions: its text is Python."""
    import torch

    text = LIBRARY.read_text().split(f"=== {HOOK}\n")[1].split("\n=== ")[0]
    made = {"torch": torch}
    pattern = r"class (\w+)\(torch.nn.Module\):\n    def forward\(self, (\w+)\):\n((?:        .*\n?)+)"
    for name, argument, body in re.findall(pattern, text):
        exec("\n".join([f"def {name}({argument}):", *(line[4:] for line in body.splitlines())]), made)
    return made["pack"], made["unpack"]


def time_torch(path):
    """Runs under the Python that has torch: prints one line of JSON, as bench_hooks does."""
    import torch
    from torch._functorch._aot_autograd import graph_compile
    from torch._functorch.aot_autograd import aot_function
    from torch._functorch.partitioners import min_cut_rematerialization_partition
    from torch._guards import TracingContext, tracing
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    forward, inputs_of = bench_trace.dynamo_program(path)
    torch._functorch.config.saved_tensors_hooks_filtering_mode = "all"
    pack, unpack = (torch.fx.symbolic_trace(function) for function in hook_functions())
    inline = graph_compile.maybe_inline_graph_saved_tensors_hooks
    told = {}

    def timed(forward_half, *arguments):
        saved = len(forward_half.graph.output_node().args[0]) - arguments[1]
        wall, cpu = time.perf_counter(), time.process_time()
        inline(forward_half, *arguments)
        told.update(seconds=[time.perf_counter() - wall], cpu_seconds=[time.process_time() - cpu], saved=saved)
        raise bench_trace.Traced()

    graph_compile.maybe_inline_graph_saved_tensors_hooks = timed
    mode = FakeTensorMode(shape_env=ShapeEnv())
    with mode:
        inputs = inputs_of()
    compiler = lambda module, _inputs: module
    compiled = aot_function(
        forward, compiler, compiler, min_cut_rematerialization_partition, keep_inference_input_mutations=True
    )
    with tracing(TracingContext(mode)), torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        try:
            compiled(*inputs)
        except bench_trace.Traced:
            pass
    print(json.dumps(told))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--without-torch", action="store_true", help="measure this program alone")
    parser.add_argument("--time-torch", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.time_torch:
        time_torch(arguments.time_torch)
        return 0
    bench = arguments.build_dir / "bin" / "bench_hooks"
    python = None if arguments.without_torch else bench_trace.python_with_torch(RELEASE)
    rows, failed = [], False
    print(f"{'program':<18} {'saved':>6} {'ms':>9} {'CPU ms':>9} {'torch s':>9} {'wall':>8} {'CPU':>8} times as fast")
    for name in [arguments.only] if arguments.only else PROGRAMS:
        path = bench_trace.log_of(RELEASE, name)
        if path is None:
            print(f"{name}: the shared corpus is not here")
            continue
        ours = bench_trace.run_json([bench, path])
        torch = bench_trace.run_json([python, __file__, "--time-torch", path]) if python else None
        rows.append({"name": name, "ours": ours, "torch": torch})
        if not ours or (python and not torch):
            failed = True
            continue
        seconds, cpu = (statistics.median(ours[kind]) for kind in ("seconds", "cpu_seconds"))
        text = f"{name:<18} {ours['saved']:>6} {seconds * 1e3:9.2f} {cpu * 1e3:9.2f}"
        if torch:
            if torch["saved"] != ours["saved"]:
                sys.exit(f"{name}: torch saves {torch['saved']} tensors, this program {ours['saved']}.")
            rows[-1]["ratio"] = torch["cpu_seconds"][0] / cpu
            text += f" {torch['seconds'][0]:9.2f} {torch['seconds'][0] / seconds:8.0f} {rows[-1]['ratio']:8.0f}"
        print(text, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"benchmark": "hooks", "hook": HOOK, "programs": rows}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
