"""Language models and what surrounds them, with lengths that change."""

from common import *


class Block(nn.Module):
    def __init__(s, d, h, n, mode):
        super().__init__()
        s.h, s.mode = h, mode
        s.ln1, s.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        s.qkv, s.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        s.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(approximate="tanh"), nn.Linear(4 * d, d))
        s.register_buffer("bias", torch.tril(torch.ones(n, n)).view(1, 1, n, n))

    def forward(s, x):
        B, T, D = x.size()
        q, k, v = s.qkv(s.ln1(x)).split(D, dim=2)
        q, k, v = (t.view(B, T, s.h, D // s.h).transpose(1, 2) for t in (q, k, v))
        if s.mode == "sdpa":
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            a = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            a = a.masked_fill(s.bias[:, :, :T, :T] == 0, float("-inf"))
            y = F.softmax(a, dim=-1) @ v
        x = x + s.o(y.transpose(1, 2).contiguous().view(B, T, D))
        return x + s.mlp(s.ln2(x))


class GPT(nn.Module):
    def __init__(s, v=17, d=8, h=2, n=16, mode="manual", pos="emb"):
        super().__init__()
        s.tok, s.pos, s.mode_pos = nn.Embedding(v, d), nn.Embedding(n, d), pos
        s.b = nn.ModuleList([Block(d, h, n, mode) for _ in range(2)])
        s.ln, s.head = nn.LayerNorm(d), nn.Linear(d, v, bias=False)
        s.head.weight = s.tok.weight

    def forward(s, i, t=None):
        B, T = i.size()
        p = s.pos(torch.arange(0, T, dtype=torch.long, device=i.device)) if s.mode_pos == "emb" else s.pos.weight[:T]
        x = s.tok(i) + p
        for b in s.b:
            x = b(x)
        x = s.ln(x)
        if t is None:
            return s.head(x[:, [-1], :])
        l = s.head(x)
        return l, F.cross_entropy(l.view(-1, l.size(-1)), t.view(-1), ignore_index=-1)


def ids(*s, v=17):
    return torch.randint(0, v, s)


@prog
def lm_nanogpt_manual():
    m = GPT()
    twice(m, (ids(2, 6), ids(2, 6)), (ids(2, 9), ids(2, 9)))


@prog
def lm_nanogpt_sdpa_both():
    m = GPT(mode="sdpa", pos="slice")
    twice(m, (ids(2, 6), ids(2, 6)), (ids(3, 9), ids(3, 9)))


@prog
def lm_nanogpt_generate():
    m = GPT(mode="sdpa")
    c = C(m)
    with torch.no_grad():
        c(ids(2, 5))
        c(ids(2, 6))
        c(ids(2, 7))


@prog
def lm_gpt_mark_dynamic():
    m = GPT()
    i, t = ids(4, 6), ids(4, 6)
    for x in (i, t):
        torch._dynamo.mark_dynamic(x, 0)
        torch._dynamo.mark_dynamic(x, 1)
    back(C(m)(i, t))


@prog
def lm_gpt_dynamic_true():
    m = GPT(pos="slice")
    back(C(m, dynamic=True)(ids(3, 6), ids(3, 6)))


class Rope(nn.Module):
    def __init__(s, d=8, h=4, kv=2, n=32, cplx=True, v=17):
        super().__init__()
        s.h, s.kv, s.cplx, s.hd = h, kv, cplx, d // h * 2
        D = s.hd * h
        s.e = nn.Embedding(v, D)
        s.q, s.k, s.v, s.o = (
            nn.Linear(D, h * s.hd, bias=False),
            nn.Linear(D, kv * s.hd, bias=False),
            nn.Linear(D, kv * s.hd, bias=False),
            nn.Linear(D, D, bias=False),
        )
        s.g, s.u, s.dn = nn.Linear(D, 12, bias=False), nn.Linear(D, 12, bias=False), nn.Linear(12, D, bias=False)
        s.w = nn.Parameter(torch.ones(D))
        f = torch.outer(torch.arange(n).float(), 1.0 / (10000 ** (torch.arange(0, s.hd, 2).float() / s.hd)))
        s.register_buffer("cis", torch.polar(torch.ones_like(f), f))
        s.register_buffer("cos", torch.cat([f, f], -1).cos())
        s.register_buffer("sin", torch.cat([f, f], -1).sin())

    def norm(s, x):
        return s.w * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x)

    def rot(s, x, T):
        if s.cplx:
            c = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
            return torch.view_as_real(c * s.cis[:T].view(1, T, 1, -1)).flatten(3).type_as(x)
        x1, x2 = x.chunk(2, -1)
        return x * s.cos[:T][None, :, None] + torch.cat((-x2, x1), -1) * s.sin[:T][None, :, None]

    def forward(s, i):
        B, T = i.shape
        x = s.e(i)
        h = s.norm(x)
        q, k, v = s.q(h).view(B, T, s.h, s.hd), s.k(h).view(B, T, s.kv, s.hd), s.v(h).view(B, T, s.kv, s.hd)
        q, k = s.rot(q, T), s.rot(k, T)
        r = s.h // s.kv
        k = k[:, :, :, None, :].expand(B, T, s.kv, r, s.hd).reshape(B, T, s.h, s.hd)
        v = v[:, :, :, None, :].expand(B, T, s.kv, r, s.hd).reshape(B, T, s.h, s.hd)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        a = q @ k.transpose(2, 3) / math.sqrt(s.hd)
        m = torch.full((T, T), float("-inf")).triu(1)
        y = F.softmax((a + m).float(), -1).type_as(q) @ v
        x = x + s.o(y.transpose(1, 2).contiguous().view(B, T, -1))
        h = s.norm(x)
        x = x + s.dn(F.silu(s.g(h)) * s.u(h))
        return F.linear(s.norm(x), s.e.weight)


@prog
def lm_llama_complex():
    twice(Rope(), (ids(2, 6),), (ids(2, 9),))


@prog
def lm_llama_half_both():
    m = Rope(cplx=False)

    def f(i):
        l = m(i)
        return F.cross_entropy(l[:, :-1].reshape(-1, 17), i[:, 1:].reshape(-1))

    twice(f, (ids(2, 6),), (ids(3, 9),))


@prog
def lm_llama_half_shift_contig():
    m = Rope(cplx=False)

    def f(i, labels):
        l = m(i).float()
        sl = l[..., :-1, :].contiguous()
        st = labels[..., 1:].contiguous()
        return F.cross_entropy(sl.view(-1, 17), st.view(-1), ignore_index=-100), l

    twice(f, (ids(2, 6), ids(2, 6)), (ids(2, 8), ids(2, 8)))


@prog
def lm_t5_bias():
    e = nn.Embedding(8, 2)

    def f(x):
        T = x.shape[2]
        c = torch.arange(T)[:, None]
        m = torch.arange(T)[None, :]
        rel = m - c
        n = torch.abs(rel)
        small = n < 4
        large = 4 + (torch.log(n.float().clamp(min=1) / 4) / math.log(128 / 4) * 4).long()
        large = torch.min(large, torch.full_like(large, 7))
        b = e(torch.where(small, n, large)).permute(2, 0, 1).unsqueeze(0)
        s = x @ x.transpose(-1, -2) + b
        return s.softmax(-1) @ x

    twice(f, (R(2, 2, 6, 4),), (R(2, 2, 9, 4),))


@prog
def lm_alibi():
    sl = torch.tensor([0.5, 0.25])

    def f(q, k, v):
        T = q.size(-2)
        p = torch.arange(T) - torch.arange(T).view(-1, 1)
        b = sl.view(1, -1, 1, 1) * p
        m = torch.triu(torch.full((T, T), float("-inf")), diagonal=1)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=b + m)

    twice(f, (R(2, 2, 6, 4), R(2, 2, 6, 4), R(2, 2, 6, 4)), (R(2, 2, 9, 4), R(2, 2, 9, 4), R(2, 2, 9, 4)))


