#!/usr/bin/env python3
"""Traces Dynamo graphs of logs here and with torch's own AOTAutograd, in one run: `./dev bench trace`.

Each release of RELEASES is measured on logs that it made: here by its rules, and with its own Python. That release,
with all its wheels (CUDA's too: torch cannot be imported without them), lies in a venv of the benchmark's own, made at
the first run, or is that of the Python that AOTSCOPE_TORCH_PYTHON_2_15 (or _2_11) names. torch is timed from the call
of `aot_function` to the one of its partitioner: metadata pass and joint graph, on fake tensors. Its program is the text
of the logged Dynamo graph, executed.

The ratio to go by is that of processor time: on a busy machine wall time stretches long runs, not short ones.
"""

import argparse
import json
import lzma
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent.parent.parent / "shared" / "corpus"
RELEASES = {"2.11.0": "traces", "2.15.0": "traces-2.15"}  # and the corpus folder of its logs
PROGRAMS = ["mlp_sgd", "resnet18", "gpt2_12l", "huge_transformer"]
MADE_UP = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
TORCH_SECONDS = 100
RECORD = re.compile(r"^[VIWEC]\d{4} .*?\] (\{.*\})$")
TENSOR = re.compile(r"^(\w+)\[([^\]]*)\]\[([^\]]*)\](\w+(?::\d+)?)$")


def records(path):
    """(metadata, payload) of each record of a trace log."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
        metadata, payload = None, []
        for line in file:
            if line.startswith("\t"):
                payload.append(line[1:])
            elif match := RECORD.match(line.rstrip("\n")):
                if metadata is not None:
                    yield metadata, "".join(payload)
                metadata, payload = json.loads(match[1]), []
        if metadata is not None:
            yield metadata, "".join(payload)


def plain(name):
    """A source or a placeholder's name, such that those of one tensor are equal."""
    return re.sub(r"[^a-zA-Z0-9]+", "_", name).strip("_")


def largest_program(path):
    """Text of the largest Dynamo graph, and what the log tells of its tensors, by plain source."""
    texts, tensors, sources = {}, {}, {}
    for metadata, payload in records(path):
        compile_id = tuple(metadata.get(key) for key in ("frame_id", "frame_compile_id", "attempt"))
        if "dynamo_output_graph" in metadata:
            texts[compile_id] = payload
        elif tensor := metadata.get("describe_tensor"):
            tensors[compile_id, tensor["describer_id"], tensor["id"]] = tensor
        elif source := metadata.get("describe_source"):
            sources[compile_id, source["describer_id"], source["id"]] = source["source"]
    if not texts:
        sys.exit(f"{path}: there is no Dynamo graph to trace.")
    chosen = max(texts, key=lambda compile_id: texts[compile_id].count("\n"))
    known = {plain(name): tensors[key] for key, name in sources.items() if key[0] == chosen and key in tensors}
    return texts[chosen], known


def dynamo_program(path):
    """The log's largest Dynamo graph as a function, and a function that makes its inputs in the active mode."""
    import inspect

    import torch
    from torch.utils._dtype_abbrs import dtype_abbrs

    dtypes = {abbreviation: dtype for dtype, abbreviation in dtype_abbrs.items()}
    text, known = largest_program(path)
    names = {"torch": torch, "device": torch.device, "inf": math.inf, "nan": math.nan}
    exec(compile(text, str(path), "exec"), names)  # the class that print_readable wrote
    forward = names["GraphModule"]().forward

    def make_input(parameter):
        match = TENSOR.match(parameter.annotation)
        if not match:
            sys.exit(f"{path}: the input {parameter.name} is {parameter.annotation}: not a tensor of known sizes.")
        size, stride = ([int(number) for number in match[i].split(",") if number.strip()] for i in (2, 3))
        told = known.get(plain(parameter.name), {})
        tensor = torch.empty_strided(size, stride, dtype=dtypes[match[1]], device=match[4])
        requires_grad = told.get("requires_grad", False)
        if told.get("is_parameter", False):
            return torch.nn.Parameter(tensor, requires_grad)
        return tensor.requires_grad_(requires_grad)

    return forward, lambda: [make_input(parameter) for parameter in inspect.signature(forward).parameters.values()]


class Traced(Exception):
    """Leaves torch's compile where the joint graph is ready."""


