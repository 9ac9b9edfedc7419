"""Batch, length, image or number of items changes between calls: padding, masks, search, rotary positions, caches,
boxes, losses, buffers written in place, items; and in-place operators, each in a program of its own."""

from common import *


# ---- in-place operators ---------------------------------------------------------------------------------------------

INPLACE = {
    "cumsum_columns": lambda y: y.cumsum_(1),
    "cumprod": lambda y: y.detach().cumprod_(0),
    "triu": lambda y: y.triu_(),
    "transpose": lambda y: y.transpose_(0, 1).mul_(2),
    "t": lambda y: y.t_().add_(1),
    "swapaxes": lambda y: y.swapaxes_(0, 1),
    "squeezed": lambda y: y.unsqueeze_(1).squeeze_(1).squeeze_(),
    "masked_fill_tensor": lambda y: y.masked_fill_(y > 0.5, torch.tensor(1.0)),
    "normal": lambda y: y.normal_(),
    "uniform": lambda y: y.uniform_(),
    "bernoulli": lambda y: y.bernoulli_(0.3),
    "exponential": lambda y: y.exponential_(),
    "cauchy": lambda y: y.cauchy_(),
    "log_normal": lambda y: y.log_normal_(),
    "geometric": lambda y: y.geometric_(0.3),
    "addmm": lambda y: y.addmm_(y.detach(), torch.ones(4, 4)),
    "baddbmm": lambda y: y.unsqueeze(0).baddbmm_(y.detach().unsqueeze(0), torch.ones(1, 4, 4), alpha=2).squeeze(0),
    "addmv": lambda y: y[:, 0].clone().addmv_(y.detach(), torch.ones(4)),
    "frac": lambda y: y.frac_(),
    "i0": lambda y: y.detach().i0_(),
    "sgn": lambda y: y.detach().sgn_(),
    "sinc": lambda y: y.sinc_(),
    "degrees": lambda y: y.deg2rad_().rad2deg_(),
    "xlogy_number": lambda y: y.xlogy_(2.0),
    "logit": lambda y: y.logit_(0.1),
    "mvlgamma": lambda y: y.detach().mvlgamma_(2),
    "renorm": lambda y: y.detach().renorm_(2, 0, 1.0),
    "round_decimals": lambda y: y.round_(decimals=1),
    "fill_diagonal": lambda y: y.fill_diagonal_(0.0),
    "div_trunc": lambda y: y.div_(2.0, rounding_mode="trunc"),
    "div_floor": lambda y: y.div_(y.detach() + 9, rounding_mode="floor"),
    "floor_divide": lambda y: y.detach().floor_divide_(2.0),
    "copysign_number": lambda y: y.copysign_(2.0),
    "gelu": lambda y: torch._C._nn.gelu_(y),
    "ldexp": lambda y: y.detach().ldexp_(y.detach().abs()),
    "addr": lambda y: y.addr_(y.detach()[:, 0], torch.ones(4)),
    "compare": lambda y: y.detach().ge_(0.5).lt_(y.detach()),
    "copy_of_row": lambda y: y.copy_(y[0]),
    "as_strided": lambda y: y.as_strided_((2, 2), (4, 1)),
    "lcm": lambda y: y.detach().int().lcm_(torch.tensor(4)),
    "heaviside": lambda y: y.detach().heaviside_(torch.tensor(0.5)),
}


def inplace(change):
    def f(x):
        y = x * 2
        y = change(y)
        z = y * 3
        return (z + x.size(0)) - y, z.ge(0) * 1.0, (z == y) & (z <= 2)

    twice(f, (R(5, 4),), (R(7, 4),))


for name, change in INPLACE.items():
    P["cs_inplace_" + name] = lambda change=change: inplace(change)

# ---- padding and masks ----------------------------------------------------------------------------------------------

changing("cs_pad_to_multiple", lambda x: F.pad(x, (0, 0, 0, -x.size(1) % 4)).unflatten(1, (-1, 4)).mean(2),
         lambda: (R(2, 5, 3),), lambda: (R(2, 7, 3),))
changing("cs_pad_batch_of_two", lambda a, b: torch.stack([F.pad(a, (0, 0, 0, b.size(0) - a.size(0))), b]),
         lambda: (R(3, 4), R(5, 4)), lambda: (R(4, 4), R(7, 4)))