@prog
def lm_bert_mask_pool():
    l = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, norm_first=True)
    e = nn.Embedding(17, 8)
    c = nn.Linear(8, 3)

    def f(i, mask):
        x = e(i)
        x = l(x, src_key_padding_mask=mask == 0)
        mm = mask.unsqueeze(-1).to(x.dtype)
        p = (x * mm).sum(1) / mm.sum(1).clamp(min=1e-9)
        return c(p), c(x[:, 0])

    twice(f, (ids(2, 6), torch.ones(2, 6)), (ids(2, 9), torch.ones(2, 9)))


@prog
def lm_kv_cache_cat():
    q, k, v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def f(x, kc, vc):
        Q, K, V = (
            q(x).view(2, 1, 2, 4).transpose(1, 2),
            k(x).view(2, 1, 2, 4).transpose(1, 2),
            v(x).view(2, 1, 2, 4).transpose(1, 2),
        )
        K, V = torch.cat([kc, K], 2), torch.cat([vc, V], 2)
        return F.scaled_dot_product_attention(Q, K, V), K, V

    c = C(f)
    with torch.no_grad():
        kc, vc = torch.randn(2, 2, 3, 4), torch.randn(2, 2, 3, 4)
        for _ in range(3):
            y, kc, vc = c(torch.randn(2, 1, 8), kc, vc)