def time_torch(release, path):
    """Runs under the Python that has torch: prints one line of JSON, as bench_trace does."""
    start = time.perf_counter()
    import torch
    from torch._functorch.aot_autograd import aot_function
    from torch._guards import TracingContext, tracing
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    import_seconds = time.perf_counter() - start
    if torch.__version__.partition("+")[0] != release:
        sys.exit(f"{sys.executable} has torch {torch.__version__}, not {release}.")
    forward, inputs_of = dynamo_program(path)

    def status_kib(name):
        status = pathlib.Path("/proc/self/status").read_text()
        return int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)[1])

    nodes = []

    def stop(joint, *_arguments, **_options):
        ended = time.perf_counter(), time.process_time()
        nodes.append(len(joint.graph.nodes))
        raise Traced(ended)

    def compiler(module, _inputs):
        sys.exit(f"{path}: torch did not make a joint graph of it.")

    before = status_kib("VmRSS")
    wall, cpu = [], []
    # The first run is told apart. Where a run takes minutes fewer must do: at least one beside the first.
    while len(wall) < 2 or (len(wall) < 6 and sum(wall) < TORCH_SECONDS):
        mode = FakeTensorMode(shape_env=ShapeEnv())
        with mode:
            inputs = inputs_of()
        traced = aot_function(forward, compiler, compiler, stop, keep_inference_input_mutations=True)
        with tracing(TracingContext(mode)):
            began = time.perf_counter(), time.process_time()
            try:
                traced(*inputs)
            except Traced as done:
                wall.append(done.args[0][0] - began[0])
                cpu.append(done.args[0][1] - began[1])
    result = {"nodes": nodes[-1], "module_seconds": import_seconds, "first_seconds": wall[0], "seconds": wall[1:]}
    print(json.dumps(result | {"cpu_seconds": cpu[1:], "before_kib": before, "peak_kib": status_kib("VmHWM")}))


def short(release):
    """"2.15" of "2.15.0"."""
    return release.rpartition(".")[0]


def python_with_torch(release):
    """A Python that has that release of torch; makes the benchmark's venv when it is not there."""
    if given := os.environ.get("AOTSCOPE_TORCH_PYTHON_" + short(release).replace(".", "_")):
        return given
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    venv = cache / "aotscope" / f"bench-venv-{release}"
    python = venv / "bin" / "python"
    if not (venv / ".ready").exists():
        print(f"Getting torch {release} with all its wheels into {venv} (5 GB on disk, once)", flush=True)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"torch=={release}", "numpy"], check=True)
        (venv / ".ready").touch()
    return python


def run_json(command):
    """The last line of a program's output, read as JSON; nothing when it failed (it has said why)."""
    ran = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    return json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else None


def grown_mib(measured):
    return (measured["peak_kib"] - measured["before_kib"]) / 1024


def log_of(release, name):
    """The program's log that the release made; nothing when the corpus has none."""
    return next(iter(sorted((CORPUS / RELEASES[release] / name).glob("*.log*"))), None)


def measure_program(release, name, bench, python):
    path = log_of(release, name)
    row = {"name": name, "release": release, "ours": run_json([bench, path]), "torch": None}
    if python:
        # Between two of ours: a machine that others share is faster now and slower then.
        row["torch"] = run_json([python, __file__, "--release", release, "--time-torch", path])
        again = run_json([bench, path])
        for kind in ("seconds", "cpu_seconds") if row["ours"] and again else ():
            row["ours"][kind] += again[kind]
    ours, torch = row["ours"], row["torch"]
    if not ours or (python and not torch):
        return row
    if ours["rules"] != short(release):
        sys.exit(f"{path} was traced by the rules of torch {ours['rules']}, not {short(release)}.")
    seconds, cpu = (statistics.median(ours[kind]) for kind in ("seconds", "cpu_seconds"))
    row["nodes_per_second"] = ours["nodes"] / cpu
    text = f"{name:<18} {short(release):>5} {ours['nodes']:>6} {seconds * 1e3:9.2f} {cpu * 1e3:9.2f}"
    text += f" {ours['first_seconds'] * 1e3:9.1f} {row['nodes_per_second']:9.0f} {grown_mib(ours):8.0f}"
    text += f" {ours['cancel_seconds'] * 1e3:9.2f}"
    if torch:
        torch_seconds, torch_cpu = (statistics.median(torch[kind]) for kind in ("seconds", "cpu_seconds"))
        row["wall_ratio"] = torch_seconds / seconds
        row["ratio"] = torch_cpu / cpu
        row["same_nodes"] = torch["nodes"] == ours["nodes"]
        text += f" {torch_seconds * 1e3:9.0f} {torch_cpu * 1e3:9.0f} {grown_mib(torch):9.0f}"
        text += f" {row['ratio']:7.1f} {row['wall_ratio']:7.1f}"
        if not row["same_nodes"]:
            text += f"  (torch made {torch['nodes']} nodes: not the same graph)"
    print(text, flush=True)
    return row


