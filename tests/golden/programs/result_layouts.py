"""Where strides leave PyTorch a choice: dimensions of size one, expanded operands of another dtype, lazy conjugates that are
written into slices; and functions of Python's math on symbolic floats.
"""

from common import *

LENGTH = 2.0


@prog
def rl_group_norm_of_a_column():
    norm = nn.GroupNorm(1, 8)
    go(lambda x: norm(x.transpose(2, 3).reshape(2, 8, 4, 1)), R(2, 8, 2, 2))


@prog
def rl_group_norm_of_patches():
    norm = nn.GroupNorm(1, 8)

    def f(x):
        patches = x.reshape(2, 8, 1, 2, 1, 2).permute(0, 1, 3, 5, 2, 4).reshape(2, 8, 4, -1)
        return norm(patches)

    go(f, R(2, 8, 2, 2))


@prog
def rl_group_norm_channels_last():
    norm = nn.GroupNorm(2, 8)
    go(norm, R(2, 8, 3, 5).to(memory_format=torch.channels_last))


@prog
def rl_group_norm_channels_last_batch_of_one():
    norm = nn.GroupNorm(2, 4)
    go(norm, R(1, 4, 3, 2).to(memory_format=torch.channels_last))


@prog
def rl_group_norm_without_parameters():
    norm = nn.GroupNorm(2, 4, affine=False)
    go(lambda x: norm(x.permute(0, 2, 1)), R(2, 5, 4))


@prog
def rl_group_norm_transposed_with_parameters():
    norm = nn.GroupNorm(2, 4)
    go(lambda x: norm(x.permute(0, 2, 1)), R(2, 5, 4))


@prog
def rl_layer_norm_of_a_transposed_sequence():
    norm = nn.LayerNorm(8)
    f = lambda x: norm(x[None].transpose(0, 1))
    twice(f, (R(5, 8),), (R(7, 8),))


@prog
def rl_layer_norm_of_a_transposed_sequence_of_fixed_size():
    norm = nn.LayerNorm(8)
    go(lambda x: norm(x[None].transpose(0, 1)), R(5, 8))


@prog
def rl_layer_norm_without_parameters_transposed():
    f = lambda x: F.layer_norm(x[:, None].transpose(1, 2), (1,)) * 2
    twice(f, (R(5, 8),), (R(7, 8),))


@prog
def rl_attention_pooling_head():
    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.probe = nn.Parameter(torch.randn(1, 1, 8))
            self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
            self.norm = nn.LayerNorm(8)

        def forward(self, x):
            h = self.attention(self.probe.repeat(x.shape[0], 1, 1), x, x)[0]
            return self.norm(h)[:, 0]

    twice(Pool(), (R(2, 5, 8),), (R(3, 5, 8),))


@prog
def rl_product_of_expanded_real_and_complex():
    f = lambda x, s: torch.fft.rfft(x, dim=1) * s.expand(4, 3)[:, None]
    go(f, R(4, 6, 3), R(4, 1))


@prog
def rl_gradient_of_magnitudes_of_a_spectrum():
    go(lambda x: torch.fft.rfft2(x, dim=(2, 1)).abs().sum(), R(4, 7, 3))


@prog
def rl_expanded_bfloat16_first():
    f = lambda s, x: (s.expand(4, 5, 3) * x.permute(0, 2, 1), s.expand(4, 5, 3) > x.permute(0, 2, 1))
    go(f, R(1, dtype=torch.bfloat16), R(4, 3, 5, dtype=torch.bfloat16))


@prog
def rl_expanded_bfloat16_second():
    f = lambda s, x: torch.maximum(x.permute(0, 2, 1), s.expand(4, 5, 3)) + s.expand(4, 5, 3) / x.permute(0, 2, 1)
    go(f, R(1, dtype=torch.bfloat16), R(4, 3, 5, dtype=torch.bfloat16))


@prog
def rl_expanded_of_another_dtype():
    f = lambda s, x: s.expand(4, 5, 3).double() + torch.where(x > 0, x, s.expand(4, 3, 5).double()).permute(0, 2, 1)
    go(f, R(1), R(4, 3, 5, dtype=torch.float64))


@prog
def rl_expanded_integers_divided():
    f = lambda n, x: n.expand(4, 5, 3) / x.permute(0, 2, 1) - n.expand(4, 5, 3) * x.permute(0, 2, 1)
    go(f, torch.randint(1, 9, (1,)), R(4, 3, 5))


@prog
def rl_autocorrelation():
    def f(q, k):
        q, k = torch.fft.rfft(q, n=12, dim=1), torch.fft.rfft(k, n=12, dim=1)
        return torch.fft.irfft(q * torch.conj(k), n=12, dim=1)

    go(f, R(4, 9, 8), R(4, 12, 8))


@prog
def rl_conjugate_written_into_a_slice():
    def f(x, y):
        z = torch.zeros(6, 4, dtype=torch.complex64)
        z[1:4] = torch.conj(x)
        z[4:] = torch.conj(y) * 2
        return z.real * 3

    go(f, R(3, 4, dtype=torch.complex64), R(2, 4, dtype=torch.complex64))


@prog
def rl_conjugate_copied():
    def f(x, out):
        out.copy_(x.conj())
        return out.abs()

    go(f, R(3, 4, dtype=torch.complex64), torch.zeros(3, 4, dtype=torch.complex64))


@prog
def rl_imaginary_part_written():
    def f(x, out):
        out[:2] = x.conj().imag[:2]
        return out * 2

    go(f, R(3, 4, dtype=torch.complex64), torch.zeros(3, 4))


@prog
def rl_square_root_of_a_symbolic_float():
    f = lambda x: torch.tanh(math.sqrt(LENGTH / math.pi) * x + math.cos(LENGTH))
    go(f, R(4, 3), dynamic=True)


@prog
def rl_math_of_a_float_argument():
    c = C(lambda x, s: x * math.sqrt(s) + math.sin(s) - math.tanh(s) * math.log2(s))
    for s in (1.5, 2.5, 3.5):
        back(c(R(4, 3), s))


@prog
def rl_math_of_a_size():
    f = lambda x: x / math.sqrt(x.shape[-1]) + math.atan(x.shape[0])
    twice(f, (R(4, 3),), (R(5, 7),))
