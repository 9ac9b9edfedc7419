"""One program for each value of an option of torch._functorch.config that changes graphs or metadata.

What it changes is meant in comparison with the release's default, or of the default with another value; a comment says where
nothing that is logged can change. The value holds while the program is compiled, called and differentiated, so that the log
tells it. At the end are options that are not followed. Left out are those that change neither on a CPU: caches, debugging,
Triton, meta tensors, generators of GPUs; and `functionalize_rng_ops`, which PyTorch refuses without CUDA.
"""

from common import *

import torch._functorch.config as options
from torch.utils.checkpoint import create_selective_checkpoint_contexts, CheckpointPolicy


def option(name, *values, **others):
    """A program for each value of an option; `others` are set as well. Options that a release does not have are left out."""

    def register(f):
        if not hasattr(options, name):
            return f
        for value in values:
            text = "a_function" if callable(value) else str(value)
            text = "_".join("".join(c if c.isalnum() else " " for c in text).split()).lower()

            def program(value=value):
                with options.patch({name: value, **others}):
                    f()

            of = f.__name__ if f.__name__.startswith("_") else ""
            P[f"{name.lstrip('_')}__{text or 'empty'}{of.rstrip('_')}"] = program
        return f

    return register


def network(x, w1, w2):
    h = torch.nn.functional.gelu(x @ w1)
    return torch.tanh(h @ w2).sin() * 2


def train_network():
    go(network, R(8, 16), R(16, 32), R(32, 16))


def products(*factors):
    return [(a @ b).sin() for a, b in zip(factors[::2], factors[1::2])]


def train_products():
    """Of 4, 3, 2 and 1 parts of memory, with 2048, 768, 2048 and 768 operations: each solver saves others of them."""
    go(products, R(16, 2), R(2, 32), R(16, 1), R(1, 24), R(16, 4), R(4, 16), R(16, 3), R(3, 8))


@option("cse", False)
def _():
    go(lambda x: x.sin() * x.sin() + x.cos(), R(4, 5))


# "ilp" needs SciPy, which these logs were made without: budget_answers.json has its answers.
for solver in ("dp", "greedy", "dp_knapsack_sliding_hirschberg", "dynamic_memory_budget_dp"):
    option("activation_memory_budget_solver", solver, activation_memory_budget=0.5)(train_products)


@option("activation_memory_budget", 0.0, 0.3, 0.6, 0.9)
def _():
    def f(x, w1, w2, w3):
        h = torch.nn.functional.gelu(x @ w1)
        h = torch.tanh(h @ w2).sort(-1).values
        return torch.softmax(h @ w3, -1).cumsum(-1).sin()

    go(f, R(8, 16), R(16, 32), R(32, 16), R(16, 64))


@option("activation_memory_budget", 0.0)
def _dropout():
    go(lambda x, w: torch.nn.functional.dropout(torch.sin(x @ w), 0.4) * 2, R(8, 8), R(8, 8))


@option("activation_memory_budget_runtime_estimator", "flops", "testing", activation_memory_budget=0.4)
def _():
    train_products()


@option("aggressive_recomputation", True)
def _():
    go(lambda x: x.sort(-1).values.sin().exp(), R(6, 7))


@option("ban_recompute_used_far_apart", False)
def _():
    def f(x, w):
        a = x.sin()
        h = (a @ w).cos()
        return a.cos().sin() * h

    go(f, R(8, 8), R(8, 8))


@option("ban_recompute_long_fusible_chains", False)
def _():
    def f(x):
        for _ in range(110):
            x = x.sin()
        return x

    go(f, R(4, 4))


@option("ban_recompute_materialized_backward", False)
def _():
    go(lambda x, w: torch.relu(x).sin() @ w, R(8, 8), R(8, 8))


@option("ban_recompute_not_in_allowlist", False)
def _():
    def f(x, w):
        h = w @ x
        return h.view(2, 4, 8).transpose(0, 1).reshape(8, 8) * torch.softmax(h * x.sum(-1, keepdim=True), -1)

    go(f, R(8, 8), R(8, 8))


@option("ban_recompute_reductions", False)
def _():
    go(lambda x: x * x.sum(-1, keepdim=True), R(8, 8))


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        return (x @ self.weight).sigmoid().tanh()


@option("recompute_views", True)
def _():
    go(Gate(), R(8, 8))


@option("max_dist_from_bw", 0, 1)
def _():
    def f(x, y):
        return x.sin() * x.cos(), (y.sin() * 2).sin()

    go(f, R(8, 8), R(8, 8))


@option("treat_parameters_as_free_to_save", False)
def _():
    go(Gate(), R(8, 8))


@torch.library.custom_op("options::scaled", mutates_args=())
def scaled(x: torch.Tensor) -> torch.Tensor:
    return x * 2


scaled.register_fake(lambda x: torch.empty_like(x))
scaled.register_autograd(lambda ctx, g: g * 2)


@option("is_non_builtin_to_include", True, activation_memory_budget=0.6)
def _():
    def f(x):
        h = torch.ops.options.scaled(x.sin())
        return torch.ops.options.scaled(h.sin()).sin()

    go(f, R(8, 8))


