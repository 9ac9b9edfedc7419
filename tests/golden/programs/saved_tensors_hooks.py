"""Saved-tensors hooks that are graphs, which AOTAutograd puts into the compiled halves: what they pack, what they are made
from, and what they are applied to."""

from common import *

FP8_E4M3, FP8_E5M2 = torch.float8_e4m3fn, torch.float8_e5m2


def graph(hook):
    """A hook as a graph; graphs stay what they are, and Python functions that are not to be inlined too."""
    inlined = callable(hook) and not isinstance(hook, torch.fx.GraphModule)
    return torch.fx.symbolic_trace(hook) if inlined else hook


def hooks(pack, unpack):
    return torch.autograd.graph.saved_tensors_hooks(graph(pack), graph(unpack))


def hooked(mode, pack, unpack, f, *calls):
    """Compiles, calls and differentiates `f` with the tensors that each of `calls` makes."""
    c = C(f)
    with torch._functorch.config.patch(saved_tensors_hooks_filtering_mode=mode), hooks(pack, unpack):
        for call in calls:
            back(c(*call()))


def dynamic(tensor, *dims):
    for dim in dims:
        mark_dynamic(tensor, dim)
    return tensor


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))


def waves(x, w):
    """Saves results that nobody else holds, of two kinds of shape, and the inputs."""
    return ((x @ w).sin() @ w).cos() * 2


def rows(n, length=8):
    """Arguments of `waves` with a changing number of rows."""
    return lambda: (dynamic(R(n, length), 0), R(length, length))


def fixed(n=4, length=8):
    return lambda: (R(n, length), R(length, length))


# ---- one tensor with another dtype -----------------------------------------------------------------------------------


@prog
def sth_bf16():
    hooked("donated", lambda x: (x.dtype, x.to(torch.bfloat16)), lambda p: p[1].to(p[0]), mlp(), lambda: (R(4, 8, g=False),))


@prog
def sth_bare_tensor():
    hooked("no_static", lambda x: x.half(), lambda p: p.float(), waves, fixed())


@prog
def sth_fp8_e4m3_per_tensor():
    def pack(x):
        scale = 448.0 / x.abs().max().clamp(min=1e-12)
        return x.dtype, scale, (x * scale).clamp(-448.0, 448.0).to(FP8_E4M3)

    hooked("no_static", pack, lambda p: p[2].to(p[0]) / p[1], waves, fixed())


@prog
def sth_fp8_e4m3_per_row():
    def pack(x):
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12) / 448.0
        return (x / scale).to(FP8_E4M3), scale, x.dtype

    hooked("donated", pack, lambda p: p[0].to(p[2]) * p[1], mlp(), lambda: (R(4, 8, g=False),))


@prog
def sth_fp8_e5m2_all():
    hooked("all", lambda x: (x.dtype, x.to(FP8_E5M2)), lambda p: p[1].to(p[0]), waves, fixed())


@prog
def sth_fp8_e5m2_scale_of_a_power():
    def pack(x):
        scale = torch.exp2(torch.floor(torch.log2(57344.0 / x.abs().amax().clamp(min=1e-6))))
        return (x * scale).to(FP8_E5M2), scale

    hooked("donated", pack, lambda p: p[0].to(torch.float32) / p[1], waves, rows(4), rows(6))


@prog
def sth_int8_per_tensor():
    def pack(x):
        scale = x.abs().amax() / 127 + 1e-8
        return (x / scale).round().to(torch.int8), scale

    hooked("all", pack, lambda p: p[0].float() * p[1], waves, fixed())


@prog
def sth_int8_per_row_dynamic():
    def pack(x):
        scale = x.abs().amax(-1, keepdim=True) / 127 + 1e-8
        return torch.round(x / scale).clamp(-127, 127).to(torch.int8), scale, x.dtype

    hooked("donated", pack, lambda p: p[0].to(p[2]) * p[1], waves, rows(4), rows(6))


@prog
def sth_uint8_with_zero_point():
    def pack(x):
        low, high = torch.aminmax(x)
        scale = (high - low) / 255.0 + 1e-8
        return ((x - low) / scale).round().to(torch.uint8), scale, low

    hooked("no_static", pack, lambda p: p[0] * p[1] + p[2], waves, fixed())


