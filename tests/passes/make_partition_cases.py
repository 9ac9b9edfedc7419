#!/usr/bin/env python3
"""Writes partition_cases/*.txt (with torch 2.11) or partition_cases_2_15/*.txt (with torch 2.15): small joint graphs, and
the halves that PyTorch's partitioners make of them.

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
IS_2_15 = torch.__version__.startswith("2.15.")
FOLDER = pathlib.Path(__file__).parent / ("partition_cases_2_15" if IS_2_15 else "partition_cases")
CASES = []


def case(primals, tangents, *, outputs=1, partitioner="min-cut", recompute=(), save=(), since_2_15=False, **options):
    """Sizes of the primals and tangents, and how many outputs are the forward's; `recompute` names checkpointed nodes, `save` those
    that must be saved, and `since_2_15` says that older releases refuse the graph."""

    def add(f):
        if since_2_15 and not IS_2_15:
            return f
        CASES.append((f, primals, tangents, outputs, partitioner, recompute, save, options))
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


@case([(4,)], [(4,)])
def what_only_the_forward_needs_is_not_merged_with_what_the_backward_needs(primals, tangents):
    """Since torch 2.15 two equal calls stay two if only one of them is needed by the backward; before, both became one."""
    (x,), (g,) = primals, tangents
    return [aten.mul(aten.exp(x), x)], [aten.mul(g, aten.neg(aten.exp(x)))]


@case([(4,)], [(4,), (4,)], outputs=2)
def normal_numbers_are_drawn_twice(primals, tangents):
    """randn_like is not in the list of random operators that are never merged; since torch 2.15 all random ones are."""
    (x,), (g, h) = primals, tangents
    a, b = aten.randn_like(x), aten.randn_like(x)
    return [aten.mul(x, a), aten.mul(x, b)], [aten.add(aten.mul(g, a), aten.mul(h, b))]


@case([(4,)], [(4,)])
def zero_and_minus_zero_are_not_one_number(primals, tangents):
    """Since torch 2.15 arguments are compared bit by bit: 0.0 is not -0.0, and NaN is NaN."""
    (x,), (g,) = primals, tangents
    nan = float("nan")
    a, b = aten.div(x, 0.0), aten.div(x, -0.0)
    c, d = aten.clamp(x, nan), aten.clamp(x, nan)
    return [aten.add(aten.mul(a, b), aten.mul(c, d))], [aten.add(aten.mul(g, aten.add(a, b)), aten.add(c, d))]


@case([(1, 2, 4, 8)], [(1, 2, 4, 8)], recompute=("_scaled_dot_product_flash_attention_for_cpu", "getitem", "getitem_1", "sin"))
def attention_without_dropout_draws_nothing(primals, tangents):
    """Attention has the tag of a random operator. Since torch 2.15 no state is kept for it where its dropout is 0."""
    (x,), (g,) = primals, tangents
    y = aten._scaled_dot_product_flash_attention_for_cpu(x, x, x)[0]
    return [aten.sum(aten.sin(y), [0], True)], [aten.mul(g, aten.cos(y))]


@case(
    [(1, 2, 4, 8)], [(1, 2, 4, 8)], recompute=("_scaled_dot_product_flash_attention_for_cpu", "getitem", "getitem_1", "sin")
)
def attention_with_dropout_draws(primals, tangents):
    """With a dropout that is not 0 the generator's state is kept in every release."""
    (x,), (g,) = primals, tangents
    y = aten._scaled_dot_product_flash_attention_for_cpu(x, x, x, 0.5)[0]
    return [aten.sum(aten.sin(y), [0], True)], [aten.mul(g, aten.cos(y))]


@case([(8, 8), (8, 8)], [(8, 8)])
def leaky_relu_is_computed_again(primals, tangents):
    """leaky_relu is tagged pointwise since torch 2.15, so it may be computed again."""
    (x, w), (g,) = primals, tangents
    a = aten.mm(x, w)
    b = aten.leaky_relu(a, 0.1)
    return [aten.sin(b)], [aten.mul(aten.mul(g, aten.cos(b)), a)]


@case([(4, 4)], [(4, 4)], partitioner="default", since_2_15=True)
def an_asynchronous_assertion_is_not_saved_by_default(primals, tangents):
    """default_partition of torch 2.11 refuses such a graph: the assertion's result is not a tensor."""
    (x,), (g,) = primals, tangents
    aten._assert_async.msg(aten.all(aten.gt(x, -10)), "too small")
    a = aten.sin(x)
    return [a], [aten.mul(g, aten.cos(a))]


@case([(8, 8)], [(32, 8)], save=("cat",), activation_memory_budget=0.01)
def a_budget_with_nothing_to_choose_keeps_the_cut(primals, tangents):
    """The only value that may not be computed again must be saved, so there is nothing for a knapsack. Since torch 2.15 the
    last cut stands, which saves half as much; before, the inputs were saved and what must be."""
    (x,), (g,) = primals, tangents
    a = aten.cat([x, x, x, x])
    b = aten._to_copy(a, dtype=torch.bfloat16)
    return [aten.sin(b)], [aten.slice(aten.mul(g, aten.cos(b)), 0, 0, 8)]


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


def write(f, primals, tangents, outputs, partitioner, recompute, save, options):
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
        if node.name in save:
            node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    text = readable(joint)
    split = default_partition if partitioner == "default" else min_cut_rematerialization_partition
    with config.patch(options), tracing(TracingContext(mode)):
        forward, backward = split(joint, inputs, num_fwd_outputs=outputs)
    words = ["torch=2.15"] if IS_2_15 else []
    words += [f"partitioner={partitioner}", f"outputs={outputs}", *(f"{k}={v}" for k, v in options.items())]
    head = "\n".join("# " + line.strip() for line in f.__doc__.split("\n"))
    document = f"{head}\n{' '.join(words)}\n\njoint:\n{text}\nforward:\n{readable(forward)}\nbackward:\n{readable(backward)}"
    (FOLDER / (f.__name__ + ".txt")).write_text(document)


FOLDER.mkdir(exist_ok=True)
for arguments in CASES:
    write(*arguments)
