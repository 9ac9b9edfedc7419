#!/usr/bin/env python3
"""Which programs of programs/function_warnings.py differ from eager mode when they are compiled: one line per program with
`equal`, the largest difference of a gradient, or the error. Writes function_answers.tsv for the releases of the given
Pythons: make_function_answers.py OUT PYTHON…"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def answers():
    sys.path.insert(0, os.path.join(HERE, "programs"))
    import torch
    from function_warnings import CASES

    for name, (f, sizes) in CASES.items():
        torch._dynamo.reset()
        torch.manual_seed(0)
        eager = [torch.randn(*size, requires_grad=True) for size in sizes]
        compiled = [x.detach().clone().requires_grad_() for x in eager]
        f(*eager).backward()
        try:
            torch.compile(f, backend="aot_eager")(*compiled).backward()
        except Exception as error:
            print(name, "error: " + str(error).split("\n")[0], sep="\t")
            continue
        apart = 0.0
        for left, right in zip(eager, compiled):
            zero = torch.zeros_like(left)
            pair = [zero if x.grad is None else x.grad for x in (left, right)]
            apart = max(apart, (pair[0] - pair[1]).abs().max().item())
        print(name, "equal" if apart < 1e-4 else f"differs by {apart:.3g}", sep="\t")


def main():
    if len(sys.argv) == 1:
        answers()
        return
    with open(sys.argv[1], "w") as file:
        file.write("release\tprogram\tanswer\n")
        for python in sys.argv[2:]:
            version = subprocess.run(
                [python, "-c", "import torch; print('.'.join(torch.__version__.split('.')[:2]))"],
                capture_output=True, text=True, check=True,
            ).stdout.strip()
            told = subprocess.run([python, __file__], capture_output=True, text=True, check=True).stdout
            file.writelines(f"{version}\t{line}\n" for line in told.splitlines() if "\t" in line)


if __name__ == "__main__":
    main()
