"""Sizes that only the data tell, sliced and joined, and arguments that few programs give, which the releases read
differently."""

from common import *


def mask(size):
    return torch.arange(size) % 3 > 0


@prog
def sd_bounded_count_sliced():
    def f(x, m):
        kept = x.masked_select(m)
        return kept[:9], kept[:20] * 2, kept[:4], kept[1:]

    go(f, R(9), mask(9))


@prog
def sd_few_elements_selected():
    def f(x, m):
        kept = x.masked_select(m)
        return kept[:3], kept[:2].sum(), kept[1:]

    go(f, R(2), mask(2))


@prog
def sd_kept_boxes():
    go(lambda boxes, m: boxes[m][:5, 1:3] * 2, R(12, 4), mask(12))


@prog
def sd_columns_of_positions():
    def f(x):
        places = x.nonzero()
        return x[places[:, 0]], places.shape[0] * 2

    go(f, R(6), dynamic=True)


@prog
def sd_columns_of_kept_rows():
    def f(x, m):
        kept = x[m]
        return kept[:, 0], kept[:, 1:3], kept.sum(0)

    go(f, R(6, 5), mask(6), dynamic=True)


@prog
def sd_columns_of_repeated_rows():
    go(lambda x, n: x.repeat_interleave(n, dim=0)[:, 0] * 2, R(6, 4), torch.arange(6) % 3, dynamic=True)


@prog
def sd_distinct_values_as_a_column():
    def f(x):
        values, places = x.unique(return_inverse=True)
        return values[:] * 2, values[:, None][:, 0], places

    go(f, torch.arange(9) % 4, dynamic=True)


@prog
def sd_runs_along_the_last_dimension():
    def f(x):
        values, places, lengths = torch.unique_consecutive(x, dim=-1, return_inverse=True, return_counts=True)
        return values, places, lengths, torch.unique_consecutive(x, dim=-2)

    go(f, torch.arange(24).reshape(2, 3, 4) // 2)


@prog
def sd_asarray_of_a_result():
    go(lambda x: (torch.asarray(x * 2) + 1, x.sum()), R(4))


@prog
def sd_asarray_of_an_input():
    go(lambda x: (torch.asarray(x) * 3, x * x), R(4))


@prog
def sd_asarray_copies():
    go(lambda x: (torch.asarray(x * 2, copy=True) * 3, x * x), R(4))


@prog
def sd_asarray_cuts():
    go(lambda x: (torch.asarray(x * 2, requires_grad=False) * 3, x * x), R(4))


@prog
def sd_asarray_of_another_dtype():
    def f(x):
        return torch.asarray(x, copy=True), torch.asarray(x, dtype=torch.int32), torch.asarray(x, copy=False) * 2

    go(f, R(4, g=False))


@prog
def sd_power_average_of_infinite_power():
    inf = float("inf")
    go(lambda x: (F.lp_pool1d(x, inf, 2), F.lp_pool1d(x, -inf, 3, 2, True)), R(2, 3, 8))
    go(lambda x: (F.lp_pool2d(x, inf, 2), F.lp_pool2d(x, -inf, (3, 2), 2, True)), R(2, 3, 8, 8))


@prog
def sd_complex_numbers():
    go(lambda x: (x * (1 - 2j), x + 2j, torch.full_like(x, -0.5 + 3j, dtype=torch.complex64)), R(4))


@prog
def sd_transforms_of_nothing():
    def f(x):
        return torch.fft.fft(x, dim=1), torch.fft.rfft(x, dim=1), torch.fft.hfftn(x, dim=(0, 1), s=(2, 2))

    go(f, R(0, 2, 2))


@prog
def sd_gradients_of_nothing():
    def f(x, a, b):
        return torch.roll(x[:, ::2], 1, 0), torch.linalg.solve(a, b), torch.linalg.lu_factor(a)[0], a.mT * 2

    go(f, R(0, 6), R(0, 3, 3), R(0, 3, 2))
