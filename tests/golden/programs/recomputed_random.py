"""Random operators that the backward computes again, with and without the generator's state: under an activation budget, under a
checkpoint, and neither."""

import torch._functorch.config as functorch_config

from common import *


def budget(share):
    """Decorator: a program that is compiled under this activation_memory_budget."""

    def named(f):
        def program():
            with functorch_config.patch(activation_memory_budget=share):
                f()

        P[f.__name__] = program
        return f

    return named


def net(noise):
    return lambda x, v, w: torch.sin(noise(F.gelu(x @ v))) @ w


def inputs():
    return R(8, 4), R(4, 16), R(16, 16)


@budget(0.0)
def rr_dropout_without_budget():
    go(net(lambda h: F.dropout(h, 0.4, True)), *inputs())


@budget(0.0)
def rr_two_dropouts_without_budget():
    go(net(lambda h: F.dropout(torch.cos(F.dropout(h, 0.4, True)), 0.2, True)), *inputs())


@budget(0.0)
def rr_noise_without_budget():
    go(net(lambda h: h + torch.rand_like(h)), *inputs())


@budget(0.0)
def rr_nothing_random_without_budget():
    go(net(torch.cos), *inputs())


@budget(1.0)
def rr_dropout_with_budget():
    go(net(lambda h: F.dropout(h, 0.4, True)), *inputs())


@budget(1.0)
def rr_checkpointed_dropout():
    f = net(lambda h: F.dropout(h, 0.4, True))
    go(lambda x, v, w: checkpoint(f, x, v, w, use_reentrant=False), *inputs())
