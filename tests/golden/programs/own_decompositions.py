"""Backends made with aot_autograd() that decompose single operators, as get_decompositions() gives them."""

from functorch.compile import make_boxed_func
from torch._decomp import get_decompositions
from torch._dynamo.backends.common import aot_autograd

from common import *

aten = torch.ops.aten


def as_it_is(graph, inputs):
    return make_boxed_func(graph.forward)


def decomposing(operators, **options):
    return aot_autograd(fw_compiler=as_it_is, decompositions=get_decompositions(operators), **options)


@prog
def od_activations():
    backend = decomposing([aten.gelu, aten.gelu_backward, aten.silu_backward.default])
    go(lambda x, w: F.silu(F.gelu(x @ w)), R(3, 4), R(4, 4), backend=backend)


@prog
def od_norm_and_softmax():
    backend = decomposing([aten.native_layer_norm, aten.native_layer_norm_backward, aten._softmax])
    go(lambda x, w: F.layer_norm(x @ w, (4,)).softmax(-1), R(3, 4), R(4, 4), backend=backend)


@prog
def od_one_that_leaves_another():
    # What addmm leaves (mul, add) is in no list.
    backend = decomposing([aten.addmm, aten.t], keep_inference_input_mutations=True)
    go(lambda b, x, w: torch.addmm(b, x, w, alpha=2), R(4), R(3, 4), R(4, 4), backend=backend)


@prog
def od_written_inputs():
    def f(x, y):
        y.add_(1)
        return F.leaky_relu(x) * y

    go(f, R(3, 4), R(3, 4, g=False), backend=decomposing([aten.leaky_relu, aten.leaky_relu_backward]))
