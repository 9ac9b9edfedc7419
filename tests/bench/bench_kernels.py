#!/usr/bin/env python3
"""Fused kernels beside a plain copy, and beside Inductor's kernels of the same graphs: `./dev bench kernels`.

On a GPU: tensors of 256 MB, kernels compiled by NVRTC, timed with CUDA events, and a device-to-device copy in the same run.
The bars: pointwise kernels reach 90 % of the copy's bandwidth, reductions over rows 80 %; an edited text is compiled, loaded
and run in less than a second; the command rerun adds less than 2 % to what PyTorch's profiler says that an operator's kernel
takes. The same graphs are run by the torch of that machine, eager and compiled by Inductor.

Without a GPU: the same kernels, compiled by this machine's compiler and run on one processor on smaller tensors, beside
memcpy and ATen on one thread. That says how the kernels' CPU form does, and nothing of a GPU: no bar holds there, and what
could not be measured is named.

PyTorch's side runs under the Python that AOTSCOPE_TORCH_PYTHON_2_15 names, else python3 if it has torch; without either
there are no ratios.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
BARS = {"pointwise": 0.9, "rows": 0.8}
EDIT_SECONDS = 1.0
RERUN_OWN_TIME = 0.02


def graph(parameters, lines, result):
    """A graph as PyTorch prints it, which is also the text of a Python class."""
    head = ", ".join(f'{name}: "{kind}"' for name, kind in parameters)
    body = "".join(f'        {name}: "{kind}" = torch.ops.{call}\n' for name, kind, call in lines)
    return f"class GraphModule(torch.nn.Module):\n    def forward(self, {head}):\n{body}        return ({result},)\n"


def cases(megabytes, device):
    """Name -> (kind, graph): each with one tensor of that many megabytes at least."""

    def matrix(dtype, size, columns):
        rows = megabytes * 1_000_000 // (columns * size) + 1
        return rows, f"{dtype}[{rows}, {columns}][{columns}, 1]{device}"

    found = {}
    _, full = matrix("f32", 4, 8192)
    row = f"f32[8192][1]{device}"
    found["add, relu, scale (float32)"] = ("pointwise", graph(
        [("a", full), ("b", row)],
        [("add", full, "aten.add.Tensor(a, b)"), ("relu", full, "aten.relu.default(add)"),
         ("mul", full, "aten.mul.Tensor(relu, 0.5)")], "mul"))
    _, half = matrix("bf16", 2, 8192)
    found["silu and gate (bfloat16)"] = ("pointwise", graph(
        [("a", half), ("b", half)],
        [("sigmoid", half, "aten.sigmoid.default(a)"), ("mul", half, "aten.mul.Tensor(a, sigmoid)"),
         ("gate", half, "aten.mul.Tensor(mul, b)")], "gate"))
    found["bias and gelu (bfloat16)"] = ("pointwise", graph(
        [("a", half), ("b", f"bf16[8192][1]{device}")],
        [("add", half, "aten.add.Tensor(a, b)"), ("gelu", half, "aten.gelu.default(add)")], "gelu"))
    rows, full = matrix("f32", 4, 1024)
    single = f"f32[{rows}, 1][1, 1]{device}"
    found["softmax (float32)"] = ("rows", graph(
        [("a", full)], [("softmax", full, "aten._softmax.default(a, 1, False)")], "softmax"))
    found["softmax backward (float32)"] = ("rows", graph(
        [("grad", full), ("softmax", full)],
        [("out", full, "aten._softmax_backward_data.default(grad, softmax, 1, torch.float32)")], "out"))
    row = f"f32[1024][1]{device}"
    found["layer norm (float32)"] = ("rows", graph(
        [("a", full), ("w", row), ("b", row)],
        [("mean", single, "aten.mean.dim(a, [1], True)"), ("center", full, "aten.sub.Tensor(a, mean)"),
         ("square", full, "aten.mul.Tensor(center, center)"), ("variance", single, "aten.mean.dim(square, [1], True)"),
         ("shifted", single, "aten.add.Tensor(variance, 1e-05)"), ("rsqrt", single, "aten.rsqrt.default(shifted)"),
         ("normal", full, "aten.mul.Tensor(center, rsqrt)"), ("scaled", full, "aten.mul.Tensor(normal, w)"),
         ("out", full, "aten.add.Tensor(scaled, b)")], "out"))
    found["layer norm backward (float32)"] = ("rows", graph(
        [("grad", full), ("normal", full), ("rsqrt", single), ("w", row)],
        [("scaled", full, "aten.mul.Tensor(grad, w)"), ("sum_1", single, "aten.sum.dim_IntList(scaled, [1], True)"),
         ("product", full, "aten.mul.Tensor(scaled, normal)"),
         ("sum_2", single, "aten.sum.dim_IntList(product, [1], True)"), ("share", full, "aten.mul.Tensor(normal, sum_2)"),
         ("whole", full, "aten.mul.Tensor(scaled, 1024)"), ("less", full, "aten.sub.Tensor(whole, sum_1)"),
         ("least", full, "aten.sub.Tensor(less, share)"), ("unit", single, "aten.div.Tensor(rsqrt, 1024)"),
         ("out", full, "aten.mul.Tensor(unit, least)")], "out"))
    return found


def measure_torch(device, repeats, files):
    """Runs under the Python that has torch; one line of JSON for each graph."""
    import torch

    torch.set_num_threads(1)
    dtypes = {"f32": torch.float32, "bf16": torch.bfloat16}

    def tensor(kind):
        dtype, shape = kind.split("[")[0], kind.split("[")[1].rstrip("]")
        return torch.rand([int(size) for size in shape.split(",")], device=device).to(dtypes[dtype])

    def timed_on_gpu(call):
        """Calls queued one after the other, so that the GPU never waits for Python, each between two events."""
        pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
        call(), call()
        for start, end in pairs:
            start.record()
            call()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) * 1e-3 for start, end in pairs]

    def timed(call):
        if device == "cuda":
            return timed_on_gpu(call)
        seconds = []
        for i in range(-2, repeats):
            begin = time.perf_counter()
            call()
            if i >= 0:
                seconds.append(time.perf_counter() - begin)
        return seconds

    def of_kernels(call):
        """What the kernels of a call take, by the profiler: without events, launches and gaps."""
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(20):
                call()
            torch.cuda.synchronize()
        return sum(event.device_time_total for event in profile.events() if "CUDA" in str(event.device_type)) * 1e-6 / 20

    for file in files:
        text = pathlib.Path(file).read_text()
        scope = {"torch": torch}
        exec(text, scope)
        module = scope["GraphModule"]()
        kinds = [part.split('"')[1] for part in text.splitlines()[1].split("self, ")[1].split('", ')[:]
                 if '"' in part]
        inputs = [tensor(kind) for kind in kinds]
        told = {"torch": torch.__version__}
        with torch.no_grad():
            told["eager"] = timed(lambda: module(*inputs))
            if device == "cuda":
                told["kernels"] = of_kernels(lambda: module(*inputs))
            try:
                compiled = torch.compile(module)
                compiled(*inputs)
                told["inductor"] = timed(lambda: compiled(*inputs))
            except Exception as error:  # no Triton, no compiler: told, and the rest goes on
                told["trouble"] = str(error).splitlines()[0][:200]
        print(json.dumps(told), flush=True)


def python_of_machine():
    """A Python that has torch; nothing: there is none."""
    for python in (os.environ.get("AOTSCOPE_TORCH_PYTHON_2_15"), sys.executable):
        if python and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    return None


def lines_of(command):
    ran = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")] if ran.returncode == 0 else None


def has_gpu(program):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "graph.txt")
        kind = "f32[1024][1]cuda:0"
        file.write_text(graph([("a", kind)], [("relu", kind, "aten.relu.default(a)")], "relu"))
        ran = subprocess.run([program, "cuda", "1", file], capture_output=True, text=True)
        return ran.returncode == 0, ran.stderr.strip()


def rerun_seconds(build_dir, file, text, repeats):
    """The median of the command rerun for a graph's only operator; nothing: it has several, or the command failed."""
    nodes = [line.split(":")[0].strip() for line in text.splitlines() if " = torch.ops." in line]
    ran = len(nodes) == 1 and subprocess.run(
        [build_dir / "bin" / "aotscope-cli", "rerun", file, "--node", nodes[0], "--device", "cuda", "--repeat", str(repeats),
         "--json"], capture_output=True, text=True)
    return json.loads(ran.stdout)["times"]["median"] * 1e-9 if ran and ran.returncode == 0 else None


