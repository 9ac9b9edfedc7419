"""Random numbers under Inductor's decompositions, with and without fallback_random, and draws that nothing needs."""

import torch._inductor.config as inductor_config

from common import *

DECOMPOSED = "aot_eager_decomp_partition"


def go_both(f, *inputs):
    go(f, *inputs, backend=DECOMPOSED)


@prog
def rd_uniform():
    go_both(lambda x: x * torch.empty(3, 4).uniform_(-1, 1), R(3, 4))


@prog
def rd_uniform_in_memory_order():
    go_both(lambda x: torch.empty(4, 3).t().uniform_(0, 2) * x, R(3, 4))


@prog
def rd_normal():
    go_both(lambda x: x * torch.empty(3, 4).normal_(1, 2) + torch.randn(4, 3).t().normal_(), R(3, 4))


@prog
def rd_normal_of_tensors():
    def f(x):
        mean = x.detach()
        return torch.normal(mean, 1.0) + torch.normal(0.5, mean.abs()) * x + torch.normal(mean, mean.abs())

    go_both(f, R(3, 4))


@prog
def rd_normal_of_sizes():
    go_both(lambda x: torch.normal(0.0, 1.0, (3, 4)) * x, R(3, 4))


@prog
def rd_rrelu():
    go_both(lambda x: F.rrelu(x, 0.1, 0.3, training=True) + F.rrelu(x, 0.1, 0.3, training=False), R(3, 4))


@prog
def rd_named_distributions():
    def f(x):
        e = torch.empty_like(x).exponential_(2.0) + torch.empty_like(x).cauchy_()
        return e + torch.empty_like(x).log_normal_() + torch.empty_like(x).geometric_(0.3) + x

    go_both(f, R(3, 4))


@prog
def rd_masks():
    go_both(lambda x: x * torch.empty(3, 4).bernoulli_(0.3) + torch.empty_like(x).random_(0, 5), R(3, 4))


@prog
def rd_whole_channels():
    go_both(lambda x: F.dropout2d(x, 0.3) + F.feature_alpha_dropout(x, 0.3, True), R(2, 3, 4, 4))


@prog
def rd_choices():
    def f(x):
        return torch.multinomial(x.softmax(-1).detach(), 2) + x[:, :2] + torch.randperm(3)[:, None]

    go_both(f, R(3, 4))


def unused(x):
    torch.rand(3, 4)
    torch.rand_like(x)
    torch.bernoulli(x.sigmoid())
    return x * 2


@prog
def rd_unused():
    go(unused, R(3, 4))


@prog
def rd_unused_without_gradients():
    go(unused, R(3, 4, g=False))


@prog
def rd_unused_decomposed():
    go_both(lambda x: torch.rand(3, 4).uniform_(0.25, 1).bfloat16() * x, R(3, 4))


@prog
def rd_unused_with_fallback():
    with inductor_config.patch(fallback_random=True):
        go(unused, R(3, 4))


@prog
def rd_fallback():
    def f(x):
        drawn = F.dropout(x, 0.4) * torch.rand_like(x) + torch.empty(3, 4).uniform_()
        return drawn + torch.randint(5, (4,)) + torch.randn_like(x) + F.rrelu(x, training=True)

    with inductor_config.patch(fallback_random=True):
        go_both(f, R(3, 4))


@prog
def rd_fallback_of_inductor():
    with inductor_config.patch(fallback_random=True):
        go(lambda x: F.dropout(x, 0.4) * torch.rand_like(x), R(3, 4), backend=inductor_graphs)


class Doubles(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


@prog
def rd_marked_dirty():
    def f(x):
        y = x * 1
        return Doubles.apply(y).cos() + y

    go(f, R(4))
