#!/usr/bin/env python3
"""What runtime wrappers add to a call, here and in PyTorch, in one run: `./dev bench runtime`.

Functions of 1, 10 and 100 inputs are compiled with graphs that do nothing but return results made before, so that only the
wrappers are measured; the time of such a graph alone is subtracted. Both sides measure in turns, round by round, and the best
round of each counts. "observed" is the same call here with an observer that does nothing: a call that could be stepped through.
The bar: at most a fifth of PyTorch's.

Then five training steps of logged programs, in processor time of one thread, beside the same steps of PyTorch's aot_eager
(training_peer.py). The bar: at most 1.1 times PyTorch's, as the medians of rounds in turns say.

PyTorch's side runs under the Python that AOTSCOPE_TORCH_PYTHON_2_15 names, or that of the venv that `./dev bench trace` makes.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from bench_trace import log_of, python_with_torch
from training_peer import Training

HERE = pathlib.Path(__file__).resolve().parent
RELEASE = "2.15.0"
BAR = 0.2
ROUNDS = 15
TRAININGS = ["resnet18", "gpt2_2l"]
TRAINING_BAR = 1.1
CASES = [(inputs, grad) for grad in (False, True) for inputs in (1, 10, 100)]


def measure_torch(logs):
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
    trainings = [Training(log) for log in logs]
    print("ready", flush=True)
    for line in sys.stdin:
        if int(line) >= len(made):
            print(json.dumps(trainings[int(line) - len(made)].measure()), flush=True)
            continue
        grad, compiled, alone, inputs = made[int(line)]
        with torch.set_grad_enabled(grad):
            through = timed(lambda: compiled(*inputs))
        with torch.no_grad():
            direct = timed(lambda: alone(list(inputs)))
        print(json.dumps({"ns": through, "direct_ns": direct}), flush=True)


class Side:
    """A program that measures one round of a case whenever it is told to, and keeps the numbers of every round."""

    def __init__(self, command):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            sys.exit(f"{command[0]} did not start.")
        self.rounds = {}

    def round(self, case):
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()
        self.rounds.setdefault(case, []).append(json.loads(self.process.stdout.readline()))

    def all(self, case, key):
        return [measured[key] for measured in self.rounds[case]]

    def added(self, case, key="ns"):
        return min(self.all(case, key)) - min(self.all(case, "direct_ns"))


def measure_in_turns(ours, theirs, cases, rounds):
    for number in range(rounds):
        for case in cases:
            # Who goes first changes from round to round: a machine that slows down must not favour one.
            for side in (ours, theirs) if number % 2 == 0 else (theirs, ours):
                side.round(case)


def wrapper_rows(ours, theirs):
    measure_in_turns(ours, theirs, range(len(CASES)), ROUNDS)
    print(f"{'inputs':>6} {'grad':>5} {'here':>10} {'PyTorch':>10} {'share':>6} {'observed':>10}")
    rows = []
    for case, (inputs, grad) in enumerate(CASES):
        here, observed, there = ours.added(case), ours.added(case, "observed_ns"), theirs.added(case)
        rows.append({"inputs": inputs, "grad": grad, "ns": here, "observed_ns": observed, "torch_ns": there, "share": here / there})
        print(
            f"{inputs:>6} {'yes' if grad else 'no':>5} {here / 1000:>7.2f} µs {there / 1000:>7.2f} µs {here / there:>6.3f}"
            f" {observed / 1000:>7.2f} µs"
        )
    return rows


def spread(values, unit=1e6):
    return f"{statistics.median(values) / unit:.1f} ({min(values) / unit:.1f} to {max(values) / unit:.1f})"


def training_rows(ours, theirs, names):
    cases = range(len(CASES), len(CASES) + len(names))
    measure_in_turns(ours, theirs, cases, ROUNDS)
    print(f"{'five steps':<10} {'here, ms':>26} {'PyTorch, ms':>26} {'ratio':>6} {'observed':>9}")
    rows = []
    for case, name in zip(cases, names):
        losses = [side.all(case, "losses")[0] for side in (ours, theirs)]
        if any(abs(one - other) > 1e-3 * abs(other) for one, other in zip(*losses)):
            sys.exit(f"{name}: the losses differ: {losses[0]} here, {losses[1]} in PyTorch")
        here, there, observed = ours.all(case, "ns"), theirs.all(case, "ns"), ours.all(case, "observed_ns")
        row = {"name": name, "ns": here, "torch_ns": there, "observed_ns": observed, "losses": losses[0]}
        row["ratio"] = statistics.median(here) / statistics.median(there)
        row["observed_ratio"] = statistics.median(observed) / statistics.median(here)
        rows.append(row)
        print(f"{name:<10} {spread(here):>26} {spread(there):>26} {row['ratio']:>6.3f} {row['observed_ratio']:>9.3f}")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--torch", action="store_true", help="measure PyTorch's side (internal)")
    parser.add_argument("logs", nargs="*", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.torch:
        return measure_torch([pathlib.Path(log) for log in arguments.logs])
    logs = {name: log for name in TRAININGS if (log := log_of(RELEASE, name))}
    ours = Side([arguments.build_dir / "bin" / "bench_runtime", *logs.values()])
    theirs = Side([python_with_torch(RELEASE), __file__, "--torch", *logs.values()])
    rows = wrapper_rows(ours, theirs)
    trainings = training_rows(ours, theirs, list(logs))
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "bar": BAR, "trainings": trainings, "training_bar": TRAINING_BAR}, indent=1))
    is_reached = all(row["share"] <= BAR for row in rows) and all(row["ratio"] <= TRAINING_BAR for row in trainings)
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
