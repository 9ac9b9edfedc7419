#!/usr/bin/env python3
"""Writes more of partition_cases_2_15/*.txt: joint graphs that torch.compile of torch 2.15 made of small programs, with the
halves that it logged, for rules that depend on more than a graph of make_partition_cases.py has.

    python make_traced_cases.py

`hints` are the example values of symbols, and `symbols` the names that the inputs' sizes were created with.
"""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import torch

FOLDER = pathlib.Path(__file__).parent / "partition_cases_2_15"
PROGRAMS = {}


def program(f):
    PROGRAMS[f.__name__] = f
    return f


def compiled(f, **options):
    return torch.compile(f, backend="aot_eager", **options)


def need_grad(*sizes):
    return [torch.randn(size, requires_grad=True) for size in sizes]


@program
def an_overwritten_input_is_not_saved():
    """The input is overwritten after the forward has returned, so its clone is saved although the input is at hand."""

    def f(x):
        outputs = x.exp(), x.sigmoid()
        x.mul_(2)
        return outputs

    compiled(f)(need_grad((4, 4))[0].clone())


@program
def sizes_that_are_equal_keep_their_symbols():
    """Two sizes that were found to be equal are printed alike, but both are saved, each for the values that have it."""

    def f(scores, logits):
        total = (scores.unsqueeze(2) + torch.log_softmax(logits, -1)).view(scores.size(0), -1)
        return total.topk(3)[0]

    g = compiled(f)
    for n in (3, 7):
        g(*need_grad((n, 3), (n, 3, 5)))


@program
def a_size_that_is_a_multiple_of_another_keeps_its_symbol():
    """The same for a size that was found to be twice another."""

    def f(a, b):
        return torch.cat([a, a]).sin() * b.exp()

    g = compiled(f)
    for n in (3, 7):
        g(*need_grad((n, 4), (2 * n, 4)))


@program
def a_size_that_depends_on_data_counts_within_its_bounds():
    """A size between 1 and 6 counts as 6, not as 4096: so it is the smaller value that is saved."""

    def f(x, n):
        u = n.item()
        torch._check(u >= 1)
        torch._check(u <= x.shape[0])
        return x.narrow(0, 0, u).sin().exp().sum()

    torch._dynamo.config.capture_scalar_outputs = True
    compiled(f)(*need_grad((6, 4)), torch.tensor(4))


@program
def the_size_of_a_value_does_not_bind_its_symbol():
    """The number of nonzero elements is not saved for its own sake: no size of a value is where its symbol comes from."""

    def f(x):
        (i,) = (x[:, 0] > -10).nonzero(as_tuple=True)
        return torch.index_select(x, 0, i).mean(0)

    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    compiled(f)(*need_grad((4, 6)))


@program
def a_float_becomes_a_tensor_with_all_keywords():
    """A Python float is a tensor in clamp_min too, and add keeps its alpha."""

    def f(x, s):
        return torch.add(x, s, alpha=3).sin() * s + x.clamp_min(s * 2)

    g = compiled(f)
    for s in (0.5, 0.7):
        g(*need_grad((4, 4)), s)


@program
def a_number_read_from_a_tensor_has_no_dimensions():
    """item() of a tensor with dimensions gives a number; as a tensor it is reshaped first."""

    def f(x, t):
        s = t.item()
        return x * s + x.clamp_min(s)

    torch._dynamo.config.capture_scalar_outputs = True
    compiled(f)(*need_grad((4, 4)), torch.tensor([2.5]))


@program
def a_subgraph_that_runs_forward_more_often_than_backward():
    """Calls of a subgraph and of its backward are paired by their call_id; the second call has no backward."""

    @torch.compiler.nested_compile_region
    def block(x, w):
        return torch.sin(x @ w)

    def f(x, w):
        a = block(x, w)
        return (block(a.detach(), w.detach()) + block(a, w)).sum()

    compiled(f)(*need_grad((4, 4), (4, 4)))


@program
def the_program_gives_the_memory_budget():
    """region_activation_memory_budget stands in the nodes' annotations."""

    def f(x, w):
        with torch.autograd.graph.region_activation_memory_budget(0.3):
            return torch.tanh(torch.cos(torch.sin(x @ w) @ w) @ w).sum()

    compiled(f)(*need_grad((64, 64), (64, 64)))


