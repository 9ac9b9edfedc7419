"""Inputs that lie in one memory with other dtypes, conjugates of constants, and counts with weights."""

from common import *


def halves():
    t = torch.arange(4.0)
    return t, t.view(torch.int32)


def parts():
    z = torch.randn(3, dtype=torch.complex64)
    return z, torch.view_as_real(z)


@prog
def floats_and_their_bits():
    go(lambda a, b: (a * 2, b + 1, b.view(torch.float32)), *halves())


@prog
def bytes_of_whole_numbers():
    def bytes_first():
        t = torch.arange(8, dtype=torch.uint8)
        return t, t.view(torch.int64)

    go(lambda a, b: (a.float() + 1, b.view(torch.uint8)[:2], b * 3), *bytes_first())


@prog
def complex_and_its_parts():
    go(lambda z, r: ((z * 1j).abs() + r[:, 0], r * 2), *parts())


@prog
def complex_and_its_parts_with_gradients():
    def leaf():
        z = torch.randn(3, dtype=torch.complex64).requires_grad_()
        return z, torch.view_as_real(z)

    go(lambda z, r: (z * 1j).abs() + r[:, 0], *leaf())


@prog
def other_half_of_a_written_memory():
    def apart():
        t = torch.arange(8.0)
        return t[:4], t.view(torch.int32)[4:]

    def f(a, b):
        a.add_(1)
        return b + 1

    go(f, *apart())


@prog
def conjugate_of_a_constant():
    go(lambda x: (x * torch.tensor(2j).conj(), x * torch.tensor([1j, 2.0, 3.0, 4.0]).conj()), R(4))


@prog
def gradient_beside_a_constant():
    go(lambda x: (x * torch.tensor(2j), x * (1 + 2j)), R(4))


@prog
def conjugate_of_computed_constants():
    def f(x):
        c = torch.tensor(3 + 1j) * 2
        return x * c.conj() + c.conj()

    go(f, R(4, dtype=torch.complex64))


@prog
def counts_with_weights():
    def f(x, w, i):
        return torch.bincount(x, w, minlength=5), torch.bincount(x, w.double()), torch.bincount(x, i), torch.bincount(x)

    go(f, torch.tensor([3, 1, 1, 2]), torch.randn(4), torch.tensor([1, 2, 3, 4]))


@prog
def counts_of_nothing():
    go(lambda x, w: (torch.bincount(x, minlength=3), torch.bincount(x, w, minlength=2)), torch.zeros(0, dtype=torch.int64), torch.zeros(0))