@prog
def sth_int4_nibbles():
    def pack(x):
        scale = x.abs().amax() / 7 + 1e-8
        q = ((x / scale).round().clamp(-7, 7) + 8).to(torch.uint8).reshape(-1, 2)
        return q[:, 0] | (q[:, 1] << 4), scale, x.size(0), x.size(1)

    def unpack(p):
        q = torch.stack([p[0] & 15, p[0] >> 4], -1).reshape(p[2], p[3])
        return (q.float() - 8) * p[1]

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_int4_nibbles_dynamic():
    def pack(x):
        scale = x.abs().amax(dim=1, keepdim=True) / 7 + 1e-8
        q = ((x / scale).round() + 8).to(torch.uint8)
        return {"q": q[:, ::2] + 16 * q[:, 1::2], "scale": scale}

    def unpack(p):
        low, high = p["q"] % 16, p["q"] // 16
        return (torch.stack((low, high), dim=-1).flatten(1).float() - 8) * p["scale"]

    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_blocks_with_padding():
    def pack(x):
        flat = F.pad(x.flatten(), (0, 12)).view(-1, 4)
        scale = flat.abs().amax(1, keepdim=True).clamp_min(1e-5) / 127
        return (flat / scale).round().to(torch.int8), scale, x.shape[0], x.shape[1]

    def unpack(p):
        return (p[0] * p[1]).flatten()[:-12].view(p[2], p[3])

    hooked("donated", pack, unpack, waves, fixed())


# ---- sizes and constants in what is packed ---------------------------------------------------------------------------


@prog
def sth_sizes_in_dictionaries():
    def pack(x):
        return {"shape": (x.size(0), x.size(1)), "kept": [x.reshape(-1).to(torch.bfloat16), {"dtype": x.dtype}]}

    def unpack(p):
        return p["kept"][0].to(p["kept"][1]["dtype"]).view(p["shape"][0], p["shape"][1])

    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_computed_sizes():
    def pack(x):
        n = x.numel()
        return x.flatten().half(), n // x.size(-1), x.shape[-1] + 1

    hooked("donated", pack, lambda p: p[0].float().reshape(p[1], p[2] - 1), waves, rows(4), rows(6))


@prog
def sth_batch_and_length():
    def f(x, w):
        return torch.softmax((x @ w) @ x.mT, -1) @ x

    def pack(x):
        return x.reshape(-1).to(torch.bfloat16), x.size(0), x.size(1), x.size(2)

    def call(batch, length):
        return lambda: (dynamic(R(batch, length, 6), 0, 1), R(6, 6))

    hooked("donated", pack, lambda p: p[0].float().view(p[1], p[2], p[3]), f, call(2, 5), call(3, 7))


@prog
def sth_shape_as_a_whole():
    hooked("donated", lambda x: (x.flatten().half(), x.shape), lambda p: p[0].float().view(p[1]), waves, fixed())


@prog
def sth_shape_as_a_whole_dynamic():
    hooked("donated", lambda x: (x.flatten().half(), x.shape), lambda p: p[0].float().view(p[1]), waves, rows(4), rows(6))


@prog
def sth_second_compile_dynamic():
    """The second size makes the sizes symbols."""
    pack, unpack = lambda x: (x.size(0), x.half().flatten()), lambda p: p[1].float().unflatten(0, (p[0], -1))
    hooked("donated", pack, unpack, waves, fixed(4), fixed(6), fixed(7))


@prog
def sth_constants_of_every_kind():
    def pack(x):
        return x.dtype, x.device, 3, 2.5, "a text", None, True, x.bfloat16()

    def unpack(p):
        return (p[7].to(p[1]).to(p[0]) * p[3]) / p[3] + (p[2] - 3)

    hooked("all", pack, unpack, waves, fixed())


@prog
def sth_constants_between_tensors():
    def pack(x):
        high = x.bfloat16()
        return [high, 1.5, (x - high.float()).bfloat16(), {"none": None, "sign": -1}]

    def unpack(p):
        return p[0].float() - p[2].float() * p[3]["sign"]

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_number_of_dimensions():
    def pack(x):
        return x.dim(), x.is_floating_point(), x.layout, x.half(), x.ndim, x.requires_grad

    hooked("donated", pack, lambda p: p[3].float() * p[0] / p[4], waves, fixed())


