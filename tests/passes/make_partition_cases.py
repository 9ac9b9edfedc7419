#!/usr/bin/env python3
"""Writes partition_cases/*.txt: small joint graphs, and the halves that torch 2.11.0's partitioners make of them.

    python make_partition_cases.py

Each case is a function of primals and tangents, traced as it is written; what its docstring says stands at the head of its
file. `options` are fields of torch._functorch.config.
"""

import pathlib

import torch
import torch.utils._pytree as pytree
from torch._functorch import config
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition
from torch._guards import TracingContext, tracing
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.checkpoint import CheckpointPolicy

aten = torch.ops.aten
FOLDER = pathlib.Path(__file__).parent / "partition_cases"
CASES = []


def case(primals, tangents, *, outputs=1, partitioner="min-cut", recompute=(), **options):
    """Sizes of the primals and tangents, and how many outputs are the forward's; `recompute` names checkpointed nodes."""

    def add(f):
        CASES.append((f, primals, tangents, outputs, partitioner, recompute, options))
        return f

    return add


@case([(4,)], [(4,)])
def dead_nodes_go(primals, tangents):
    """What nothing uses is in neither half."""
    (x,), (g,) = primals, tangents
    aten.exp(x)
    y = aten.sin(x)
    aten.neg(aten.cos(g))
    return [y], [aten.mul(g, aten.cos(x))]


@case([(4,)], [(4,)])
def an_unused_random_operator_stays_out_too(primals, tangents):
    """A random operator that nothing uses draws numbers all the same, but the partitioners leave it out."""
    (x,), (g,) = primals, tangents
    aten.rand_like(x)
    return [aten.sin(x)], [aten.mul(g, aten.cos(x))]


@case([(4, 4), (4, 4)], [(4, 4)])
def equal_calls_are_made_once(primals, tangents):
    """Calls of one operator with the same arguments are one call; what used the later one uses the first (fx_graph_cse)."""
    (x, w), (g,) = primals, tangents
    a = aten.mm(x, w)
    b = aten.mm(x, w)
    return [aten.mul(a, b)], [aten.mul(g, a), aten.mul(g, b)]


@case([(4,)], [(4,)], cse=False)
def equal_calls_stay_where_merging_is_off(primals, tangents):
    """The same with the setting cse off."""
    (x,), (g,) = primals, tangents
    return [aten.mul(aten.exp(x), aten.exp(x))], [aten.mul(g, aten.exp(x))]


@case([(4,)], [(4,), (4,)], outputs=2)
def random_calls_are_never_one(primals, tangents):
    """Two calls of a random operator draw different numbers, so neither stands for the other."""
    (x,), (g, h) = primals, tangents
    a, b = aten.rand_like(x), aten.rand_like(x)
    return [aten.mul(x, a), aten.mul(x, b)], [aten.add(aten.mul(g, a), aten.mul(h, b))]


@case([(4, 6)], [(6, 4), (6, 4)], outputs=2)
def views_of_one_input_that_are_returned_stay_two(primals, tangents):
    """Outputs that would become one tensor stay two: a caller may write to one of them."""
    (x,), (g, h) = primals, tangents
    return [aten.t(x), aten.t(x)], [aten.t(aten.add(g, h))]


@case([(4,)], [(4,)])
def a_view_is_taken_again_instead_of_saved(primals, tangents):
    """A view costs nothing, so the backward takes it again of what it has."""
    (x,), (g,) = primals, tangents
    v = aten.view(x, [2, 2])
    return [aten.view(aten.sin(v), [4])], [aten.mul(g, aten.view(aten.cos(v), [4]))]


@case([(8, 8), (8, 8)], [(8, 8)])
def pointwise_chains_are_computed_again(primals, tangents):
    """Of a chain of pointwise operators its start is saved: one tensor instead of three, and computing again is fused."""
    (x, w), (g,) = primals, tangents
    a = aten.mm(x, w)
    b = aten.sin(a)
    c = aten.exp(b)
    return [aten.mul(c, 2.0)], [aten.mul(aten.mul(aten.mul(g, c), b), aten.cos(a))]


@case([(8, 8), (8, 8)], [(8, 8)])
def a_matrix_product_is_never_computed_again(primals, tangents):
    """A product's result is saved although its inputs are at hand: it is not in the list of what may be computed again."""
    (x, w), (g,) = primals, tangents
    a = aten.mm(x, w)
    return [aten.tanh(a)], [aten.mul(g, a), aten.mul(g, aten.sin(a))]


@case([(64, 64)], [(64,)])
def a_reduction_is_saved(primals, tangents):
    """A sum is saved although the input that it is of is saved too: few bytes, and computing it again reads many."""
    (x,), (g,) = primals, tangents
    s = aten.sum(aten.sin(x), [1])
    return [aten.exp(s)], [aten.mul(aten.unsqueeze(aten.mul(g, aten.sin(s)), 1), aten.cos(x))]


