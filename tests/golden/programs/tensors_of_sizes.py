"""Tensors made from changing sizes (torch.tensor, as_tensor, new_tensor), feature pyramids and padded batches."""

from common import *


def dyn(f, *inputs):
    out = C(f, dynamic=True)(*inputs)
    sum(o.float().sum() for o in (out if isinstance(out, (tuple, list)) else [out])).backward()


@prog
def ts_one_size():
    dyn(lambda x: x / torch.tensor(x.shape[0]), R(5, 3))


@prog
def ts_one_size_as_float():
    dyn(lambda x: x * torch.tensor(x.shape[0], dtype=torch.float32), R(5, 3))


@prog
def ts_one_size_as_double():
    dyn(lambda x: x * torch.tensor(x.shape[1], dtype=torch.float64), R(5, 3))


@prog
def ts_list_of_sizes():
    dyn(lambda x: x.sum() * torch.tensor([x.shape[0], x.shape[1]]), R(5, 3))


@prog
def ts_list_with_numbers():
    dyn(lambda x: x.sum() * torch.tensor([x.shape[0], 7, x.shape[1] * 2]), R(5, 3))


@prog
def ts_list_with_floats():
    dyn(lambda x: x.sum() * torch.tensor([x.shape[0], 0.5]), R(5, 3))


@prog
def ts_nested_lists():
    dyn(lambda x: x.sum() * torch.tensor([[x.shape[0], 3], [4, x.shape[1]]], dtype=torch.float32), R(5, 3))


@prog
def ts_float_of_a_size():
    dyn(lambda x: x + torch.tensor(x.shape[0] / 2), R(5, 3))


@prog
def ts_floats_of_sizes():
    dyn(lambda x: x.sum() * torch.tensor([1 / x.shape[0], float(x.shape[1])]), R(5, 3))


@prog
def ts_with_tensors():
    dyn(lambda x, y: x.sum() * torch.tensor([x.shape[0], y.argmax()]), R(5, 3), R(4))


@prog
def ts_as_tensor():
    dyn(lambda x: x.sum() * torch.as_tensor(x.shape[0], dtype=torch.float32), R(5, 3))


@prog
def ts_as_tensor_of_pairs():
    def f(a, b):
        shapes = [(a.shape[2], a.shape[3]), (b.shape[2], b.shape[3])]
        shapes = torch.as_tensor(shapes, dtype=torch.long)
        starts = torch.cat((shapes.new_zeros((1,)), shapes.prod(1).cumsum(0)[:-1]))
        flat = torch.cat([a.flatten(2), b.flatten(2)], 2)
        return flat * shapes.sum(), starts

    dyn(f, R(2, 3, 8, 6), R(2, 3, 4, 3))


@prog
def ts_new_tensor():
    dyn(lambda x: x * x.new_tensor(x.shape[0]), R(5, 3))


@prog
def ts_new_tensor_of_sizes():
    dyn(lambda x: x[:, :2] * x.new_tensor([x.shape[0], x.shape[1]]), R(5, 3))


@prog
def ts_scalar_tensor():
    dyn(lambda x: x / torch.scalar_tensor(x.shape[0]), R(5, 3))


@prog
def ts_scale_of_boxes():
    def f(image, boxes):
        h, w = image.shape[-2:]
        ratio = [torch.tensor(s, dtype=torch.float32, device=boxes.device) / torch.tensor(o, dtype=torch.float32) for s, o in ((h, 64), (w, 48))]
        a, b, c, d = boxes.unbind(1)
        return torch.stack((a * ratio[1], b * ratio[0], c * ratio[1], d * ratio[0]), 1)

    dyn(f, R(3, 32, 24), R(5, 4))


@prog
def ts_normalized_points():
    def f(x, points):
        size = torch.tensor([x.shape[3], x.shape[2]], device=x.device, dtype=x.dtype)
        return F.grid_sample(x, points / size * 2 - 1, align_corners=False)

    dyn(f, R(2, 3, 8, 6), R(2, 5, 4, 2))


@prog
def ts_positions_of_a_batch():
    def f(x):
        lengths = torch.tensor([x.shape[1]] * 2)
        mask = torch.arange(x.shape[1])[None] < lengths[:, None]
        return x * mask[..., None]

    dyn(f, R(2, 7, 3))


class Pyramid(nn.Module):
    def __init__(s, levels):
        super().__init__()
        s.down = nn.ModuleList([nn.Conv2d(4, 4, 3, 2, 1) for _ in range(levels)])
        s.inner = nn.ModuleList([nn.Conv2d(4, 4, 1) for _ in range(levels)])

    def forward(s, x):
        found = []
        for down in s.down:
            x = F.relu(down(x))
            found.append(x)
        last = s.inner[-1](found[-1])
        results = [last]
        for inner, feature in zip(list(s.inner)[-2::-1], found[-2::-1]):
            last = inner(feature) + F.interpolate(last, size=feature.shape[-2:], mode="nearest")
            results.append(last)
        return results


