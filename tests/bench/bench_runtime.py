#!/usr/bin/env python3
"""What runtime wrappers add to a call, here and in PyTorch, in one run: `./dev bench runtime`.

Functions of 1, 10 and 100 inputs are compiled with graphs that do nothing but return results made before, so that only the
wrappers are measured; the time of such a graph alone is subtracted. Both sides measure in turns, round by round, and the best
round of each counts. "observed" is the same call here with an observer that does nothing: a call that could be stepped through.
PyTorch's side runs under the Python that
AOTSCOPE_TORCH_PYTHON_2_15 names, or that of the venv that `./dev bench trace` makes. The bar: at most a fifth of PyTorch's.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = "2.15.0"
BAR = 0.2
ROUNDS = 15
CASES = [(inputs, grad) for grad in (False, True) for inputs in (1, 10, 100)]


def measure_torch():
    """Runs under the Python that has torch: measures as bench_runtime does."""
    import torch
    from torch._functorch.aot_autograd import aot_module_simplified

    def no_work(module, _examples):
        results = []

        def run(arguments):
            if not results:
                results.extend(module(*arguments))
            arguments.clear()
            return [each.detach() if isinstance(each, torch.Tensor) else each for each in results]

        run._boxed_call = True
        return run

    def timed(call, calls=1000):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        return (time.perf_counter_ns() - start) / calls

    made = []
    for count, grad in CASES:
        names = [f"x{i}" for i in range(count)]
        scope = {"torch": torch}
        total = "x0.sin()" + "".join(f" + {name}" for name in names[1:])
        exec(f"def program({', '.join(names)}):\n    return ({total},)", scope)
        inputs = [torch.ones(4, requires_grad=grad) for _ in names]
        kept = []

        def compiler(module, examples, kept=kept):
            kept.append(no_work(module, examples))
            return kept[-1]

        compiled = aot_module_simplified(torch.fx.symbolic_trace(scope["program"]), inputs, compiler, compiler)
        with torch.set_grad_enabled(grad):
            compiled(*inputs)
        made.append((grad, compiled, kept[0], inputs))
    print("ready", flush=True)
    for line in sys.stdin:
        grad, compiled, alone, inputs = made[int(line)]
        with torch.set_grad_enabled(grad):
            through = timed(lambda: compiled(*inputs))
        with torch.no_grad():
            direct = timed(lambda: alone(list(inputs)))
        print(json.dumps({"ns": through, "direct_ns": direct}), flush=True)


class Side:
    """A program that measures one round of a case whenever it is told to, and keeps the best of each number."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"{command[0]} did not start.")
        self.best = [{} for _ in CASES]

    def round(self, case):
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()
        for key, value in json.loads(self.process.stdout.readline()).items():
            self.best[case][key] = min(value, self.best[case].get(key, value))

    def added(self, case, key="ns"):
        return self.best[case][key] - self.best[case]["direct_ns"]


def python_with_torch():
    named = os.environ.get("AOTSCOPE_TORCH_PYTHON_2_15")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "aotscope"
    for candidate in [named, cache / "venv-2.15" / "bin" / "python", cache / "bench-torch-2.15.0" / "bin" / "python"]:
        if candidate and pathlib.Path(candidate).exists():
            return str(candidate)
    sys.exit("There is no Python with torch 2.15: run `./dev bench trace` once, or name one in AOTSCOPE_TORCH_PYTHON_2_15.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--torch", action="store_true", help="measure PyTorch's side (internal)")
    arguments = parser.parse_args()
    if arguments.torch:
        return measure_torch()
    ours = Side([str(arguments.build_dir / "bin" / "bench_runtime")])
    theirs = Side([python_with_torch(), __file__, "--torch"])
    for number in range(ROUNDS):
        for case in range(len(CASES)):
            # Who goes first changes from round to round: a machine that slows down must not favour one.
            for side in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                side.round(case)
    print(f"{'inputs':>6} {'grad':>5} {'here':>10} {'PyTorch':>10} {'share':>6} {'observed':>10}")
    rows = []
    for case, (inputs, grad) in enumerate(CASES):
        here, observed, there = ours.added(case), ours.added(case, "observed_ns"), theirs.added(case)
        rows.append({"inputs": inputs, "grad": grad, "ns": here, "observed_ns": observed, "torch_ns": there, "share": here / there})
        print(
            f"{inputs:>6} {'yes' if grad else 'no':>5} {here / 1000:>7.2f} µs {there / 1000:>7.2f} µs {here / there:>6.3f}"
            f" {observed / 1000:>7.2f} µs"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "bar": BAR}, indent=1))
    return 0 if all(row["share"] <= BAR for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
