#!/usr/bin/env python3
"""Partitions joint graphs here and with torch's own partitioners, in one run: `./dev bench partition`.

torch is asked when AOTSCOPE_TORCH_PYTHON_2_11 names a Python that has the wheel (2.11.0); without it only this program's
times are told. torch's time is that of the partitioner alone, on graphs rebuilt from the shared corpus.
"""

import argparse
import json
import lzma
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent.parent.parent / "shared" / "corpus" / "golden"
PROGRAMS = ["mlp_sgd.json", "resnet18.json.xz", "gpt2_12l.json.xz", "huge_transformer.json.xz"]


def time_torch(names):
    """Runs under the Python that has torch: best seconds by program and partitioner, as JSON on stdout."""
    sys.path.insert(0, str(HERE.parent / "golden"))
    import make_budget_answers as rebuilt
    from torch._functorch import partitioners
    from torch._guards import TracingContext, tracing
    from torch._subclasses.fake_tensor import FakeTensorMode

    functions = {
        "min-cut": partitioners.min_cut_rematerialization_partition,
        "default": partitioners.default_partition,
    }
    results = {}
    for name in names:
        path = GOLDEN / name
        with (lzma.open if path.suffix == ".xz" else open)(path, "rt") as file:
            unit = json.load(file)["units"][0]
        golden = unit["partitions"]["min_cut"]
        for kind, function in functions.items():
            best = None
            for _ in range(1 if unit["joint"]["num_nodes"] > 5000 else 3):
                mode = FakeTensorMode()
                module = rebuilt.build(unit["joint"], mode)
                with tracing(TracingContext(mode)):
                    start = time.perf_counter()
                    function(
                        module,
                        [],
                        num_fwd_outputs=golden["num_fwd_outputs"],
                        static_lifetime_input_indices=golden["static_lifetime_input_indices"],
                    )
                    seconds = time.perf_counter() - start
                best = seconds if best is None else min(best, seconds)
            results[f"{name.split('.')[0]} {kind}"] = best
    print(json.dumps(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--time-torch", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.time_torch:
        time_torch(PROGRAMS)
        return 0
    ours = arguments.json.with_suffix(".ours.json")
    code = subprocess.call([arguments.build_dir / "bin" / "bench_partition", "--json", ours])
    if code != 0:
        return code
    rows = json.loads(ours.read_text())["graphs"]
    python = os.environ.get("AOTSCOPE_TORCH_PYTHON_2_11")
    torch = {}
    if python and GOLDEN.exists():
        ran = subprocess.run([python, __file__, "--time-torch"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        torch = json.loads(ran.stdout) if ran.returncode == 0 else {}
        if not torch:
            print(f"torch could not be timed with {python}", file=sys.stderr)
    else:
        print("torch is not timed: set AOTSCOPE_TORCH_PYTHON_2_11 to a Python that has torch 2.11.0")
    for row in rows:
        row["torch_seconds"] = torch.get(f"{row['name']} {row['partitioner']}")
        if row["torch_seconds"]:
            ratio = row["torch_seconds"] / row["best_seconds"]
            print(
                f"{row['name']:<20} {row['partitioner']:<8} torch {row['torch_seconds'] * 1e3:10.1f} ms, "
                f"here {row['best_seconds'] * 1e3:8.2f} ms: {ratio:6.0f} times as fast"
            )
    arguments.json.write_text(json.dumps({"benchmark": "partition", "graphs": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