@prog
def cs_lengths_mask_attention():
    def f(q, k, n):
        s = q @ k.transpose(1, 2) / q.size(-1) ** 0.5
        m = torch.arange(k.size(1))[None, :] >= n[:, None]
        s = s.masked_fill_(m[:, None], float("-inf"))
        return s.softmax(-1) @ k

    twice(f, (R(2, 3, 4), R(2, 5, 4), torch.tensor([3, 5])), (R(3, 4, 4), R(3, 6, 4), torch.tensor([3, 5, 6])))


@prog
def cs_causal_sliding_window_mask():
    def f(x):
        n = x.size(1)
        i = torch.arange(n)
        m = (i[:, None] >= i[None]) & (i[:, None] - i[None] < 3)
        s = (x @ x.transpose(1, 2)).where(m, torch.tensor(-1e9))
        return s.softmax(-1) @ x

    twice(f, (R(2, 5, 4),), (R(2, 8, 4),))


@prog
def cs_triangle_buffer_cut():
    mask = torch.ones(16, 16).tril_()

    def f(x):
        n = x.size(1)
        return (x @ x.transpose(1, 2)).masked_fill(mask[:n, :n] == 0, -1e9).softmax(-1) @ x

    twice(f, (R(2, 5, 4),), (R(2, 7, 4),))


@prog
def cs_alibi_bias():
    def f(q, k):
        slopes = 2.0 ** -torch.arange(1, q.size(1) + 1)
        d = torch.arange(k.size(2))[None] - torch.arange(q.size(2))[:, None]
        return (q @ k.transpose(-1, -2) + slopes[:, None, None] * d).softmax(-1) @ k

    twice(f, (R(1, 2, 3, 4), R(1, 2, 5, 4)), (R(1, 2, 4, 4), R(1, 2, 7, 4)))


# ---- positions and caches -------------------------------------------------------------------------------------------


@prog
def cs_rope_half_rotation_inplace():
    def f(x):
        n, h = x.size(1), x.size(-1) // 2
        a = torch.arange(n).float()[:, None] * (1e-4 ** (torch.arange(h) / h))
        c, s = a.cos()[:, None], a.sin()[:, None]
        y = torch.empty_like(x)
        y[..., :h] = x[..., :h] * c - x[..., h:] * s
        y[..., h:] = x[..., h:] * c + x[..., :h] * s
        return y * 2

    twice(f, (R(2, 3, 2, 4),), (R(2, 5, 2, 4),))