@prog
def sth_zeros_of_sizes_alone():
    """Nothing of the tensor is kept."""
    pack, unpack = lambda x: (x.size(0), x.size(1), x.dtype), lambda p: torch.zeros((p[0], p[1]), dtype=p[2])
    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_zeros_of_constants_alone():
    pack, unpack = lambda x: (x.size(0), x.size(1)), lambda p: torch.full((p[0], p[1]), 0.5)
    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_strides_and_offset():
    def pack(x):
        return x.contiguous().half(), x.stride(0), x.stride(1)

    def unpack(p):
        made = p[0].float()
        return torch.empty_strided((made.size(0), made.size(1)), (p[1], p[2]), dtype=torch.float32).copy_(made)

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_floats_of_sizes():
    pack, unpack = lambda x: (x, x.size(0) / 2, x.size(0) ** 0.5), lambda p: p[0] * p[1] / p[1] * p[2] / p[2]
    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_comparisons_of_sizes():
    def pack(x):
        return x.half(), x.size(0) > 3, x.size(-1) == 8, x.numel() % 2

    hooked("donated", pack, lambda p: p[0].float() * (p[3] + 1), waves, rows(4), rows(6))


@prog
def sth_minimum_of_sizes():
    """Rows that are many are cut."""

    def pack(x):
        n = torch.sym_min(x.size(0), 100)
        return x[:n].half(), n

    hooked("donated", pack, lambda p: p[0].float()[: p[1]], waves, rows(4), rows(6))


@prog
def sth_named_results():
    """A tuple with names, as a whole."""

    def pack(x):
        return torch.aminmax(x), x.half(), torch.max(x, -1)

    hooked("donated", pack, lambda p: p[1].float() * (p[0][1] / p[0][1]) + p[2][0].sum() * 0, waves, fixed())


@prog
def sth_several_results_as_they_are():
    hooked("donated", lambda x: x.split(4, dim=-1), lambda p: torch.cat(p, -1), waves, fixed())


@prog
def sth_a_list_stacked():
    def pack(x):
        return [x[:, :4].half(), x[:, 4:].half()], {"scale": x.abs().max()}

    hooked("donated", pack, lambda p: torch.cat(p[0], 1).float() * p[1]["scale"] / p[1].get("scale"), waves, fixed())


@prog
def sth_unused_computations():
    """What a hook computes for nothing stays in the halves."""

    def pack(x):
        x.sin().cos()
        mean, std = torch.std_mean(x)
        x.size(0) * 3
        return x.half(), std

    def unpack(p):
        p[0].neg()
        return p[0].float()

    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_names_that_are_taken():
    """Operators of the function and of the hook have the same names."""

    def f(x, w):
        y = (x @ w).sin().cos().neg().abs()
        return (y.exp() @ w).tanh().sigmoid().sum(-1)

    def pack(x):
        return x.abs().neg().sin().half(), x.sum(-1).exp(), x.tanh()

    hooked("all", pack, lambda p: p[2].neg().abs().cos() + p[0].sin().float() * p[1].sum(), f, rows(4), rows(6))


# ---- several tensors -------------------------------------------------------------------------------------------------


@prog
def sth_two_halves_of_a_float():
    def pack(x):
        high = x.to(torch.bfloat16)
        return high, (x - high).to(torch.bfloat16)

    hooked("all", pack, lambda p: p[0].float() + p[1].float(), waves, fixed())


@prog
def sth_scale_and_values_in_one_tensor():
    def pack(x):
        scale = x.abs().amax()
        return torch.cat([scale.reshape(1), (x / scale).flatten()]).half(), x.size(0)

    hooked("donated", pack, lambda p: (p[0][1:] * p[0][0]).view(p[1], -1).float(), waves, rows(4), rows(6))


@prog
def sth_chunks():
    def pack(x):
        a, b = x.chunk(2, -1)[0], x.chunk(2, -1)[1]
        return (a.half(), [b.bfloat16()])

    hooked("donated", pack, lambda p: torch.cat((p[0].float(), p[1][0].float()), -1), waves, rows(4), rows(6))