@prog
def lm_static_cache_index():
    kc = torch.zeros(2, 2, 16, 4)

    def f(k, pos):
        kc.index_copy_(2, pos, k)
        return kc[:, :, : k.shape[2]] * 2

    c = C(f)
    with torch.no_grad():
        c(torch.randn(2, 2, 3, 4), torch.arange(3))
        c(torch.randn(2, 2, 5, 4), torch.arange(5))


@prog
def lm_sliding_window():
    def f(q, k, v):
        T = q.size(2)
        i = torch.arange(T)
        m = (i[:, None] >= i[None, :]) & (i[:, None] - i[None, :] < 3)
        a = (q @ k.transpose(-1, -2) / 2.0).masked_fill(~m, torch.finfo(q.dtype).min)
        return a.softmax(-1) @ v

    twice(f, tuple(R(2, 2, 6, 4) for _ in range(3)), tuple(R(2, 2, 9, 4) for _ in range(3)))


@prog
def lm_temperature_topk():
    def f(l, t):
        l = l[:, -1, :] / t
        v, _ = torch.topk(l, 4)
        l = l.masked_fill(l < v[:, [-1]], -float("inf"))
        return F.softmax(l, dim=-1)

    twice(f, (R(2, 5, 17), 0.8), (R(2, 6, 17), 0.9), (R(2, 7, 17), 0.7))


@prog
def lm_float_scale_loss():
    def f(x, w, a):
        return (x * a).relu().mean() + a * w.pow(2).sum() * 0.5, x / a, x > a, (1.0 - a) * x

    twice(f, (R(4, 3), R(3), 0.1), (R(4, 3), R(3), 0.2), (R(4, 3), R(3), 0.3))


@prog
def lm_causal_conv_mamba():
    cv = nn.Conv1d(4, 4, 3, groups=4, padding=2)

    def f(x):
        T = x.shape[1]
        y = cv(x.transpose(1, 2))[..., :T].transpose(1, 2)
        a, b = F.silu(y).chunk(2, -1)
        return torch.cumsum(a * b, 1)

    twice(f, (R(2, 6, 4),), (R(2, 9, 4),))


@prog
def lm_whisper_conv():
    c1, c2 = nn.Conv1d(4, 8, 3, padding=1), nn.Conv1d(8, 8, 3, stride=2, padding=1)
    p = nn.Parameter(torch.randn(32, 8))

    def f(x):
        x = F.gelu(c2(F.gelu(c1(x)))).permute(0, 2, 1)
        return x + p[: x.shape[1]]

    twice(f, (R(2, 4, 12),), (R(2, 4, 18),))


