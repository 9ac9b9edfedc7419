#!/usr/bin/env python3
"""What runtime wrappers add to a call, here and in PyTorch, in one run: `./dev bench runtime`.

Functions of 1, 10 and 100 inputs are compiled with graphs that do nothing but return results made before, so that only the
wrappers are measured; the time of such a graph alone is subtracted. PyTorch's side runs under the Python that
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


def measure_torch():
    """Runs under the Python that has torch: prints a list like bench_runtime's."""
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

    def timed(call, rounds=15, calls=1000):
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter_ns()
            for _ in range(calls):
                call()
            best = min(best, (time.perf_counter_ns() - start) / calls)
        return best

    rows = []
    for grad in (False, True):
        for count in (1, 10, 100):
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
                through = timed(lambda: compiled(*inputs))
            with torch.no_grad():
                direct = timed(lambda: kept[0](list(inputs)))
            rows.append({"inputs": count, "grad": grad, "ns": through, "direct_ns": direct})
    print(json.dumps(rows))


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
    ours = json.loads(subprocess.check_output([arguments.build_dir / "bin" / "bench_runtime"]))
    theirs = json.loads(subprocess.check_output([python_with_torch(), __file__, "--torch"]))
    print(f"{'inputs':>6} {'grad':>5} {'here':>10} {'PyTorch':>10} {'share':>6}")
    rows = []
    for mine, other in zip(ours, theirs, strict=True):
        here, there = mine["ns"] - mine["direct_ns"], other["ns"] - other["direct_ns"]
        rows.append({**{key: mine[key] for key in ("inputs", "grad")}, "ns": here, "torch_ns": there, "share": here / there})
        print(f"{mine['inputs']:>6} {'yes' if mine['grad'] else 'no':>5} {here / 1000:>7.2f} µs {there / 1000:>7.2f} µs {here / there:>6.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "bar": BAR}, indent=1))
    return 0 if all(row["share"] <= BAR for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