@prog
def cs_rope_complex():
    def f(x):
        a = torch.outer(torch.arange(x.size(1)).float(), torch.ones(x.size(-1) // 2))
        z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(a), a)
        return torch.view_as_real(z).flatten(-2)

    twice(f, (R(2, 3, 4),), (R(2, 5, 4),))


@prog
def cs_cache_written_at_positions():
    def f(cache, k, p):
        cache.index_copy_(1, p, k)
        return cache[:, : k.size(1)] * 2, cache.sum()

    twice(f, (torch.zeros(2, 8, 4), R(2, 2, 4, g=False), torch.tensor([1, 2])),
          (torch.zeros(2, 8, 4), R(2, 3, 4, g=False), torch.tensor([2, 3, 4])))


@prog
def cs_cache_grown_by_cat():
    def f(k0, v0, q, k, v):
        k, v = torch.cat([k0, k], 2), torch.cat([v0, v], 2)
        return F.scaled_dot_product_attention(q, k, v, is_causal=False), k, v

    twice(f, *(((R(1, 2, n, 4, g=False), R(1, 2, n, 4, g=False), R(1, 2, 1, 4), R(1, 2, 1, 4), R(1, 2, 1, 4)))
               for n in (3, 4, 5)))


@prog
def cs_rolled_cache():
    def f(cache, x):
        cache.copy_(cache.roll(-1, 1))
        cache[:, -1] = x.detach()
        return (cache * x[:, None]).sum(1)

    twice(f, (torch.zeros(2, 6, 4), R(2, 4)), (torch.zeros(3, 6, 4), R(3, 4)))


@prog
def cs_sinusoidal_positions():
    def f(x):
        p = torch.arange(x.size(1)).unsqueeze(1)
        d = torch.exp(torch.arange(0, x.size(2), 2) * -0.5)
        e = torch.zeros(x.size(1), x.size(2))
        e[:, 0::2] = (p * d).sin()
        e[:, 1::2] = (p * d).cos()
        return x + e

    twice(f, (R(2, 3, 4),), (R(2, 5, 4),))


# ---- search and sampling --------------------------------------------------------------------------------------------


@prog
def cs_beam_step():
    def f(scores, logits, tokens):
        b, k, v = logits.shape
        s = (scores[..., None] + logits.log_softmax(-1)).view(b, k * v)
        best, i = s.topk(k, -1)
        beam, word = i // v, i % v
        return best, torch.cat([tokens.gather(1, beam[..., None].expand(-1, -1, tokens.size(-1))), word[..., None]], -1)

    twice(f, (R(2, 3), R(2, 3, 5), torch.zeros(2, 3, 4, dtype=torch.long)),
          (R(3, 3), R(3, 3, 5), torch.zeros(3, 3, 6, dtype=torch.long)))


@prog
def cs_top_p_filter():
    def f(l):
        s, i = l.sort(-1, descending=True)
        r = s.softmax(-1).cumsum(-1) > 0.9
        r = torch.cat([torch.zeros_like(r[:, :1]), r[:, :-1]], -1)
        return l.masked_fill(torch.zeros_like(r).scatter_(1, i, r), float("-inf")).softmax(-1)

    twice(f, (R(2, 7),), (R(4, 7),))


@prog
def cs_repetition_penalty():
    def f(l, t):
        s = l.gather(1, t)
        return l.scatter(1, t, torch.where(s < 0, s * 1.2, s / 1.2)).log_softmax(-1)

    twice(f, (R(2, 7), torch.zeros(2, 3, dtype=torch.long)), (R(4, 7), torch.zeros(4, 5, dtype=torch.long)))


@prog
def cs_viterbi_steps():
    trans = nn.Parameter(torch.randn(3, 3))

    def f(e):
        s = e[:, 0]
        for t in range(1, 3):
            s = (s.unsqueeze(2) + trans).amax(1) + e[:, t]
        return s.logsumexp(-1)

    twice(f, (R(2, 3, 3),), (R(4, 3, 3),))


# ---- boxes and images -----------------------------------------------------------------------------------------------


@prog
def cs_pairwise_iou():
    def f(a, b):
        lt, rb = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
        wh = (rb - lt).clamp(min=0)
        area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
        i = wh[..., 0] * wh[..., 1]
        return i / (area(a)[:, None] + area(b) - i)

    twice(f, (R(3, 4), R(5, 4)), (R(4, 4), R(6, 4)))


@prog
def cs_soft_nms_step():
    def f(s, iou):
        i = s.argmax(0)
        w = torch.exp(-iou[i] ** 2 / 0.5)
        s = s * w
        s = s.scatter(0, i[None], 0.0)
        return s, s.sort(descending=True)[0]

    twice(f, (R(5), R(5, 5)), (R(7), R(7, 7)))


@prog
def cs_anchors_of_changing_image():
    def f(x):
        h, w = x.shape[-2:]
        y, z = torch.meshgrid(torch.arange(h) + 0.5, torch.arange(w) + 0.5, indexing="ij")
        c = torch.stack([z, y], -1).view(-1, 2) * 4
        return torch.cat([c - 2, c + 2], -1) + x.mean((0, 1)).flatten()[:, None]

    twice(f, (R(1, 2, 4, 5),), (R(1, 2, 6, 7),))


@prog
def cs_boxes_above_threshold():
    capture_values()

    def f(b, s):
        k = s > 0
        return b[k] * s[k].unsqueeze(1), s[k].sum()

    go(f, R(6, 4), R(6))


@prog
def cs_grid_sample_flow():
    def f(x, d):
        h, w = x.shape[-2:]
        g = torch.stack(torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")[::-1], -1)
        return F.grid_sample(x, g[None] + d.permute(0, 2, 3, 1), align_corners=True)

    twice(f, (R(2, 3, 4, 5), R(2, 2, 4, 5)), (R(3, 3, 4, 5), R(3, 2, 4, 5)))


@prog
def cs_patches_of_changing_image():
    l = nn.Linear(12, 4)

    def f(x):
        p = x.unfold(2, 2, 2).unfold(3, 2, 2).permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)
        return l(p).mean(1)

    twice(f, (R(2, 3, 4, 4),), (R(2, 3, 6, 6),))


@prog
def cs_upsample_and_add():
    a, b = nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(3, 4, 1)
    twice(lambda x: F.interpolate(a(x), size=x.shape[-2:], mode="nearest").add_(b(x)).relu_(),
          (R(1, 3, 8, 8),), (R(1, 3, 12, 12),))


@prog
def cs_channels_last_batch():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2)).to(
        memory_format=torch.channels_last)
    twice(m, (R(2, 3, 8, 8).to(memory_format=torch.channels_last),),
          (R(4, 3, 8, 8).to(memory_format=torch.channels_last),))