def pyramid(levels, *sizes):
    m = C(Pyramid(levels), dynamic=True)
    for size in sizes:
        sum(o.sum() for o in m(torch.randn(2, 4, *size))).backward()


@prog
def ts_pyramid_to_one_pixel():
    pyramid(6, (64, 64), (48, 64))


@prog
def ts_pyramid_of_other_sizes():
    pyramid(4, (40, 64), (64, 40))


@prog
def ts_pyramid_small():
    pyramid(3, (20, 12))


def padded(*images):
    sizes = [max(i.shape[d] for i in images) for d in range(3)]
    sizes[1] = int(math.ceil(float(sizes[1]) / 32) * 32)
    sizes[2] = int(math.ceil(float(sizes[2]) / 32) * 32)
    batch = images[0].new_full([len(images)] + sizes, 0)
    for i, image in enumerate(images):
        batch[i, : image.shape[0], : image.shape[1], : image.shape[2]].copy_(image)
    return batch


@prog
def ts_padded_batch():
    dyn(lambda a, b: padded(a, b) * 2, R(3, 64, 50), R(3, 40, 64))


@prog
def ts_padded_batch_without_grad():
    f = C(lambda a, b: padded(a, b), dynamic=True)
    with torch.no_grad():
        f(torch.randn(3, 64, 50), torch.randn(3, 64, 64))
        f(torch.randn(3, 64, 64), torch.randn(3, 64, 40))


@prog
def ts_padded_one_size_static():
    f = C(lambda a, b: padded(a, b))
    with torch.no_grad():
        f(torch.randn(3, 64, 64), torch.randn(3, 64, 64))
        f(torch.randn(3, 64, 64), torch.randn(3, 50, 64))
        f(torch.randn(3, 64, 64), torch.randn(3, 64, 50))


@prog
def ts_scatter_of_a_slice():
    f = lambda x, y: x.slice_scatter(y, 1, 0, y.shape[1]) * 2
    dyn(f, R(4, 9), R(4, 5))


@prog
def ts_scatter_of_a_row():
    dyn(lambda x, y: x.t().select_scatter(y, 0, 1) * 2, R(4, 9), R(4))


@prog
def ts_scatter_of_a_diagonal():
    dyn(lambda x, y: x.diagonal_scatter(y) * 2, R(4, 9), R(4))


@prog
def ts_resized_by_the_smaller_side():
    def f(image):
        h, w = image.shape[-2:]
        scale = min(64 / min(h, w), 80 / max(h, w))
        return F.interpolate(image[None], scale_factor=scale, mode="bilinear", recompute_scale_factor=True, align_corners=False)[0]

    dyn(f, R(3, 40, 50))


@prog
def ts_rows_that_sum_up():
    def f(a, b, p, q):
        boxes, anchors = torch.cat([a, b]), torch.cat([p, q])
        return (boxes - anchors) / anchors[:, 2:3].exp()

    f = C(f)
    for rows in (135, 120, 150):
        f(R(135, 4), R(135, 4), torch.randn(rows, 4), torch.randn(270 - rows, 4)).sum().backward()


@prog
def ts_groups_of_channels_that_lie_together():
    m = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.SiLU(), nn.Conv2d(8, 8, 3, 1, 1), nn.GroupNorm(4, 8), nn.Upsample(scale_factor=2.0))
    m = C(m.to(memory_format=torch.channels_last), dynamic=True)
    for size in ((16, 16), (16, 24)):
        m(torch.randn(2, 3, *size).to(memory_format=torch.channels_last)).sin().sum().backward()


@prog
def ts_length_below_a_limit():
    def f(x, table):
        if x.shape[1] + 2 > table.shape[0]:
            raise ValueError("too long")
        rows = torch.arange(x.shape[1])
        mask = rows[None, None, :, None] >= rows[None, None, None, :]
        return (x[:, :, None] * mask[0, 0][None] * table[2 : x.shape[1] + 2, 0]).sum(-1)

    f = C(f, dynamic=True)
    for length in (9, 13):
        f(R(2, length), torch.randn(50, 4)).sum().backward()


@prog
def ts_norm_of_one_row():
    norm = nn.LayerNorm(6)

    def f(x):
        rows = math.ceil(x.shape[1] / 2)
        return norm(x[:, :rows].tanh()) * 2

    f = C(f, dynamic=True)
    for length in (2, 2):
        f(R(3, length, 6)).sin().sum().backward()


@prog
def ts_joined_to_an_empty_tensor():
    f = lambda x: torch.cat([torch.tensor([], dtype=x.dtype), x.sin()], dim=-2) * 2
    f = C(f, dynamic=True)
    for length in (5, 7):
        f(R(2, 3, length, 4)).sum().backward()