@prog
def lm_vit_pos_interp():
    pe = nn.Conv2d(3, 8, 4, 4)
    pos = nn.Parameter(torch.randn(1, 8, 4, 4))

    def f(x):
        x = pe(x)
        p = F.interpolate(pos, size=x.shape[-2:], mode="bicubic", align_corners=False)
        return (x + p).flatten(2).transpose(1, 2)

    twice(f, (R(2, 3, 16, 16),), (R(2, 3, 24, 32),))


@prog
def lm_interp_nearest_scale():
    def f(x, y):
        return (
            F.interpolate(x, scale_factor=2, mode="nearest") + 1,
            F.interpolate(y, scale_factor=0.5, mode="bilinear"),
            F.interpolate(y, size=(7, 5), mode="bilinear", align_corners=True),
        )

    twice(f, (R(1, 2, 6, 8), R(1, 2, 6, 8)), (R(1, 2, 10, 12), R(1, 2, 10, 12)))


@prog
def lm_linear_attention():
    def f(q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("bhnd,bhne->bhnde", k, v).cumsum(2)
        z = 1 / (torch.einsum("bhnd,bhnd->bhn", q, k.cumsum(2)) + 1e-6)
        return torch.einsum("bhnd,bhnde,bhn->bhne", q, kv, z)

    twice(f, tuple(R(2, 2, 6, 4) for _ in range(3)), tuple(R(2, 2, 9, 4) for _ in range(3)))


@prog
def lm_contrastive():
    l = nn.Linear(6, 4)

    def f(a, b):
        a, b = F.normalize(l(a), dim=-1), F.normalize(l(b), dim=-1)
        s = a @ b.t() / 0.07
        t = torch.arange(a.size(0))
        return (F.cross_entropy(s, t) + F.cross_entropy(s.t(), t)) / 2

    twice(f, (R(3, 6), R(3, 6)), (R(5, 6), R(5, 6)))


@prog
def lm_block_sizes():
    def f(x):
        B, T, D = x.shape
        y = F.pad(x, (0, 0, 0, -T % 4))
        y = y.view(B, -1, 4, D).mean(2)
        return y, x[:, ::2], x[:, 1::2], x.unfold(1, 3, 2)

    twice(f, (R(2, 6, 3),), (R(2, 9, 3),))


@prog
def lm_seq2seq_cross():
    m = nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True)
    e = nn.Embedding(17, 8)

    def f(s, t):
        mask = nn.Transformer.generate_square_subsequent_mask(t.size(1))
        return m(e(s), e(t), tgt_mask=mask) @ e.weight.t()

    twice(f, (ids(2, 5), ids(2, 4)), (ids(2, 7), ids(2, 6)))


@prog
def lm_rwkv_shift():
    w = nn.Parameter(torch.rand(4))
    l = nn.Linear(4, 4)

    def f(x):
        xx = F.pad(x, (0, 0, 1, -1))
        y = torch.roll(x, 1, dims=1)
        return l(x * w + xx * (1 - w)) + y

    twice(f, (R(2, 6, 4),), (R(2, 9, 4),))


@prog
def lm_moe_topk():
    g = nn.Linear(8, 3)
    ex = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])

    def f(x):
        B, T, D = x.shape
        h = x.view(-1, D)
        p = F.softmax(g(h), 1)
        w, i = torch.topk(p, 2, dim=-1)
        w = w / w.sum(-1, keepdim=True)
        m = F.one_hot(i, 3).to(x.dtype)
        y = sum((m[..., k] * w).sum(-1, keepdim=True) * ex[k](h) for k in range(3))
        return y.view(B, T, D), p.mean(0)

    twice(f, (R(2, 6, 8),), (R(2, 9, 8),))


@prog
def lm_chunked_loss():
    h = nn.Linear(8, 17)

    def f(x, t):
        x, t = x.view(-1, 8), t.view(-1)
        return sum(F.cross_entropy(h(a), b, reduction="sum") for a, b in zip(x.chunk(2), t.chunk(2))) / t.numel()

    twice(f, (R(2, 6, 8), ids(2, 6)), (R(2, 9, 8), ids(2, 9)))