# ---- losses ---------------------------------------------------------------------------------------------------------


@prog
def cs_info_nce_queue():
    def f(q, k, queue):
        q, k = F.normalize(q, dim=1), F.normalize(k, dim=1)
        l = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.t()], 1) / 0.07
        return F.cross_entropy(l, torch.zeros(l.size(0), dtype=torch.long))

    twice(f, (R(3, 4), R(3, 4), R(6, 4, g=False)), (R(5, 4), R(5, 4), R(6, 4, g=False)))


@prog
def cs_supervised_contrastive():
    def f(z, y):
        z = F.normalize(z, dim=1)
        s = z @ z.t() / 0.1
        e = torch.eye(z.size(0), dtype=torch.bool)
        s = s.masked_fill(e, -1e9)
        m = (y[:, None] == y[None]) & ~e
        return -(s.log_softmax(1) * m).sum(1).div(m.sum(1).clamp(min=1)).mean()

    twice(f, (R(4, 3), torch.tensor([0, 1, 0, 1])), (R(6, 3), torch.tensor([0, 1, 0, 1, 2, 2])))


@prog
def cs_masked_language_loss():
    def f(l, t):
        return F.cross_entropy(l[:, :-1].reshape(-1, l.size(-1)), t[:, 1:].reshape(-1), ignore_index=-100)

    twice(f, (R(2, 5, 7), torch.randint(0, 7, (2, 5))), (R(3, 6, 7), torch.randint(0, 7, (3, 6))))


@prog
def cs_distillation():
    def f(s, t, y):
        return F.kl_div((s / 2).log_softmax(-1), (t / 2).softmax(-1), reduction="batchmean") * 4 + F.cross_entropy(s, y)

    twice(f, (R(3, 5), R(3, 5, g=False), torch.randint(0, 5, (3,))),
          (R(4, 5), R(4, 5, g=False), torch.randint(0, 5, (4,))))


@prog
def cs_dice_and_focal():
    def f(x, y):
        p = x.sigmoid()
        d = 1 - (2 * (p * y).sum((1, 2)) + 1) / (p.sum((1, 2)) + y.sum((1, 2)) + 1)
        b = F.binary_cross_entropy_with_logits(x, y, reduction="none")
        return d.mean() + ((1 - torch.exp(-b)) ** 2 * b).mean()

    twice(f, (R(2, 4, 4), R(2, 4, 4, g=False).sigmoid()), (R(3, 5, 5), R(3, 5, 5, g=False).sigmoid()))


@prog
def cs_dpo_loss():
    def f(l, t, m, ref):
        p = l.log_softmax(-1).gather(-1, t.unsqueeze(-1)).squeeze(-1)
        s = (p * m).sum(-1) - ref
        n = s.size(0) // 2
        return -F.logsigmoid(0.1 * (s[:n] - s[n:])).mean()

    twice(f, (R(4, 3, 5), torch.randint(0, 5, (4, 3)), torch.ones(4, 3), R(4, g=False)),
          (R(6, 3, 5), torch.randint(0, 5, (6, 3)), torch.ones(6, 3), R(6, g=False)))


@prog
def cs_ppo_clipped():
    def f(lp, old, adv, v, r):
        ratio = (lp - old).exp()
        a = (adv - adv.mean()) / (adv.std() + 1e-8)
        return -torch.min(ratio * a, ratio.clamp(0.8, 1.2) * a).mean() + F.mse_loss(v, r)

    twice(f, *((R(n), R(n, g=False), R(n, g=False), R(n), R(n, g=False)) for n in (4, 6)))