@prog
def sth_largest_values():
    def pack(x):
        flat = x.flatten()
        found = flat.abs().topk(8)
        return flat[found[1]], found[1].to(torch.int32), x.size(0), x.size(1)

    def unpack(p):
        return torch.zeros(p[2] * p[3]).scatter(0, p[1].long(), p[0]).view(p[2], p[3])

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_what_is_not_zero():
    """As many values as are not 0: their number is known when it runs."""

    def f(x, w):
        return (x @ w).relu() @ w

    def pack(x):
        flat = x.flatten()
        places = flat.nonzero().squeeze(1)
        return flat[places], places, x.size(0), x.size(1)

    def unpack(p):
        return torch.zeros(p[2] * p[3]).index_put((p[1],), p[0]).view(p[2], p[3])

    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    hooked("donated", pack, unpack, f, fixed())


@prog
def sth_what_is_not_zero_of_several():
    """Each hook has a number of its own."""

    def pack(x):
        places = (x > 0).flatten().nonzero()
        return x.flatten()[places[:, 0]], places, x.size(0)

    def unpack(p):
        return p[0].new_zeros(32).index_put((p[1].squeeze(-1),), p[0]).view(p[2], -1)

    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_bits_of_relu():
    def f(x):
        return (x * 2).relu().mul(3)

    def pack(x):
        bits = (x > 0).reshape(-1, 8).to(torch.uint8)
        places = torch.arange(8, dtype=torch.uint8, device=x.device)
        return (bits << places).sum(-1).to(torch.uint8), x.size(0), x.dtype

    def unpack(p):
        bits = (p[0].unsqueeze(-1) >> torch.arange(8, dtype=torch.uint8, device=p[0].device)) & 1
        return bits.reshape(p[1], -1).to(p[2])

    hooked("all", pack, unpack, f, lambda: (R(4, 8),))


@prog
def sth_bits_by_powers_of_two():
    def f(x):
        return F.relu(x.sin()).cos()

    def pack(x):
        powers = torch.tensor([1, 2, 4, 8, 16, 32, 64, 128], device=x.device)
        return ((x > 0).view(-1, 8) * powers).sum(dim=1).to(torch.uint8), x.half()

    hooked("donated", pack, lambda p: p[1].float() + p[0].sum() * 0, f, lambda: (R(4, 8),))


# ---- the tensor itself -----------------------------------------------------------------------------------------------


@prog
def sth_itself():
    hooked("all", lambda x: x, lambda p: p, waves, fixed())


@prog
def sth_itself_donated():
    hooked("donated", lambda x: x, lambda p: p, waves, rows(4), rows(6))


@prog
def sth_itself_changed_when_unpacked():
    hooked("all", lambda x: x, lambda p: p * 1.5, waves, fixed())


@prog
def sth_itself_with_others():
    def pack(x):
        return x, x.size(0), (x.abs().mean(),)

    hooked("all", pack, lambda p: p[0] + p[2][0] * 0, waves, rows(4), rows(6))


@prog
def sth_itself_last():
    hooked("no_static", lambda x: (x.sum(), x), lambda p: p[1] * (p[0] / p[0]), waves, fixed())


@prog
def sth_to_the_cpu():
    """Offloading, on a machine where the tensor is there already."""
    hooked("donated", lambda x: (x.device, x.to("cpu")), lambda p: p[1].to(p[0], non_blocking=True), waves, fixed())


@prog
def sth_a_copy_on_the_cpu():
    pack = lambda x: (x.device, x.to("cpu", torch.float16, copy=True))
    hooked("all", pack, lambda p: p[1].to(p[0], torch.float32), waves, rows(4), rows(6))


@prog
def sth_forward_outputs():
    """What is saved is returned too."""

    def f(x, w):
        y = torch.sigmoid(x @ w)
        return y, torch.exp(y)

    hooked("all", lambda x: (x, x.half()), lambda p: p[0] + p[1].float() * 0, f, fixed())


@prog
def sth_forward_outputs_themselves():
    def f(x, w):
        y = torch.tanh(x @ w)
        return y, torch.exp(y)

    hooked("no_static", lambda x: x, lambda p: p, f, fixed())


# ---- views and memory formats ----------------------------------------------------------------------------------------


@prog
def sth_views_packed():
    hooked("donated", lambda x: x.t(), lambda p: p.t(), waves, rows(4), rows(6))


@prog
def sth_transposed_and_expanded():
    def f(x, w):
        y = x.sin().unsqueeze(1).expand(4, 3, 8)
        return (y * y.exp()).transpose(1, 2) @ (x @ w).t().expand(4, 8, 4)[:, :3, :]

    def pack(x):
        return x.contiguous().to(torch.bfloat16)

    hooked("all", pack, lambda p: p.float(), f, fixed())


