"""Sizes that become floats: scales, slopes, bounds and probabilities computed from a changing size, and fixed where an
operator takes a plain float.
"""

from common import *


@prog
def sf_attention_scale_from_the_head():
    f = lambda q, w: F.scaled_dot_product_attention(*[(q @ w)[None]] * 3, scale=float((q @ w).shape[1]) ** -0.5)
    twice(f, (R(5, 8), R(8, 6)), (R(7, 8), R(8, 6)))


@prog
def sf_attention_scale_from_the_sequence():
    f = lambda q: F.scaled_dot_product_attention(q, q, q, scale=1 / q.shape[-2])
    twice(f, (R(1, 2, 5, 8),), (R(1, 2, 7, 8),))


@prog
def sf_leaky_slope_from_a_size():
    twice(lambda x: F.leaky_relu(x, 1 / x.shape[0]), (R(5, 3),), (R(7, 3),))


@prog
def sf_bounds_from_sizes():
    twice(lambda x: F.hardtanh(x, -float(x.shape[0]), x.shape[1] ** 0.5), (R(5, 3),), (R(7, 4),))


@prog
def sf_clamp_from_sizes():
    twice(lambda x: torch.clamp(x, 1 / x.shape[0], x.shape[0] ** 0.5), (R(5, 3),), (R(7, 3),))


@prog
def sf_layer_norm_epsilon_from_a_size():
    twice(lambda x: F.layer_norm(x, (3,), None, None, 1e-3 / x.shape[0]), (R(5, 3),), (R(7, 3),))


@prog
def sf_huber_delta_from_a_size():
    twice(lambda x, y: F.huber_loss(x, y, delta=x.shape[0] ** 0.25), (R(5, 3), R(5, 3)), (R(7, 3), R(7, 3)))


@prog
def sf_softmax_temperature_from_a_size():
    twice(lambda x: torch.softmax(x / math.sqrt(x.shape[-1]), -1), (R(2, 5),), (R(2, 7),))


@prog
def sf_logarithm_of_a_size():
    twice(lambda x: x.sum() * math.log(x.shape[0]) + math.exp(-x.shape[0]), (R(5, 3),), (R(7, 3),))


@prog
def sf_weighted_sum_by_sizes():
    twice(lambda x, y: torch.add(x, y, alpha=1 / x.shape[0]), (R(5, 3), R(5, 3)), (R(7, 3), R(7, 3)))


@prog
def sf_lerp_by_a_size():
    twice(lambda x, y: torch.lerp(x, y, 1 / x.shape[0]), (R(5, 3), R(5, 3)), (R(7, 3), R(7, 3)))


@prog
def sf_addcmul_value_from_a_size():
    twice(lambda x, y: torch.addcmul(x, x, y, value=2 / x.shape[0]), (R(5, 3), R(5, 3)), (R(7, 3), R(7, 3)))


@prog
def sf_mean_by_hand():
    twice(lambda x: x.sum(0) / x.shape[0] + (x * x).sum() / (x.numel() - 1), (R(5, 3),), (R(7, 3),))


@prog
def sf_positions_scaled():
    def f(x):
        n = x.shape[1]
        positions = torch.arange(n) / n
        angles = positions[:, None] * (10000.0 ** (-torch.arange(0, 4) / 4.0))
        return x * angles.sin() + x.shape[1] * 0.5

    twice(f, (R(2, 5, 4),), (R(2, 7, 4),))


@prog
def sf_linspace_over_a_size():
    twice(lambda x: x * torch.linspace(0, 1 / x.shape[0], x.shape[0])[:, None], (R(5, 3),), (R(7, 3),))


@prog
def sf_alibi():
    def f(x):
        h, n = x.shape[1], x.shape[2]
        slopes = torch.tensor([2.0 ** (-8.0 * (i + 1) / h) for i in range(4)])
        bias = (torch.arange(n)[None] - torch.arange(n)[:, None]) * slopes[:, None, None]
        return torch.softmax(x @ x.transpose(-1, -2) / x.shape[-1] ** 0.5 + bias, -1)

    twice(f, (R(2, 4, 5, 8),), (R(2, 4, 7, 8),))


@prog
def sf_interpolate_by_a_computed_scale():
    twice(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), (R(1, 2, 4, 5),), (R(1, 2, 6, 5),))


@prog
def sf_half_of_a_size_rounded():
    twice(lambda x: x[: round(x.shape[0] * 0.5)] * math.floor(x.shape[0] / 2), (R(6, 3),), (R(9, 3),))


@prog
def sf_power_of_a_size():
    twice(lambda x: x ** (1 + 1 / x.shape[0]), (R(5, 3).abs() + 1,), (R(7, 3).abs() + 1,))


@prog
def sf_label_smoothing_from_a_size():
    f = lambda x, y: F.cross_entropy(x, y, label_smoothing=1 / x.shape[1])
    twice(f, (R(4, 5), torch.tensor([0, 1, 2, 3])), (R(6, 5), torch.tensor([0, 1, 2, 3, 4, 0])))


@prog
def sf_dropout_by_a_size():
    twice(lambda x: F.dropout(x, 1 / x.shape[0]), (R(5, 3),), (R(7, 3),))


@prog
def sf_where_with_a_float():
    twice(lambda x: torch.where(x > 1 / x.shape[0], x, float(x.shape[0])), (R(5, 3),), (R(7, 3),))


@prog
def sf_fill_with_a_float():
    twice(lambda x: x + torch.full((3,), 1 / x.shape[0]) + x.new_full((3,), x.shape[0] * 0.1), (R(5, 3),), (R(7, 3),))


@prog
def sf_comparison_of_floats():
    twice(lambda x: x * 2 if x.shape[0] * 0.3 > 1.0 else x * 3, (R(5, 3),), (R(7, 3),))


@prog
def sf_elu_and_threshold():
    f = lambda x: F.elu(x, x.shape[0] * 0.1) + F.threshold(x, 1 / x.shape[0], 0.0) + F.softplus(x, x.shape[0] * 0.5)
    twice(f, (R(5, 3),), (R(7, 3),))