def show_rerun(name, seconds, kernels):
    own = seconds / kernels - 1
    print(f"{name:32} rerun {seconds * 1e3:.4f} ms, its kernel by PyTorch's profiler {kernels * 1e3:.4f} ms: {own:+.1%}")
    return {"case": name, "rerun_own_time": own}


def show(name, kind, ours, torch):
    best = statistics.median(ours["seconds"])
    bandwidth = ours["bytes"] / best
    share = bandwidth / ours["copy_bytes_per_second"]
    row = {"case": name, "kind": kind, "kernels": ours["kernels"], "milliseconds": best * 1e3, "gb_per_second": bandwidth * 1e-9,
           "share_of_copy": share, "edit_seconds": ours["edit_seconds"]}
    text = (f"{name:32} {ours['kernels']:>7} {row['milliseconds']:>9.2f} {row['gb_per_second']:>8.1f} {share:>8.0%} "
            f"{ours['edit_seconds']:>8.2f}")
    for peer in ("eager", "inductor"):
        if torch and peer in torch:
            row[peer + "_ratio"] = statistics.median(torch[peer]) / best
            text += f" {row[peer + '_ratio']:>9.2f}"
        else:
            text += f" {'-':>9}"
    print(text)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, help="of the largest tensor (256 on a GPU, 32 without)")
    parser.add_argument("--repeats", type=int, help="(100 on a GPU, 5 without)")
    parser.add_argument("--measure-torch", nargs="+", metavar=("DEVICE", "GRAPH"))
    arguments = parser.parse_args()
    if arguments.measure_torch:
        measure_torch(arguments.measure_torch[0], arguments.repeats, arguments.measure_torch[1:])
        return 0
    program = arguments.build_dir / "bin" / "bench_kernels"
    gpu, why = has_gpu(program)
    device = "cuda" if gpu else "cpu"
    repeats = arguments.repeats or (100 if gpu else 5)
    chosen = cases(arguments.megabytes or (256 if gpu else 32), "cuda:0" if gpu else "cpu")
    if not gpu:
        print("No GPU: bandwidth, the bars of 90 % and 80 %, and Inductor's kernels for GPUs could not be measured.")
        print(f"  {why.splitlines()[0] if why else ''}")
        print("Measured instead: the kernels' form for the CPU, on one processor.")
    python = python_of_machine()
    if not python:
        print("No Python with torch was found (set AOTSCOPE_TORCH_PYTHON_2_15): no ratios with ATen and Inductor.")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, (_, text) in enumerate(chosen.values()):
            files.append(pathlib.Path(folder, f"{i}.txt"))
            files[-1].write_text(text)
        ours = lines_of([program, device, repeats, *files])
        torch = python and lines_of([python, HERE, "--repeats", repeats, "--measure-torch", device, *files])
        if ours is None:
            return 1
        print(f"{'case':32} {'kernels':>7} {'ms':>9} {'GB/s':>8} {'of copy':>8} {'edit, s':>8} {'eager':>9} {'inductor':>9}")
        for i, (name, (kind, _)) in enumerate(chosen.items()):
            rows.append(show(name, kind, ours[i], torch[i] if torch else None))
        reruns = []
        for i, (name, (_, text)) in enumerate(chosen.items() if gpu and torch else ()):
            seconds = rerun_seconds(arguments.build_dir, files[i], text, repeats)
            if seconds:
                reruns.append(show_rerun(name, seconds, torch[i]["kernels"]))
    if torch:
        print(f"eager, inductor: their time divided by ours, torch {torch[0]['torch']}")
        for trouble in sorted({told["trouble"] for told in torch if "trouble" in told}):
            print(f"Inductor could not compile: {trouble}")
    failed = gpu and any(row["share_of_copy"] < BARS[row["kind"]] or row["edit_seconds"] > EDIT_SECONDS for row in rows)
    failed = failed or any(row["rerun_own_time"] > RERUN_OWN_TIME for row in reruns)
    print("" if not gpu else "A bar was missed." if failed else "All bars hold.")
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": device, "rows": rows, "reruns": reruns}, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