@prog
def sth_strided_slices():
    def f(x, w):
        y = (x @ w).sin()
        return y[:, ::2].exp() * y[:, 1::2].cos()

    hooked("all", lambda x: (x[..., :2].clone(), x[..., 2:].half()), lambda p: torch.cat([p[0], p[1].float()], -1), f, fixed())


@prog
def sth_permuted_copy():
    hooked("donated", lambda x: x.permute(1, 0).contiguous().half(), lambda p: p.float().permute(1, 0), waves, rows(4), rows(6))


@prog
def sth_written_copy():
    """Writes to what it made itself, which is functionalized."""

    def pack(x):
        y = x.clone()
        y.mul_(2).clamp_(-4, 4)
        return y.half()

    def unpack(p):
        y = p.float()
        y.div_(2)
        return y

    hooked("donated", pack, unpack, waves, rows(4), rows(6))


# ---- operators that are decomposed -----------------------------------------------------------------------------------


@prog
def sth_decomposed_operators():
    def pack(x):
        return F.softmax(x, -1).half(), torch.logsumexp(x, -1, keepdim=True), F.layer_norm(x, (x.size(-1),)).bfloat16()

    def unpack(p):
        return torch.log(p[0].float() + 1e-6) + p[1] + F.silu(p[2].float()) * 0

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_statistics():
    def pack(x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return ((x - mean) / std).half(), mean, std

    hooked("donated", pack, lambda p: torch.addcmul(p[1], p[0].float(), p[2]), waves, rows(4), rows(6))


@prog
def sth_where_and_masks():
    def pack(x):
        large = x.abs() > 0.5
        return torch.where(large, x, 0.0).half(), large, torch.masked_fill(x, large, 0).to(FP8_E5M2)

    hooked("no_static", pack, lambda p: torch.where(p[1], p[0].float(), p[2].float()), waves, fixed())


@prog
def sth_python_operators():
    def pack(x):
        return (-x / 2 + 1) ** 2, x > 0, abs(x) % 3, ~(x >= 1)

    def unpack(p):
        root = (p[0].sqrt() - 1) * 2
        return torch.where(p[1] & p[3], root, -root) + 0 * p[2]

    hooked("donated", pack, unpack, waves, rows(4), rows(6))


@prog
def sth_with_matmul():
    """Fewer dimensions, by a matrix that the hook makes again."""

    def pack(x):
        return x @ torch.eye(8, device=x.device)[:, :6]

    def f(x, w):
        return ((x @ w).exp() * x).cos() * 2

    hooked("donated", pack, lambda p: F.linear(p, torch.eye(8, device=p.device)[:, :6]), f, rows(4), rows(6))


@prog
def sth_random_rounding():
    def pack(x):
        scale = x.abs().amax() / 127 + 1e-8
        return torch.floor(x / scale + torch.rand_like(x)).to(torch.int8), scale

    hooked("donated", pack, lambda p: p[0] * p[1], waves, fixed())


@prog
def sth_with_keywords_and_dtypes():
    """Arguments by name, dtypes and memory formats as arguments."""

    def pack(x):
        y = torch.empty_like(x, dtype=torch.float64, memory_format=torch.contiguous_format).copy_(x)
        return y.to(dtype=torch.float32, copy=True), torch.full_like(x, 2.0, dtype=torch.int32)

    hooked("donated", pack, lambda p: p[0].div(p[1]).mul(other=2), waves, fixed())


@prog
def sth_constants_made_in_the_hook():
    """Numbers as tensors on the device of the tensor."""

    def pack(x):
        table = torch.linspace(-1, 1, 16, device=x.device)
        return torch.bucketize(x, table).to(torch.uint8)

    def unpack(p):
        return torch.linspace(-1, 1, 16, device=p.device)[p.long().clamp(0, 15)]

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_fourier():
    def pack(x):
        return torch.fft.rfft(x, dim=-1), x.size(-1)

    hooked("donated", pack, lambda p: torch.fft.irfft(p[0], n=p[1], dim=-1), waves, fixed())


@prog
def sth_cumulative_and_sorted():
    def pack(x):
        values, places = torch.sort(x, dim=-1)[0], torch.argsort(x, dim=-1)
        return values.diff(dim=-1, prepend=values[:, :1] * 0).half(), places.to(torch.int16)

    def unpack(p):
        return torch.zeros_like(p[0], dtype=torch.float32).scatter(1, p[1].long(), p[0].float().cumsum(-1))

    hooked("donated", pack, unpack, waves, fixed())


@prog
def sth_einsum_and_outer():
    def pack(x):
        return torch.einsum("ij,ij->i", x, x).sqrt(), F.normalize(x, dim=-1).half()

    hooked("donated", pack, lambda p: torch.einsum("i,ij->ij", p[0], p[1].float()), waves, rows(4), rows(6))


@prog
def sth_pooled():
    """Every second number, repeated when it is unpacked."""
    pack, unpack = lambda x: F.avg_pool1d(x.unsqueeze(0), 2), lambda p: p.repeat_interleave(2, dim=-1).squeeze(0)
    hooked("donated", pack, unpack, waves, fixed())


# ---- models ----------------------------------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(x.size(0), x.size(1), 3, 2, 4).permute(2, 0, 3, 1, 4)
        return x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


def to_bf16(x):
    return x.dtype, x.to(torch.bfloat16)


def from_bf16(p):
    return p[1].to(p[0])


@prog
def sth_attention():
    hooked("donated", to_bf16, from_bf16, Attention(), lambda: (R(2, 5, 8, g=False),))


@prog
def sth_attention_dynamic_length():
    def call(length):
        return lambda: (dynamic(R(2, length, 8), 1),)

    hooked("donated", to_bf16, from_bf16, Attention(), call(5), call(7))


@prog
def sth_attention_written_out():
    def f(q, k, v):
        scores = (q @ k.mT) / 2.0
        return torch.softmax(scores.masked_fill(torch.ones(5, 5).tril() == 0, -1e9), -1) @ v

    def pack(x):
        return (x * 255).round().to(torch.uint8), x.dtype

    hooked("donated", pack, lambda p: torch.div(p[0], 255).to(p[1]), f, lambda: (R(2, 5, 4), R(2, 5, 4), R(2, 5, 4)))


@prog
def sth_embedding_and_norm():
    """Indices are saved too."""
    model = nn.Sequential(nn.Embedding(20, 8), nn.LayerNorm(8), nn.Linear(8, 6), nn.SiLU())
    hooked("all", to_bf16, from_bf16, model, lambda: (torch.randint(0, 20, (3, 5)),))


@prog
def sth_convolutions():
    model = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 3, 1), nn.Sigmoid())

    def pack(x):
        return x.to(torch.float16), x.dtype

    hooked("donated", pack, lambda p: p[0].to(p[1]), model, lambda: (R(2, 2, 6, 6, g=False),))


