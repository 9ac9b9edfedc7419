"""What Inductor decomposes otherwise since torch 2.15: one program for each rule of
engine/aot/versions/decomposition_rules.h that other programs reach seldom or not at all."""

from common import *


@prog
def ic_unfold_backward_with_other_windows():
    f = lambda x: torch.ops.aten.unfold_backward(x, [3, 20], 1, 6, 3)
    go(f, torch.randn(3, 4, 6))


@prog
def ic_inverse_of_short_time_fourier():
    f = lambda x, w: torch.istft(torch.stft(x, 8, 2, window=w, return_complex=True), 8, 2, window=w, length=30)
    go(f, torch.randn(30), torch.hann_window(8))


@prog
def ic_hann_windows():
    go(lambda x: x * torch.hann_window(8) + x * torch.hann_window(8, periodic=False), R(8))


@prog
def ic_margin_losses():
    f = lambda x, t, w, u: F.multi_margin_loss(x, t, weight=w) + F.multilabel_margin_loss(x, u)
    go(f, R(2, 4), torch.tensor([0, 3]), torch.rand(4), torch.tensor([[1, 2, -1, 0], [3, 0, 1, -1]]))


@prog
def ic_largest_of_a_plane():
    go(lambda x: F.adaptive_max_pool2d(x, 1), R(2, 3, 5, 7))


@prog
def ic_lerp_of_numbers_and_tensors():
    f = lambda x, y: torch.lerp(x.contiguous(memory_format=torch.channels_last), y, 0.7) + torch.lerp(x, y, y.sigmoid())
    go(f, R(2, 3, 4, 4), R(2, 3, 4, 4))


@prog
def ic_lerp_of_lists():
    x, y = torch.randn(3), torch.randn(3)
    go(lambda x, y: torch._foreach_lerp([x, y], [y, x], 0.6)[1], x, y)
    go(lambda x, y: torch._foreach_lerp([x.half(), y.half()], [y.half(), x.half()], 0.6)[0], x, y)
    go(lambda x, y: torch._foreach_lerp([x, y.double()], [y, x.double()], 0.2)[1].float(), x, y)


@prog
def ic_products_of_columns_and_rows():
    go(lambda x, y: torch.bmm(x, y), R(2, 3, 1), R(2, 1, 5))
    go(lambda b, m, v: torch.addmv(b, m, v, beta=2, alpha=3), R(1), R(3, 4), R(4))


@prog
def ic_logarithms_of_probabilities():
    go(lambda x: F.logsigmoid(x) + torch.special.log_ndtr(x), R(4))


@prog
def ic_embedding_scaled_by_frequency():
    f = lambda i, w: F.embedding(i, w, padding_idx=1, scale_grad_by_freq=True)
    go(f, torch.tensor([[0, 2], [1, 2]]), R(5, 3))


@prog
def ic_max_pool_of_bfloat16():
    go(lambda x: F.max_pool2d(x.bfloat16(), 3, 2, 1).float(), R(2, 3, 9, 9))


@prog
def ic_hardtanh_of_bfloat16():
    x = torch.tensor([-0.7, 0.3, 0.69921875, 0.9], dtype=torch.bfloat16)
    go(lambda x: F.hardtanh(x, -0.7, 0.7), x.requires_grad_())
    go(lambda x: F.relu6(x * 4).float(), R(2, 3))