@program
def a_budget_for_a_part_of_the_forward_is_refused():
    """Without halves: PyTorch asks for a budget that holds for the whole forward."""

    def f(x, w):
        with torch.autograd.graph.region_activation_memory_budget(0.3):
            y = torch.tanh(torch.cos(x @ w) @ w)
        return y.sin().sum()

    try:
        compiled(f)(*need_grad((64, 64), (64, 64)))
    except RuntimeError as refused:
        assert "must cover the entire forward" in str(refused)
    else:
        raise AssertionError("was not refused")


@program
def buffers_that_are_written_stay_two():
    """Equal buffers that a functional wrapper writes to are not merged."""

    @torch.library.custom_op("partition_cases::fill", mutates_args=("x",))
    def fill(x: torch.Tensor, y: torch.Tensor) -> None:
        x.copy_(y)

    def f(x):
        a, b = torch.ones_like(x), torch.ones_like(x)
        fill(a, x.detach())
        fill(b, x.detach() * 2)
        return x * a * b

    compiled(f)(*need_grad((4, 4)))


@program
def an_effect_is_saved_for_the_checkpoint():
    """A checkpoint would compute an effectful operator again; its results are saved instead."""

    @torch.library.custom_op("partition_cases::say", mutates_args=())
    def say(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    say.register_fake(lambda x: torch.empty_like(x))
    say.register_autograd(lambda context, g: g * 2, setup_context=lambda ctx, inputs, output: None)
    effects = importlib.import_module("torch._higher_order_ops.effects")
    effects._register_effectful_op(torch.ops.partition_cases.say.default, effects._EffectType.ORDERED)

    checkpoint = importlib.import_module("torch.utils.checkpoint").checkpoint

    def f(x, w):
        return checkpoint(lambda x: torch.sin(say(x @ w).exp()), x, use_reentrant=False).sum()

    compiled(f)(*need_grad((4, 4), (4, 4)))


def records(log):
    """Envelopes and payloads."""
    lines = log.read_text().split("\n")
    for i, line in enumerate(lines):
        if re.match(r"V\d{4} ", line):
            payload = []
            for following in lines[i + 1 :]:
                if not following.startswith("\t"):
                    break
                payload.append(following[1:])
            yield json.loads(line[line.index("] {") + 2 :]), payload


def shortened(payload):
    """Without the paths in comments, and without file names of this folder's programs."""
    kept = []
    is_annotated = False
    for line in payload:
        annotation = re.match(r"( *# Annotation: \{.*?\}) ", line)
        if annotation:
            is_annotated = True
            kept.append(annotation[1] + " No stacktrace found for following nodes")
        elif is_annotated and re.match(r" *# (File|Backward of|No stack)", line):
            is_annotated = False
            kept.append(re.match(" *", line)[0] + "# No stacktrace found for following nodes")
        elif re.match(r" *# (ac_graph_id|recompute)", line):
            kept.append(re.sub(r" (Backward of forward node: )?File: .*", " No stacktrace found for following nodes", line))
        elif line.strip() and not re.match(r" *# (File|Backward of|No stack)", line):
            kept.append(line)
    return "\n".join(kept) + "\n"


def write(name):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TORCH_TRACE": folder}
        subprocess.run([sys.executable, __file__, name], env=environment, check=True)
        graphs, hints, inputs = {}, {}, []
        for envelope, payload in records(next(pathlib.Path(folder).glob("*.log"))):
            for kind in ("joint", "forward", "backward"):
                if f"aot_{kind}_graph" in envelope:
                    graphs[kind] = payload
            if "create_symbol" in envelope:
                hints[envelope["create_symbol"]["symbol"]] = envelope["create_symbol"]["val"]
            if "dynamo_output_graph" in envelope:
                signature = next(line for line in payload if "def forward(self" in line)
                inputs = re.findall(r'(\w+): "', signature)
    words = ["torch=2.15", "partitioner=min-cut"]
    hints = {symbol: value for symbol, value in hints.items() if re.fullmatch(r"\d+", value)}
    if hints:
        words.append("hints=" + ",".join(f"{symbol}:{value}" for symbol, value in hints.items()))
        words.append("symbols=" + ",".join(name if name in hints else "" for name in inputs))
    text = f"# {PROGRAMS[name].__doc__}\n{' '.join(words)}\n"
    for kind, payload in graphs.items():
        text += f"\n{kind}:\n{shortened(payload)}"
    (FOLDER / f"{name}.txt").write_text(text)


if len(sys.argv) == 2:
    PROGRAMS[sys.argv[1]]()
else:
    for name in PROGRAMS:
        write(name)