@case([(64, 64)], [(64,)], ban_recompute_reductions=False)
def a_reduction_without_that_ban(primals, tangents):
    """The same with ban_recompute_reductions off: the sum is computed again of the input."""
    (x,), (g,) = primals, tangents
    s = aten.sum(aten.sin(x), [1])
    return [aten.exp(s)], [aten.mul(aten.unsqueeze(aten.mul(g, aten.sin(s)), 1), aten.cos(x))]


@case([(4, 4)], [(4, 4)], partitioner="default")
def the_default_partition_saves_what_the_backward_reads(primals, tangents):
    """default_partition leaves every operator where it was traced, saves what the backward reads, and computes nothing again."""
    (x,), (g,) = primals, tangents
    a = aten.sin(x)
    b = aten.exp(a)
    return [b], [aten.mul(aten.mul(g, b), aten.cos(x))]


@case([(4, 4)], [(4, 4)], partitioner="default", recompute=("sin", "exp"))
def the_default_partition_computes_checkpoints_again(primals, tangents):
    """Nodes of a checkpointed region are computed again by default_partition too."""
    (x,), (g,) = primals, tangents
    b = aten.exp(aten.sin(x))
    return [b], [aten.mul(aten.mul(g, b), aten.cos(x))]


@case([(8, 8), (8, 8)], [(8, 8)], recompute=("mm", "sin"))
def a_checkpoint_computes_a_product_again(primals, tangents):
    """In a checkpointed region even a product is computed again."""
    (x, w), (g,) = primals, tangents
    a = aten.mm(x, w)
    b = aten.sin(a)
    d = aten.mul(g, aten.cos(a))
    return [aten.sum(b, [0], True)], [aten.mm(d, aten.t(w)), aten.mm(aten.t(x), d)]


@case([(8, 8)], [(8, 8)], recompute=("rand_like", "mul"))
def random_numbers_of_a_checkpoint_are_drawn_again(primals, tangents):
    """The forward keeps the generator's state from before it draws, and the backward draws from that state
    (functionalize_rng_ops)."""
    (x,), (g,) = primals, tangents
    a = aten.rand_like(x)
    b = aten.mul(x, a)
    return [aten.sin(b)], [aten.mul(aten.mul(g, aten.cos(b)), a)]


@case([(8, 8)], [(8, 8)], activation_memory_budget=0.0)
def nothing_but_inputs_is_saved_without_a_budget(primals, tangents):
    """activation_memory_budget 0 saves inputs alone."""
    (x,), (g,) = primals, tangents
    a = aten.mm(x, x)
    b = aten.mm(aten.sin(a), x)
    return [b], [aten.mm(g, aten.cos(a))]


@case([(4,)], [(4,)])
def what_the_backward_alone_needs_is_in_the_backward(primals, tangents):
    """A node that no output of the forward needs is computed in the backward, of inputs that are saved."""
    (x,), (g,) = primals, tangents
    return [aten.sin(x)], [aten.mul(g, aten.rsqrt(aten.add(aten.mul(x, x), 1.0)))]


def traced(f, primals, tangents, mode):
    def joint(primals, tangents):
        return f(primals, tangents)

    with mode:
        inputs = [[torch.empty(x) for x in sizes] for sizes in (primals, tangents)]
        return make_fx(joint)(*inputs), inputs


def readable(module):
    # The traced outputs have no descriptors. A half that has none at all would be printed with "# None" beside each.
    output = module.graph.output_node()
    if not any(output.meta.get("desc", [])):
        output.meta.pop("desc", None)
    text = module.print_readable(print_output=False, include_stride=True, include_device=True, expanded_def=True)
    return "\n".join(line.rstrip() for line in text.strip().split("\n")) + "\n"


def write(f, primals, tangents, outputs, partitioner, recompute, options):
    mode = FakeTensorMode()
    joint, inputs = traced(f, primals, tangents, mode)
    # As AOTAutograd marks what was traced before the first tangent was used. The printed text does not tell.
    nodes = list(joint.graph.nodes)
    last = max(nodes.index(x) for x in pytree.tree_leaves(joint.graph.output_node().args)[:outputs])
    for node in nodes[: last + 1]:
        node.meta["partitioner_tag"] = "is_forward"
    for node in nodes:
        if node.name in recompute:
            node.meta["recompute"] = CheckpointPolicy.PREFER_RECOMPUTE
            node.meta["ac_graph_id"] = 1
    text = readable(joint)
    split = default_partition if partitioner == "default" else min_cut_rematerialization_partition
    with config.patch(options), tracing(TracingContext(mode)):
        forward, backward = split(joint, inputs, num_fwd_outputs=outputs)
    words = [f"partitioner={partitioner}", f"outputs={outputs}", *(f"{k}={v}" for k, v in options.items())]
    head = "\n".join("# " + line.strip() for line in f.__doc__.split("\n"))
    document = f"{head}\n{' '.join(words)}\n\njoint:\n{text}\nforward:\n{readable(forward)}\nbackward:\n{readable(backward)}"
    (FOLDER / (f.__name__ + ".txt")).write_text(document)


for arguments in CASES:
    write(*arguments)