@prog
def sth_channels_last_convolution():
    model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.SiLU(), nn.MaxPool2d(2)).to(memory_format=torch.channels_last)

    def pack(x):
        return x.to(torch.bfloat16), x.dtype

    images = lambda: (R(2, 2, 6, 6).to(memory_format=torch.channels_last),)
    hooked("no_static", pack, lambda p: p[0].to(p[1]), model, images)


@prog
def sth_dropout():
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.4), nn.GELU(), nn.Linear(8, 4), nn.Dropout(0.1))
    hooked("donated", lambda x: (x.dtype, x.half()), lambda p: p[1].to(p[0]), model, lambda: (R(4, 8, g=False),))


@prog
def sth_changed_buffers():
    """The function writes to its input."""

    def f(x, seen):
        seen.add_(x.detach().mean(0))
        return (x * seen).sin().exp()

    hooked("donated", to_bf16, from_bf16, f, lambda: (R(4, 8), torch.zeros(8)))


@prog
def sth_under_autocast():
    def f(x, w):
        with torch.autocast("cpu", torch.bfloat16):
            return (x @ w).sin() @ w

    pack, unpack = lambda x: (x.dtype, (x.mT.float() @ x.float()).half(), x), lambda p: p[2] + p[1].mean().to(p[0])
    hooked("donated", pack, unpack, f, fixed())


@prog
def sth_checkpointed():
    def f(x, w):
        return checkpoint(lambda x: (x @ w).sin().exp(), x, use_reentrant=False).cos() @ w

    hooked("no_static", to_bf16, from_bf16, f, fixed())


