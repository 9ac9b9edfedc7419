"""What few programs make AOTAutograd note: inputs that the backward alone changes, and views of another dtype."""

from common import *


class CountsCalls(torch.autograd.Function):
    """Its backward adds one to a buffer."""

    @staticmethod
    def forward(ctx, x, calls):
        ctx.save_for_backward(calls)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (calls,) = ctx.saved_tensors
        calls.add_(1)
        return g * 2, None


class KeepsLargest(torch.autograd.Function):
    """Its backward notes the largest gradient, as training in eight bits does."""

    @staticmethod
    def forward(ctx, x, w, largest):
        ctx.save_for_backward(x, w, largest)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w, largest = ctx.saved_tensors
        largest.copy_(torch.maximum(largest, g.abs().max()))
        return g @ w.t(), x.t() @ g, None


@prog
def rm_backward_counts_its_calls():
    go(lambda x, calls: CountsCalls.apply(x, calls) * 3, R(4, 3), torch.zeros(1))


@prog
def rm_backward_keeps_the_largest_gradient():
    go(lambda x, w, largest: KeepsLargest.apply(x, w, largest).relu(), R(4, 3), R(3, 5), torch.zeros(()))


@prog
def rm_backward_changes_two_buffers():
    f = lambda x, w, a, b: CountsCalls.apply(KeepsLargest.apply(x, w, a), b)
    go(f, R(4, 3), R(3, 5), torch.zeros(()), torch.zeros(2))


@prog
def rm_forward_and_backward_change_a_buffer():
    def f(x, calls):
        calls.mul_(2)
        return CountsCalls.apply(x, calls)

    go(f, R(4, 3), torch.ones(1))


@prog
def rm_result_and_its_bytes_as_another_dtype():
    def f(x):
        h = x * 2
        return h, h.view(torch.bfloat16)

    go(f, R(4, 3).half().requires_grad_())


@prog
def rm_input_as_another_dtype():
    go(lambda x: (x.view(torch.int32), x * 2), R(4, 3))
