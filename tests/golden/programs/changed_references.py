"""What PyTorch's Python references and derivative formulas do otherwise from 2.11 to 2.15, and layouts they choose.

Each program is compiled without decompositions and with Inductor's.
"""

from common import *


def go_both(f, *inputs):
    go(f, *inputs)
    go(f, *inputs, backend="aot_eager_decomp_partition")


def images(*shape):
    return R(*shape, g=False).to(memory_format=torch.channels_last).requires_grad_()


def volumes(*shape):
    return R(*shape, g=False).to(memory_format=torch.channels_last_3d).requires_grad_()


@prog
def cr_frac():
    go_both(lambda x: x.frac() + (x * 2).frac_(), R(3, 4))


@prog
def cr_flip_of_a_scalar():
    go_both(lambda x: x.flip([0]) * torch.flip(x.sum(), []), R(3))


@prog
def cr_index_fill_in_another_layout():
    go_both(lambda x: torch.index_fill(x.t(), 0, torch.tensor([0, 2]), 3.0), R(3, 4))


@prog
def cr_index_fill_of_expanded():
    go_both(lambda x: torch.index_fill(x.expand(4, 3), 0, torch.tensor([0, 2]), 3.0), R(1, 3))


@prog
def cr_index_select_of_images():
    go_both(lambda x: x.index_select(0, torch.tensor([1, 0, 1])), images(2, 3, 4, 4))


@prog
def cr_arange_of_floats():
    def f(x):
        whole = torch.arange(0.5, 4, dtype=torch.int64) + torch.arange(0, 4, dtype=torch.int32)
        return x + whole + torch.arange(0, 4, dtype=torch.float32) + torch.arange(0.0, 4.0, 1.0)

    go_both(f, R(4))


@prog
def cr_softshrink():
    go_both(lambda x: F.softshrink(x.bfloat16(), 0.3).float() + F.softshrink(x, 0.2), R(4))


@prog
def cr_normal_of_two_dtypes():
    go_both(lambda x: torch.normal(x.detach(), x.detach().double().abs()) + x, R(4))


@prog
def cr_max_unpool_of_images():
    def f(x):
        return F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)

    go_both(f, images(2, 3, 4, 4))


@prog
def cr_nearest_of_volumes():
    def f(x):
        return F.interpolate(x, scale_factor=2) + F.interpolate(x, scale_factor=2, mode="nearest-exact")

    go_both(f, volumes(1, 2, 3, 3, 3))


@prog
def cr_padded_images():
    go_both(lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect").sin(), images(2, 3, 4, 4))
    go_both(lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate").sin(), images(2, 3, 4, 4))


@prog
def cr_padded_volumes():
    def f(x):
        return F.pad(x, (1,) * 6, mode="replicate") + F.pad(x, (1,) * 6, mode="reflect")

    go_both(f, volumes(1, 2, 4, 4, 4))


@prog
def cr_attention_in_float64():
    def inputs():
        return [R(2, 2, 3, 4, g=False).double().requires_grad_() for _ in range(3)]

    go_both(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), *inputs())


@prog
def cr_scatter_into_expanded():
    def f(x, y):
        return torch.slice_scatter(x.expand(3, 4), y, 0, 0, 1) + torch.select_scatter(x.expand(3, 4), y[0], 0, 0)

    go_both(f, R(1, 4), R(1, 4))
    go_both(lambda x, y: torch.diagonal_scatter(x.expand(3, 3), y), R(1, 3), R(3))


@prog
def cr_weight_norm_of_a_vector():
    go_both(lambda v, g: torch._weight_norm(v, g, 0), R(3), R(3))


@prog
def cr_trace():
    go_both(lambda x: torch.trace(x) * x, R(4, 4))


@prog
def cr_clamped_by_tensors():
    low = torch.tensor(-0.5)
    go_both(lambda x: x.clamp(min=low), R(4))
    go_both(lambda x, y: torch.clamp(x, max=y), R(4), R(4))
    go_both(lambda x, y, z: torch.clamp(x, y, z), R(4), R(4), R(4))


@prog
def cr_larger_and_smaller():
    go_both(lambda x, y: torch.fmax(x, y) + torch.fmin(x, y) + torch.maximum(x, y) * torch.minimum(x, y), R(4), R(4))


@prog
def cr_nan_to_num():
    go_both(lambda x: torch.nan_to_num(x) + torch.nan_to_num(x, 1.0, 2.0, 3.0), R(4))
    if torch.__version__ >= "2.15":
        go_both(lambda x: torch.nan_to_num(torch.complex(x, x * 2), 1.0, 2.0, 3.0).abs(), R(4, g=False))


@prog
def cr_group_norm_of_images():
    go_both(lambda x, w: F.group_norm(x, 2, w), images(2, 4, 3, 3), R(4))


@prog
def cr_joined_layouts():
    go_both(lambda x: torch.cat([x, x.contiguous()], 1) * torch.stack([x, x]).sum(0).sum(), images(2, 3, 4, 4))
    go_both(lambda x: F.pixel_shuffle(x, 2) + F.pixel_unshuffle(x, 2).sum(), images(1, 4, 2, 2))


@prog
def cr_group_norm_of_transposed():
    go_both(lambda x, w, b: F.group_norm(x.transpose(2, 3), 2, w, b).transpose(1, 2), R(2, 4, 3, 3), R(4), R(4))
    go_both(lambda x: F.group_norm(x.transpose(1, 2), 2), R(2, 3, 4))


@prog
def cr_constants_in_gradients():
    go_both(lambda x: torch.log10(x.abs()) + torch.log2(x.abs()), R(4))
    go_both(lambda x: (x.abs() + 1).log10_(), R(4))
    go_both(lambda x, y: torch.ldexp(x, y), R(4), R(4))


@prog
def cr_inverse_of_the_normal_distribution():
    go_both(lambda x: torch.special.ndtri(x.sigmoid()), R(4))
    go_both(lambda x: torch.special.log_ndtr(x), R(4))


@prog
def cr_bessel_functions():
    go_both(lambda x: torch.special.i1(x) + torch.special.i1e(x), R(4))
    go_both(lambda x: torch.special.bessel_j0(x) * x, R(4))
    go_both(lambda x: torch.special.modified_bessel_k1(x.abs()) + x, R(4))


@prog
def cr_clamped_in_place():
    go_both(lambda x, y: (x * 2).clamp_(min=y) + (x * 3).clamp_max_(y), R(4), R(4))