def measure_programs(names, releases, bench, has_torch):
    """A row per program and release; one program's follow each other, so that the machine is as busy for both."""
    pythons = {release: python_with_torch(release) if has_torch else None for release in releases}
    print(f"{'program':<18} {'torch':>5} {'nodes':>6} {'ms':>9} {'cpu ms':>9} {'first ms':>9} {'nodes/s':>9} {'MiB':>8}"
          f" {'cancel ms':>9}"
          + (f" {'torch ms':>9} {'cpu ms':>9} {'torch MiB':>9} {'ratio':>7} {'wall':>7}" if has_torch else ""), flush=True)
    return [measure_program(release, name, bench, pythons[release])
            for name in names for release in releases if log_of(release, name)]


def print_backends(rows):
    """Without `./dev module` the LibTorch here is the build's own for every release, and the rules alone differ."""
    for release, backend in sorted({(row["release"], row["ours"]["backend"]) for row in rows if row["ours"]}):
        print(f"logs of torch {short(release)} were traced here with {backend}")


def print_ratios(rows):
    """torch's time over ours, the releases side by side."""
    measured = {(row["name"], row["release"]): row for row in rows if "ratio" in row}
    releases = sorted({release for _, release in measured})
    if len(releases) < 2:
        return
    columns = "".join(f" {kind + ' ' + short(release):>10}" for release in releases for kind in ("cpu", "wall"))
    print(f"{'torch / ours':<18}{columns}")
    for name in dict.fromkeys(name for name, _ in measured):
        text = f"{name:<18}"
        for release in releases:
            row = measured.get((name, release))
            text += f" {row['ratio']:10.1f} {row['wall_ratio']:10.1f}" if row else f" {'-':>10} {'-':>10}"
        print(text)


def exponent(points):
    """Slope of the least-squares line through (log nodes, log seconds)."""
    logs = [(math.log(nodes), math.log(seconds)) for nodes, seconds in points]
    return statistics.linear_regression(*zip(*logs)).slope


def measure_growth(bench):
    """The engine alone, on a layer repeated until the joint graph has about so many nodes."""
    two, three = (run_json([bench, "--layers", layers, 1]) for layers in (2, 3))
    if not two or not three:
        return None
    per_layer = three["nodes"] - two["nodes"]
    rows = []
    print(f"{'made up':<18} {'nodes':>6} {'ms':>9} {'cpu ms':>9} {'us/node':>9} {'MiB':>8}", flush=True)
    for nodes in MADE_UP:
        measured = run_json([bench, "--layers", max(nodes // per_layer, 1), 5 if nodes <= 20_000 else 3])
        if not measured:
            return None
        seconds, cpu = (statistics.median(measured[kind]) for kind in ("seconds", "cpu_seconds"))
        print(
            f"{'':<18} {measured['nodes']:>6} {seconds * 1e3:9.2f} {cpu * 1e3:9.2f} {cpu / measured['nodes'] * 1e6:9.2f} "
            f"{grown_mib(measured):8.0f}",
            flush=True,
        )
        rows.append(measured)
    growth = {"graphs": rows}
    for kind in ("seconds", "cpu_seconds"):
        growth[f"exponent_{kind}"] = exponent([(row["nodes"], statistics.median(row[kind])) for row in rows])
    print(f"grows with nodes to the power of {growth['exponent_seconds']:.3f} "
          f"(processor time {growth['exponent_cpu_seconds']:.3f})")
    return growth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--no-torch", action="store_true", help="measure the engine alone")
    parser.add_argument("--only", choices=[*PROGRAMS, "growth"], action="append", help="this, not all")
    parser.add_argument("--release", choices=RELEASES, action="append", help="this release of torch, not all")
    parser.add_argument("--time-torch", type=pathlib.Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.time_torch:
        time_torch(arguments.release[0], arguments.time_torch)
        return 0
    bench = arguments.build_dir / "bin" / "bench_trace"
    chosen = arguments.only or [*PROGRAMS, "growth"]
    rows, growth = [], None
    releases = []
    for release in arguments.release or RELEASES:
        if (CORPUS / RELEASES[release]).exists():
            releases.append(release)
        else:
            print(f"the logs of torch {release} are skipped: there is no {CORPUS / RELEASES[release]}")
    programs = [name for name in PROGRAMS if name in chosen]
    if programs and releases:
        rows = measure_programs(programs, releases, bench, not arguments.no_torch)
        print_backends(rows)
        print_ratios(rows)
    if "growth" in chosen:
        growth = measure_growth(bench)
    if arguments.json:
        arguments.json.write_text(json.dumps({"benchmark": "trace", "programs": rows, "growth": growth}))
    is_complete = all(row["ours"] and (arguments.no_torch or row["torch"]) for row in rows)
    return 0 if is_complete and (growth or "growth" not in chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
