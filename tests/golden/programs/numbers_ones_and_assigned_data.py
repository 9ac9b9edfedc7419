"""Numbers of 0 and below as inputs, computed sizes that happen to be 1, and `tensor.data = other`."""

from common import *


def last(x, n):
    return x[:, -n:].sin()


@prog
def no_the_last_none():
    C(last, dynamic=True)(R(2, 9), 0).sum().backward()


@prog
def no_the_last_three():
    C(last, dynamic=True)(R(2, 9), 3).sum().backward()


@prog
def no_the_last_of_a_product():
    f = lambda x, w, n: (x[:, slice(-n, None), :] @ w).tanh()
    C(f, dynamic=True)(R(2, 9, 4), R(4, 5), 0).sum().backward()


@prog
def no_negative_shift():
    C(lambda x, n: (x + n).roll(n, 0), dynamic=True)(R(5, 3), -2).sum().backward()


@prog
def no_ignored_class():
    f = lambda x, y, n: F.cross_entropy(x, y, ignore_index=n)
    C(f, dynamic=True)(R(6, 5), torch.tensor([0, 4, -100, 2, 1, 1]), -100).backward()


@prog
def no_padding_of_zero():
    C(lambda x, n: F.pad(x, (n, n)) * 2, dynamic=True)(R(4, 6), 0).sum().backward()


@prog
def no_padding_below_zero():
    C(lambda x, n: F.pad(x, (n, 1)) * 2, dynamic=True)(R(4, 6), -1).sum().backward()


@prog
def no_length_of_one():
    C(lambda x, n: x.narrow(0, n, 2).exp(), dynamic=True)(R(5, 3), 1).sum().backward()


@prog
def no_power_of_zero():
    C(lambda x, n: x**n + x * n, dynamic=True)(R(5, 3), 0).sum().backward()


def small_images(width, groups):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.Conv2d(width, width, 3, 2, 1, groups=groups, bias=False),
        nn.BatchNorm2d(width),
        nn.Conv2d(width, width, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(),
    )


@prog
def so_normalized_images_of_one():
    C(small_images(8, 8), dynamic=True)(R(2, 3, 4, 4)).sum().backward()


@prog
def so_normalized_images_of_one_in_evaluation():
    C(small_images(8, 1).eval(), dynamic=True)(R(2, 3, 4, 4)).sum().backward()


@prog
def so_normalized_lines_of_one():
    m = nn.Sequential(nn.Conv1d(2, 4, 3, 2, 1), nn.BatchNorm1d(4), nn.Conv1d(4, 4, 3, 2, 1), nn.BatchNorm1d(4))
    C(m, dynamic=True)(R(3, 2, 4)).sum().backward()


@prog
def so_groups_of_one():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, 4, 1), nn.GroupNorm(2, 4), nn.GELU())
    C(m, dynamic=True)(R(2, 3, 4, 4)).sum().backward()


@prog
def so_instances_of_one():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.InstanceNorm2d(4, affine=True), nn.Conv2d(4, 4, 3, 2, 1))
    C(m, dynamic=True)(R(2, 3, 4, 4)).sum().backward()


def halves(x):
    return F.max_pool2d(x, 2)


@prog
def so_gate_of_one():
    C(lambda x, y: halves(x) * y.sigmoid() + y, dynamic=True)(R(2, 3, 2, 2), R(2, 3, 1, 1)).sum().backward()


@prog
def so_gate_by_one():
    C(lambda x, y: y * halves(x) - halves(x), dynamic=True)(R(2, 3, 2, 2), R(2, 3, 1, 1)).sum().backward()


@prog
def so_gate_of_one_and_many():
    C(lambda x, y: halves(x) * y, dynamic=True)(R(2, 3, 2, 2), R(2, 3, 5, 5)).sum().backward()


@prog
def so_pooled_to_one_and_compared():
    f = lambda x, y: torch.maximum(halves(x), y) + torch.where(halves(x) > 0, y, halves(x))
    C(f, dynamic=True)(R(2, 3, 2, 2), R(2, 3, 1, 1)).sum().backward()


class Casts(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3, bias=False)

    def forward(self, x):
        self.layer = self.layer.to(x.dtype)
        return self.layer(x).relu()


@prog
def ad_parameter_of_the_same_kind():
    C(Casts())(R(2, 4)).sum().backward()


@prog
def ad_parameter_of_another_kind():
    C(Casts())(torch.randn(2, 4, dtype=torch.float64)).sum().backward()


def assign(x, y):
    x.data = y
    return x * 2


@prog
def ad_another_input():
    with torch.no_grad():
        C(assign)(torch.randn(3), torch.randn(3))


@prog
def ad_an_intermediate():
    def f(x):
        x.data = x * 3
        return x + 1

    with torch.no_grad():
        C(f)(torch.randn(3))


@prog
def ad_twice():
    def f(x, y):
        x.data = y
        x.mul_(2)
        x.data = x + 1
        return x.sum()

    with torch.no_grad():
        C(f)(torch.randn(3), torch.randn(3))


@prog
def ad_under_no_grad_and_back():
    def f(x, w):
        with torch.no_grad():
            w.data = w * 0.9
        return (x * w).sum()

    C(f)(R(3), nn.Parameter(torch.randn(3))).backward()