@prog
def cs_barlow_twins():
    def f(a, b):
        a, b = (a - a.mean(0)) / a.std(0), (b - b.mean(0)) / b.std(0)
        c = a.t() @ b / a.size(0)
        return (c.diagonal() - 1).pow_(2).sum() + 0.01 * c.flatten()[:-1].view(3, 5)[:, 1:].pow(2).sum()

    twice(f, (R(3, 4), R(3, 4)), (R(5, 4), R(5, 4)))


@prog
def cs_triplet_hard_mining():
    def f(z, y):
        d = torch.cdist(z, z)
        s = y[:, None] == y[None]
        return F.relu((d * s).amax(1) - d.masked_fill(s, 1e9).amin(1) + 0.3).mean()

    twice(f, (R(4, 3), torch.tensor([0, 1, 0, 1])), (R(6, 3), torch.tensor([0, 1, 0, 1, 2, 2])))


# ---- state changed in place -----------------------------------------------------------------------------------------


@prog
def cs_running_statistics():
    m, v = torch.zeros(4), torch.ones(4)

    def f(x):
        with torch.no_grad():
            m.mul_(0.9).add_(x.mean(0), alpha=0.1)
            v.lerp_(x.var(0), 0.1)
        return (x - m) / (v + 1e-5).sqrt_()

    twice(f, (R(3, 4),), (R(5, 4),))


@prog
def cs_codebook_update():
    e, n = torch.randn(5, 4), torch.zeros(5)

    def f(x):
        i = torch.cdist(x.detach(), e).argmin(1)
        o = F.one_hot(i, 5).float()
        n.mul_(0.9).add_(o.sum(0), alpha=0.1)
        e.add_((o.t() @ x.detach() - e) * 0.1)
        return x + (e[i] - x).detach()

    twice(f, (R(6, 4),), (R(8, 4),))


@prog
def cs_confusion_counts():
    def f(count, p, y):
        count.index_put_((y, p.argmax(1)), torch.ones(y.size(0)), accumulate=True)
        return p.softmax(1), count.diagonal().sum() / count.sum()

    twice(f, (torch.zeros(3, 3), R(4, 3), torch.randint(0, 3, (4,))),
          (torch.zeros(3, 3), R(6, 3), torch.randint(0, 3, (6,))))


@prog
def cs_replay_buffer_write():
    def f(buffer, x, p):
        buffer[p : p + x.size(0)] = x.detach()
        return buffer.mean(0) * x

    twice(f, (torch.zeros(16, 3), R(2, 3), 3), (torch.zeros(16, 3), R(4, 3), 5))


# ---- items ----------------------------------------------------------------------------------------------------------


@prog
def cs_item_cuts_rows():
    capture_values()

    def f(x, n):
        k = n.item()
        torch._check(k >= 2)
        torch._check(k <= x.size(0))
        return x[:k].sum(0) * 2, x[:k] @ x[:k].t()

    go(f, R(6, 3), torch.tensor(4))


@prog
def cs_item_scales():
    capture_values()
    go(lambda x, s: x * s.item() + s.item(), R(4, 3), torch.tensor(0.5))


@prog
def cs_items_reshape():
    capture_values()

    def f(x, n):
        a, b = n.tolist()
        torch._check(a >= 2)
        torch._check(b >= 2)
        torch._check(a * b == x.size(0))
        return x.view(a, b, 3).sum(1)

    go(f, R(6, 3), torch.tensor([2, 3]))


@prog
def cs_ragged_segments():
    def f(x, s, n):
        o = torch.zeros(n.size(0), x.size(1)).index_add(0, s, x)
        return o / n[:, None], (x - (o / n[:, None])[s]).pow(2).sum()

    twice(f, (R(5, 3), torch.tensor([0, 0, 1, 1, 1]), torch.tensor([2, 3])),
          (R(7, 3), torch.tensor([0, 0, 1, 1, 1, 2, 2]), torch.tensor([2, 3, 2])))


@prog
def cs_packed_tokens():
    capture_values()

    def f(x, m):
        i = m.flatten().nonzero().squeeze(1)
        p = x.flatten(0, 1)[i]
        y = torch.zeros(x.size(0) * x.size(1), x.size(2)).index_copy(0, i, p * 2)
        return y.view_as(x)

    go(f, R(2, 4, 3), torch.rand(2, 4) > 0.3)