@prog
def sth_complex():
    def f(x):
        return torch.fft.fft(x).mul(2j).abs()

    def pack(x):
        return torch.view_as_real(x + 0j).half()

    hooked("donated", pack, lambda p: torch.view_as_complex(p.float()), f, lambda: (R(4, 8),))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 6)

    def forward(self, x):
        h = x.new_zeros(x.size(1), 6)
        for step in x.unbind(0):
            h = self.cell(step, h)
        return h


@prog
def sth_recurrent_cell():
    hooked("donated", to_bf16, from_bf16, Recurrent(), lambda: (R(3, 2, 4),))


@prog
def sth_cross_entropy():
    model = nn.Sequential(nn.Linear(8, 12), nn.ReLU(), nn.Linear(12, 5))
    f = lambda x, target: F.cross_entropy(model(x), target)
    hooked("no_static", to_bf16, from_bf16, f, lambda: (R(4, 8), torch.randint(0, 5, (4,))))


@prog
def sth_autograd_function():
    class Gate(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x.sigmoid(), y)
            return x.sigmoid() * y

        @staticmethod
        def backward(ctx, g):
            s, y = ctx.saved_tensors
            return g * y * s * (1 - s), g * s

    hooked("donated", to_bf16, from_bf16, lambda x, w: Gate.apply(x @ w, (x @ w).cos()), fixed())


@prog
def sth_outputs_that_alias():
    def f(x, w):
        y = (x @ w).exp()
        return y.t(), y[:2], x.view(-1)

    hooked("all", lambda x: (x.half(), x.dtype), lambda p: p[0].to(p[1]), f, fixed())


@prog
def sth_inputs_written_to():
    def f(x, w):
        w.mul_(2)
        return ((x @ w).sin() @ w).exp()

    hooked("all", to_bf16, from_bf16, f, lambda: (R(4, 8), R(8, 8).clone()))


@prog
def sth_float16_model():
    model = mlp().to(torch.bfloat16)
    pack = lambda x: (x.to(FP8_E4M3), x.dtype)
    hooked("donated", pack, lambda p: p[0].to(p[1]), model, lambda: (R(4, 8, g=False, dtype=torch.bfloat16),))


@prog
def sth_double_precision():
    pack, unpack = lambda x: (x.float(), x.dtype), lambda p: p[0].to(p[1])
    hooked("all", pack, unpack, waves, lambda: (R(4, 8, dtype=torch.float64), R(8, 8, dtype=torch.float64)))


# ---- modes, contexts, calls ------------------------------------------------------------------------------------------


@prog
def sth_no_static_parameters():
    hooked("no_static", to_bf16, from_bf16, mlp(), lambda: (R(4, 8),))


@prog
def sth_all_parameters():
    hooked("all", to_bf16, from_bf16, mlp(), lambda: (R(4, 8),))


@prog
def sth_nothing_donated():
    """The only saved tensors are inputs."""
    hooked("donated", to_bf16, from_bf16, lambda x, w: x @ w, fixed())


@prog
def sth_other_hooks_in_turn():
    """Each pair of hooks is another compile of the same function."""
    c, args = C(waves), fixed()()
    pairs = (to_bf16, from_bf16), (lambda x: x.half(), lambda p: p.float()), (lambda x: (x * 2,), lambda p: p[0] / 2)
    for pair in pairs:
        with hooks(*pair):
            back(c(*args))
    back(c(*args))


@prog
def sth_hooks_in_hooks():
    """The innermost pair holds."""
    c, args = C(waves), fixed()()
    with hooks(to_bf16, from_bf16):
        with hooks(lambda x: (x.half(), x.dtype), lambda p: p[0].to(p[1])):
            back(c(*args))


@prog
def sth_no_graphs():
    """Python functions stay what is called when the halves run."""
    c, args = C(waves), fixed()()
    with torch.autograd.graph.saved_tensors_hooks(to_bf16, from_bf16):
        back(c(*args))


@prog
def sth_one_is_no_graph():
    c, args = C(waves), fixed()()
    with torch.autograd.graph.saved_tensors_hooks(graph(lambda x: x.half()), lambda p: p.float()):
        back(c(*args))


@prog
def sth_without_gradients():
    c, args = C(waves), fixed()()
    with torch.no_grad(), hooks(to_bf16, from_bf16):
        c(*args)