@option("activation_memory_budget_require_full_coverage", False)
def _():
    from torch.autograd.graph import region_activation_memory_budget

    def f(x, w1, w2):
        with region_activation_memory_budget(0.0):
            h = torch.nn.functional.gelu(x @ w1)
        return torch.tanh(h @ w2)

    go(f, R(8, 16), R(16, 32), R(32, 16))


@option("donated_buffer", False, True)
def _():
    go(network, R(8, 16), R(16, 32), R(32, 16))


@option("guess_tangent_strides_as_outputs", False, True)
def _():
    go(lambda x, y: (x.t().sin(), y * 2), R(3, 4), R(1, 4))


@option("guess_tangent_strides_as_outputs", False, True)
def _changing():
    f = lambda x: x.t().sin()
    twice(f, (R(3, 4),), (R(5, 4),))


for mode in ("off", "same_as_forward", [{"device_type": "cpu", "enabled": False}]):

    @option("backward_pass_autocast", mode)
    def _():
        def f(x, w):
            with torch.autocast("cpu", enabled=False):
                return (x @ w).sin().square()

        with torch.autocast("cpu", torch.bfloat16):
            go(f, R(4, 5), R(5, 6))


@option("backward_pass_autocast", [{"device_type": "cpu"}])
def _():
    go(lambda x, w: (x @ w).sin().square(), R(4, 5), R(5, 6))


# Effects of torch.linalg.inv are ordered since torch 2.15. What these log in 2.11 is the same without the option, but the log
# does not tell whether the process or its backend set it.
@option("unlift_effect_tokens", True)
def _():
    with torch.no_grad():
        go(lambda x: torch.linalg.inv(x).sin(), R(4, 4, g=False))


@option("unlift_effect_tokens", True)
def _trained():
    go(lambda x: torch.linalg.inv(x).sin(), R(4, 4))


class InvertsGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        return torch.linalg.inv(gradient)


@option("unlift_effect_tokens", True)
def _backward():
    go(lambda x: InvertsGradient.apply(x) * torch.eye(4), R(4, 4))


class Prints(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        torch.ops.aten._print("forward\n")
        return x.sin()

    @staticmethod
    def backward(ctx, gradient):
        torch.ops.aten._print("backward\n")
        return gradient * 2


@option("unlift_effect_tokens", True)
def _printed():
    go(lambda x: Prints.apply(x) * 3, R(4, 4, g=False))


@option("unlift_effect_tokens", True)
def _printed_trained():
    go(lambda x: Prints.apply(x) * 3, R(4, 4))


# A backend with the default partitioner, which a log of 2.11 cannot tell from `aot_eager_decomp_partition`.
@option("unlift_effect_tokens", True)
def _default_partition():
    go(lambda x, w: (x @ w).sin().exp(), R(4, 8), R(8, 8), backend=core_graphs)


@option("saved_tensors_hooks_filtering_mode", "donated", "no_static", "all")
def _():
    pack = torch.fx.symbolic_trace(lambda x: x.to(torch.float16))
    unpack = torch.fx.symbolic_trace(lambda x: x.to(torch.float32))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(8, 8))

        def forward(self, x):
            return (x @ self.weight).sin().exp()

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        go(Layer(), R(4, 8))


# Changes calls only.
@option("debug_assert", True)
def _():
    go(network, R(8, 16), R(16, 32), R(32, 16))


@option("debug_assert", True)
def _aliased():
    base = torch.zeros(8)

    def f(x, y):
        x.add_(1)
        return x * y

    go(f, base[:4], base[2:6])


# Changes calls only.
@option("view_replay_for_aliased_outputs", False)
def _():
    go(lambda x: (x.view(2, 6)[1], x.sin().view(3, 4).t()), R(12))


# Not followed.


@option("selective_decompose", True)
def _():
    go(lambda x, w: torch.nn.functional.silu(x @ w), R(4, 4), R(4, 4), backend="aot_eager_decomp_partition")


def offload_products(graph, inputs):
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.aten.mm.default):
        node.meta["should_offload"] = True
    return graph


@option("enable_activation_offloading", True, joint_custom_pass=offload_products)
def _():
    train_network()


# Rewrites the forward after it is logged, when it goes to the backend's compiler.
@option("enable_complex_wrapper", True)
def _():
    go(lambda x: (x * x).sin(), torch.randn(3, 4, dtype=torch.complex64, requires_grad=True))


def sines_to_cosines(graph, inputs):
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
        node.target = torch.ops.aten.cos.default
    return graph


@option("joint_custom_pass", sines_to_cosines)
def _():
    go(lambda x: x.sin().sin(), R(4, 4))


def keep_all(graph, inputs):
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
        node.meta["recompute"] = CheckpointPolicy.MUST_SAVE
    return graph


# Leaves no node that the joint graph has not.
@option("joint_custom_pass", keep_all)
def _keeps():
    go(lambda x: x.sin().exp().sin().cos(), R(4, 4))
