#!/usr/bin/env python3
"""Computes with symbolic sizes at random, and writes what PyTorch prints of each result, one line for each: the
computation in reverse Polish notation, a tab, the text.

python make_expression_answers.py expression_answers.txt, with torch 2.11.0
"""

import random
import sys

import torch
from sympy.core.cache import clear_cache
from torch._dynamo.source import LocalSource
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

COUNT = 1000
HINTS = {"a": 35, "b": 48, "c": 77, "d": 6}
WHOLE = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "max": torch.sym_max,
    "min": torch.sym_min,
}
WEIGHTS = (5, 4, 4, 4, 2, 2, 1)
NUMBERS = {"add": (1, 12), "sub": (1, 6), "mul": (2, 6), "floordiv": (2, 8), "mod": (2, 5), "max": (0, 4), "min": (3, 90)}
FLOATS = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "truediv": lambda x, y: x / y}


def whole(depth, symbols):
    """A computation of whole numbers as a list of words, with its result."""
    if depth == 0 or random.random() < 0.15:
        name = random.choice(list(symbols))
        return [name], symbols[name]
    operation = random.choices(list(WHOLE), WEIGHTS)[0]
    words, left = whole(depth - 1, symbols)
    if random.random() < 0.6:
        number = random.randint(*NUMBERS[operation])
        words, right, first = words + [str(number)], number, operation in ("sub", "add") and random.random() < 0.2
        if first:
            words = words[-1:] + words[:-1]
            left, right = right, left
    else:
        more, right = whole(depth - 1, symbols)
        words += more
    return words + [operation], WHOLE[operation](left, right)


def real(depth, symbols):
    """The same of floats."""
    if depth == 0:
        words, number = whole(random.randint(0, 2), symbols)
        if random.random() < 0.5:
            return words + ["float"], torch.sym_float(number)
        more, divisor = whole(random.randint(0, 1), symbols)
        return words + more + ["truediv"], number / divisor
    operation = random.choice(list(FLOATS))
    words, left = real(depth - 1, symbols)
    if random.random() < 0.6:
        number = random.choice([0.5, 2.0, 0.125, 3.0, 10.5, 1.0, 0.0])
        if random.random() < 0.4:
            return [repr(number)] + words + [operation], FLOATS[operation](number, left)
        return words + [repr(number), operation], FLOATS[operation](left, number)
    more, right = real(depth - 1, symbols)
    return words + more + [operation], FLOATS[operation](left, right)


def sizes():
    """Symbols of an environment of their own, by name."""
    environment = ShapeEnv()
    symbols = {}
    for source, hint in HINTS.items():
        symbol = environment.create_symbol(hint, LocalSource(source), DimDynamic.DYNAMIC)
        symbols[str(symbol)] = environment.create_symintnode(symbol, hint=hint)
    return symbols


def again(words, symbols):
    """What the computation gives when it is the first one."""
    clear_cache()
    stack = []
    for word in words.split():
        if word in symbols:
            stack.append(symbols[word])
        elif word == "float":
            stack.append(torch.sym_float(stack.pop()))
        elif word[0].isdigit():
            stack.append(float(word) if "." in word else int(word))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append((WHOLE | FLOATS)[word](left, right))
    return str(stack.pop())


def main():
    random.seed(0)
    symbols = sizes()
    answers = {}
    while len(answers) < COUNT:
        make, depth = (whole, random.randint(1, 4)) if random.random() < 0.75 else (real, random.randint(0, 2))
        try:
            words, result = make(depth, symbols)
        except ZeroDivisionError:
            continue
        symbolic = isinstance(result, (torch.SymInt, torch.SymFloat)) and not result.node.expr.is_number
        if symbolic and len(str(result)) < 200:
            answers.setdefault(" ".join(words), str(result))
    # What sympy says of signs may depend on what it was asked before.
    answers = {words: text for words, text in answers.items() if again(words, sizes()) == text}
    with open(sys.argv[1], "w") as file:
        file.write(f"# {' '.join(f'{s}={n.node.hint}' for s, n in symbols.items())}\n")
        file.writelines(f"{words}\t{text}\n" for words, text in answers.items())


if __name__ == "__main__":
    main()