@prog
def sth_graph_break():
    def f(x, w):
        y = (x @ w).sin().exp()
        torch._dynamo.graph_break()
        return (y @ w).cos().exp()

    hooked("donated", to_bf16, from_bf16, f, fixed())


# ---- graphs that are made in other ways ------------------------------------------------------------------------------


def aten_graph(hook, *examples):
    from torch.fx.experimental.proxy_tensor import make_fx

    return make_fx(hook)(*examples)


def captured(hook, *examples):
    """The hook as Dynamo sees it, with its Python decided."""
    made = []

    def keep(module, inputs):
        made.append(module)
        return module.forward

    torch.compile(hook, backend=keep, fullgraph=True, dynamic=False)(*examples)
    return made[0]


@prog
def sth_aten_graphs():
    def pack(x):
        scale = x.abs().amax() / 127
        return (x / scale).round().to(torch.int8), scale

    unpack = lambda p: p[0].float() * p[1]
    x = torch.randn(4, 8)
    hooked("donated", aten_graph(pack, x), aten_graph(unpack, pack(x)), waves, fixed())


@prog
def sth_decided_by_dtype_and_size():
    """Python that Dynamo decides while it captures the hook."""

    def pack(x):
        if x.dtype == torch.float32 and x.numel() >= 16:
            return (x.to(FP8_E5M2),)
        return (x,)

    def unpack(x):
        return (x.to(torch.float32) if x.dtype == FP8_E5M2 else x,)

    x = torch.randn(4, 8)
    taken, given = captured(pack, x), captured(unpack, pack(x)[0])
    hooked("donated", taken, lambda p: given.forward(p[0])[0], waves, fixed())


def module_of(*lines, inputs=("x",)):
    """A graph with these nodes: name, function, arguments."""
    made = torch.fx.Graph()
    nodes = {name: made.placeholder(name) for name in inputs}
    for name, function, arguments in lines:
        nodes[name] = made.call_function(function, torch.fx.node.map_aggregate(arguments, lambda a: nodes.get(a, a)), name=name)
    return made, nodes


@prog
def sth_graph_by_hand():
    import operator

    taken, nodes = module_of(("size", torch.Tensor.size, ("x", 0)), ("half", torch.Tensor.to, ("x", torch.float16)))
    taken.output({"n": nodes["size"], "kept": (nodes["half"],)})
    given, nodes = module_of(
        ("kept", operator.getitem, ("p", "kept")),
        ("first", operator.getitem, ("kept", 0)),
        ("made", torch.Tensor.to, ("first", torch.float32)),
        inputs=("p",),
    )
    given.output(nodes["made"])
    root = torch.nn.Module()
    hooked("donated", torch.fx.GraphModule(root, taken), torch.fx.GraphModule(root, given), waves, rows(4), rows(6))


# ---- what PyTorch refuses --------------------------------------------------------------------------------------------


@prog
def sth_writes_to_its_input():
    hooked("donated", lambda x: x.mul_(2).half(), lambda p: p.float() / 2, waves, fixed())


@prog
def sth_one_value_twice():
    def pack(x):
        y = x.half()
        return y, y

    hooked("donated", pack, lambda p: (p[0] + p[1]).float() / 2, waves, fixed())


@prog
def sth_nothing_packed():
    hooked("donated", lambda x: None, lambda p: p, waves, fixed())


@prog
def sth_two_tensors_unpacked():
    hooked("donated", lambda x: x.half(), lambda p: (p.float(), p), waves, fixed())


@prog
def sth_another_dtype_unpacked():
    """PyTorch does not look at what comes back."""
    hooked("donated", lambda x: x.half(), lambda p: p, lambda x, w: ((x @ w).exp() * 2).cos(), fixed())


@torch.fx.wrap
def chosen_by_dtype(x):
    if x.dtype.is_floating_point and x.numel() > 20:
        return x.dtype, x.to(FP8_E5M2)
    return x


@torch.fx.wrap
def of_the_chosen(p):
    return p if isinstance(p, torch.Tensor) else p[1].to(p[0])


@prog
def sth_wrapped_functions():
    """Python functions that the graph calls: the log names them, and does not say what they do."""
    hooked("all", lambda x: chosen_by_dtype(x), lambda p: of_the_chosen(p), waves, fixed())
