"""Models of vision, language, speech and graphs; losses, norms, optimizers, linear algebra, checkpoints, hooks, mutation,
operators by family, recompiles and graph breaks."""

import collections
import dataclasses
import common
from common import *


torch._dynamo.config.allow_rnn = True


# ---- models -------------------------------------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return x + self.f(x)


@prog
def vit_patch():
    class ViT(nn.Module):
        def __init__(s, d=16, heads=2, depth=2):
            super().__init__()
            s.patch = nn.Conv2d(3, d, 4, stride=4)
            s.cls = nn.Parameter(torch.zeros(1, 1, d))
            s.pos = nn.Parameter(torch.randn(1, 5, d) * 0.02)
            s.blocks = nn.ModuleList()
            for _ in range(depth):
                s.blocks.append(
                    nn.ModuleDict(
                        {
                            "n1": nn.LayerNorm(d),
                            "qkv": nn.Linear(d, 3 * d),
                            "proj": nn.Linear(d, d),
                            "n2": nn.LayerNorm(d),
                            "mlp": nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * d, d)),
                        }
                    )
                )
            s.heads = heads
            s.norm = nn.LayerNorm(d)
            s.head = nn.Linear(d, 5)

        def forward(s, x):
            x = s.patch(x).flatten(2).transpose(1, 2)
            x = torch.cat([s.cls.expand(x.shape[0], -1, -1), x], 1) + s.pos
            for b in s.blocks:
                h = b["n1"](x)
                B, N, D = h.shape
                q, k, v = b["qkv"](h).reshape(B, N, 3, s.heads, D // s.heads).permute(2, 0, 3, 1, 4).unbind(0)
                a = (q @ k.transpose(-2, -1)) * (D // s.heads) ** -0.5
                a = a.softmax(-1)
                x = x + b["proj"]((a @ v).transpose(1, 2).reshape(B, N, D))
                x = x + b["mlp"](b["n2"](x))
            return s.head(s.norm(x)[:, 0])

    go(ViT(), R(2, 3, 8, 8, g=False))


@prog
def convnext_block():
    class Block(nn.Module):
        def __init__(s, d=8):
            super().__init__()
            s.dw = nn.Conv2d(d, d, 7, padding=3, groups=d)
            s.norm = nn.LayerNorm(d, eps=1e-6)
            s.p1 = nn.Linear(d, 4 * d)
            s.p2 = nn.Linear(4 * d, d)
            s.gamma = nn.Parameter(1e-6 * torch.ones(d))

        def drop_path(s, x, p=0.2):
            keep = 1 - p
            m = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
            return x * m.div_(keep)

        def forward(s, x):
            y = s.dw(x).permute(0, 2, 3, 1)
            y = s.gamma * s.p2(F.gelu(s.p1(s.norm(y))))
            return x + s.drop_path(y.permute(0, 3, 1, 2))

    go(nn.Sequential(nn.Conv2d(3, 8, 4, 4), Block(), Block(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)), R(2, 3, 32, 32, g=False))


@prog
def mobilenet_inverted():
    def block(i, o, stride, expand):
        h = i * expand
        return nn.Sequential(
            nn.Conv2d(i, h, 1, bias=False),
            nn.BatchNorm2d(h),
            nn.ReLU6(inplace=True),
            nn.Conv2d(h, h, 3, stride, 1, groups=h, bias=False),
            nn.BatchNorm2d(h),
            nn.ReLU6(inplace=True),
            nn.Conv2d(h, o, 1, bias=False),
            nn.BatchNorm2d(o),
        )

    m = nn.Sequential(block(3, 8, 2, 2), Residual(block(8, 8, 1, 3)), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 4))
    go(m, R(2, 3, 16, 16, g=False))


@prog
def efficientnet_se():
    class SE(nn.Module):
        def __init__(s, c, r):
            super().__init__()
            s.a, s.b = nn.Conv2d(c, r, 1), nn.Conv2d(r, c, 1)

        def forward(s, x):
            w = x.mean((2, 3), keepdim=True)
            return x * torch.sigmoid(s.b(F.silu(s.a(w), inplace=True)))

    m = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False),
        nn.BatchNorm2d(8, eps=1e-3, momentum=0.01),
        nn.SiLU(inplace=True),
        SE(8, 2),
        Residual(nn.Sequential(nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8), nn.Hardswish(inplace=True), SE(8, 4))),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 3),
    )
    go(m, R(2, 3, 16, 16, g=False))


@prog
def unet_skip():
    class U(nn.Module):
        def __init__(s):
            super().__init__()
            c = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))
            s.d1, s.d2, s.mid = c(1, 4), c(4, 8), c(8, 8)
            s.up2 = nn.ConvTranspose2d(8, 8, 2, 2)
            s.u2, s.u1 = c(16, 4), c(8, 4)
            s.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            s.out = nn.Conv2d(4, 2, 1)

        def forward(s, x):
            a = s.d1(x)
            b = s.d2(F.max_pool2d(a, 2))
            m = s.mid(F.max_pool2d(b, 2))
            y = s.u2(torch.cat([s.up2(m), b], 1))
            y = s.u1(torch.cat([s.up(y), a], 1))
            return s.out(y)

    m = U()
    t = torch.randint(0, 2, (2, 8, 8))
    go(lambda x: F.cross_entropy(m(x), t), R(2, 1, 8, 8, g=False))


@prog
def resnet_bottleneck_zero_init():
    class B(nn.Module):
        def __init__(s, i, m, stride):
            super().__init__()
            s.c1, s.b1 = nn.Conv2d(i, m, 1, bias=False), nn.BatchNorm2d(m)
            s.c2, s.b2 = nn.Conv2d(m, m, 3, stride, 1, bias=False), nn.BatchNorm2d(m)
            s.c3, s.b3 = nn.Conv2d(m, 2 * m, 1, bias=False), nn.BatchNorm2d(2 * m)
            s.down = nn.Sequential(nn.Conv2d(i, 2 * m, 1, stride, bias=False), nn.BatchNorm2d(2 * m))
            s.relu = nn.ReLU(inplace=True)

        def forward(s, x):
            y = s.relu(s.b1(s.c1(x)))
            y = s.relu(s.b2(s.c2(y)))
            y = s.b3(s.c3(y))
            y += s.down(x)
            return s.relu(y)

    go(nn.Sequential(B(3, 4, 2), B(8, 4, 1)), R(2, 3, 8, 8, g=False))


@prog
def densenet_block():
    ls = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(4 + 2 * i), nn.ReLU(), nn.Conv2d(4 + 2 * i, 2, 3, padding=1, bias=False)) for i in range(3))

    def f(x):
        fs = [x]
        for l in ls:
            fs.append(l(torch.cat(fs, 1)))
        return torch.cat(fs, 1)

    go(f, R(2, 4, 6, 6))


class RMSNorm(nn.Module):
    def __init__(s, d, eps=1e-6):
        super().__init__()
        s.weight = nn.Parameter(torch.ones(d))
        s.eps = eps

    def forward(s, x):
        t = x.dtype
        x = x.to(torch.float32)
        v = x.pow(2).mean(-1, keepdim=True)
        return s.weight * (x * torch.rsqrt(v + s.eps)).to(t)


class LlamaBlock(nn.Module):
    def __init__(s, d=16, h=4, kv=2):
        super().__init__()
        s.h, s.kv, s.hd = h, kv, d // h
        s.q = nn.Linear(d, d, bias=False)
        s.k = nn.Linear(d, kv * s.hd, bias=False)
        s.v = nn.Linear(d, kv * s.hd, bias=False)
        s.o = nn.Linear(d, d, bias=False)
        s.n1, s.n2 = RMSNorm(d), RMSNorm(d)
        s.gate, s.up, s.down = nn.Linear(d, 2 * d, bias=False), nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)

    @staticmethod
    def rot(x):
        a, b = x.chunk(2, -1)
        return torch.cat((-b, a), -1)

    def forward(s, x, cos, sin, mask=None):
        B, T, D = x.shape
        h = s.n1(x)
        q = s.q(h).view(B, T, s.h, s.hd).transpose(1, 2)
        k = s.k(h).view(B, T, s.kv, s.hd).transpose(1, 2)
        v = s.v(h).view(B, T, s.kv, s.hd).transpose(1, 2)
        q, k = q * cos + s.rot(q) * sin, k * cos + s.rot(k) * sin
        n = s.h // s.kv
        k = k[:, :, None].expand(B, s.kv, n, T, s.hd).reshape(B, s.h, T, s.hd)
        v = v[:, :, None].expand(B, s.kv, n, T, s.hd).reshape(B, s.h, T, s.hd)
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + s.o(a.transpose(1, 2).contiguous().view(B, T, D))
        return x + s.down(F.silu(s.gate(s.n2(x))) * s.up(s.n2(x)))


def rope_table(T, d):
    inv = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
    f = torch.outer(torch.arange(T).float(), inv)
    e = torch.cat((f, f), -1)
    return e.cos(), e.sin()


class Llama(nn.Module):
    def __init__(s, n=2, d=16, vocab=32, tie=True):
        super().__init__()
        s.emb = nn.Embedding(vocab, d)
        s.layers = nn.ModuleList(LlamaBlock(d) for _ in range(n))
        s.norm = RMSNorm(d)
        s.head = nn.Linear(d, vocab, bias=False)
        if tie:
            s.head.weight = s.emb.weight
        c, i = rope_table(16, d // 4)
        s.register_buffer("cos", c, persistent=False)
        s.register_buffer("sin", i, persistent=False)

    def forward(s, t, labels=None, mask=None):
        T = t.shape[1]
        x = s.emb(t)
        for l in s.layers:
            x = l(x, s.cos[:T], s.sin[:T], mask)
        y = s.head(s.norm(x))
        if labels is None:
            return y
        return F.cross_entropy(y[:, :-1].reshape(-1, y.size(-1)), labels[:, 1:].reshape(-1), ignore_index=-100)


@prog
def llama_gqa_tied():
    m = Llama()
    t = torch.randint(0, 32, (2, 6))
    go(m, t, t)


@prog
def llama_dynamic_two_lengths():
    m = Llama(1, tie=False)
    c = C(m)
    for T in (6, 9):
        t = torch.randint(0, 32, (2, T))
        back(c(t, t))


@prog
def llama_bf16_masked():
    m = Llama(1).to(torch.bfloat16)
    t = torch.randint(0, 32, (2, 5))
    mask = torch.ones(5, 5, dtype=torch.bool).tril()[None, None]
    go(lambda t, k: m(t, None, k), t, mask)


@prog
def llama_mark_dynamic():
    m = Llama(1)
    t = torch.randint(0, 32, (3, 6))
    torch._dynamo.mark_dynamic(t, 0)
    torch._dynamo.mark_dynamic(t, 1, min=2, max=16)
    go(m, t)


@prog
def t5_relative_bias():
    emb = nn.Embedding(8, 2)
    q, k, v = (nn.Linear(8, 8, bias=False) for _ in range(3))

    def bucket(rel, n=8, maxd=16):
        r = 0
        n //= 2
        r += (rel > 0).to(torch.long) * n
        rel = torch.abs(rel)
        e = n // 2
        small = rel < e
        large = e + (torch.log(rel.float() / e) / math.log(maxd / e) * (n - e)).to(torch.long)
        large = torch.min(large, torch.full_like(large, n - 1))
        return r + torch.where(small, rel, large)

    def f(x):
        B, T, D = x.shape
        c = torch.arange(T)[:, None]
        m = torch.arange(T)[None, :]
        bias = emb(bucket(m - c)).permute([2, 0, 1]).unsqueeze(0)
        sh = lambda t: t.view(B, -1, 2, 4).transpose(1, 2)
        s = torch.matmul(sh(q(x)), sh(k(x)).transpose(3, 2))
        s += bias
        w = F.softmax(s.float(), dim=-1).type_as(s)
        w = F.dropout(w, p=0.1, training=True)
        return torch.matmul(w, sh(v(x))).transpose(1, 2).contiguous().view(B, -1, 8)

    go(f, R(2, 5, 8))


@prog
def bert_mlm_head():
    m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, activation="gelu"), 2, enable_nested_tensor=False)
    emb, tok = nn.Embedding(20, 8, padding_idx=0), nn.Embedding(2, 8)
    dec = nn.Linear(8, 20)
    dec.weight = emb.weight

    def f(t, pad, lab):
        x = emb(t) + tok(torch.zeros_like(t))
        h = m(x, src_key_padding_mask=pad)
        return F.cross_entropy(dec(h).view(-1, 20), lab.view(-1), ignore_index=-1)

    t = torch.randint(1, 20, (2, 6))
    go(f, t, torch.zeros(2, 6, dtype=torch.bool), torch.randint(-1, 20, (2, 6)))


@prog
def gpt_nano_causal_buffer():
    class A(nn.Module):
        def __init__(s, d=8, T=8):
            super().__init__()
            s.qkv, s.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
            s.register_buffer("bias", torch.tril(torch.ones(T, T)).view(1, 1, T, T))
            s.d1, s.d2 = nn.Dropout(0.1), nn.Dropout(0.1)

        def forward(s, x):
            B, T, D = x.size()
            q, k, v = s.qkv(x).split(D, dim=2)
            q, k, v = (t.view(B, T, 2, D // 2).transpose(1, 2) for t in (q, k, v))
            a = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            a = a.masked_fill(s.bias[:, :, :T, :T] == 0, float("-inf"))
            a = s.d1(F.softmax(a, dim=-1))
            return s.d2(s.proj((a @ v).transpose(1, 2).contiguous().view(B, T, D)))

    m = nn.Sequential(Residual(nn.Sequential(nn.LayerNorm(8), A())), Residual(nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 32), nn.GELU(approximate="tanh"), nn.Linear(32, 8))))
    go(m, R(2, 5, 8))


@prog
def mamba_scan():
    d, n = 4, 3
    inp, xp, dt = nn.Linear(d, 2 * d, bias=False), nn.Linear(d, 1 + 2 * n, bias=False), nn.Linear(1, d)
    conv = nn.Conv1d(d, d, 3, groups=d, padding=2)
    A = nn.Parameter(torch.log(torch.arange(1, n + 1).float()).repeat(d, 1))
    D = nn.Parameter(torch.ones(d))

    def f(x):
        B, L, _ = x.shape
        u, z = inp(x).chunk(2, -1)
        u = F.silu(conv(u.transpose(1, 2))[..., :L].transpose(1, 2))
        t, b, c = xp(u).split([1, n, n], -1)
        delta = F.softplus(dt(t))
        dA = torch.exp(delta.unsqueeze(-1) * -torch.exp(A))
        dBu = delta.unsqueeze(-1) * b.unsqueeze(2) * u.unsqueeze(-1)
        h = x.new_zeros(B, d, n)
        ys = []
        for i in range(L):
            h = dA[:, i] * h + dBu[:, i]
            ys.append((h @ c[:, i, :, None]).squeeze(-1))
        y = torch.stack(ys, 1) + u * D
        return y * F.silu(z)

    go(f, R(2, 4, 4))


@prog
def rwkv_cumsum_mix():
    d = 6
    w, k, v, r = (nn.Linear(d, d, bias=False) for _ in range(4))
    mix = nn.Parameter(torch.rand(d))

    def f(x):
        xx = F.pad(x, (0, 0, 1, -1))
        x = x * mix + xx * (1 - mix)
        e = torch.exp(k(x).clamp(max=10))
        return torch.sigmoid(r(x)) * (torch.cumsum(e * v(x), 1) / torch.cumsum(e, 1)) + w(x).cummax(1).values

    go(f, R(2, 5, 6))


@prog
def diffusion_time_block():
    class Block(nn.Module):
        def __init__(s, i, o, t):
            super().__init__()
            s.n1, s.c1 = nn.GroupNorm(2, i), nn.Conv2d(i, o, 3, padding=1)
            s.t = nn.Linear(t, 2 * o)
            s.n2, s.c2 = nn.GroupNorm(2, o), nn.Conv2d(o, o, 3, padding=1)
            s.skip = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

        def forward(s, x, t):
            h = s.c1(F.silu(s.n1(x)))
            sc, sh = s.t(F.silu(t))[:, :, None, None].chunk(2, dim=1)
            h = s.n2(h) * (sc + 1) + sh
            return s.skip(x) + s.c2(F.silu(h))

    b1, b2 = Block(4, 4, 8), Block(4, 8, 8)

    def temb(t, d=8):
        half = d // 2
        e = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32) / half)
        a = t[:, None].float() * e[None]
        return torch.cat([torch.cos(a), torch.sin(a)], dim=-1)

    def f(x, t):
        e = temb(t)
        h = b2(F.interpolate(b1(x, e), scale_factor=2.0, mode="nearest"), e)
        noise = torch.randn_like(h)
        return F.mse_loss(h, noise)

    go(f, R(2, 4, 6, 6), torch.tensor([3, 7]))


@prog
def spatial_self_attention():
    n, qkv, o = nn.GroupNorm(2, 8), nn.Conv1d(8, 24, 1), nn.Conv1d(8, 8, 1)

    def f(x):
        b, c, *sp = x.shape
        x = x.reshape(b, c, -1)
        h = qkv(n(x))
        bs, w, l = h.shape
        q, k, v = h.reshape(bs * 2, 12, l).split(4, dim=1)
        s = 1 / math.sqrt(math.sqrt(4))
        a = torch.softmax(torch.einsum("bct,bcs->bts", q * s, k * s).float(), dim=-1).type(h.dtype)
        y = torch.einsum("bts,bcs->bct", a, v).reshape(bs, -1, l)
        return (x + o(y)).reshape(b, c, *sp)

    go(f, R(2, 8, 3, 3))


@prog
def gan_generator_and_discriminator():
    g = nn.Sequential(nn.ConvTranspose2d(4, 8, 4, 1, 0, bias=False), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1, bias=False), nn.Tanh())
    d = nn.Sequential(nn.utils.spectral_norm(nn.Conv2d(1, 4, 4, 2, 1)), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(4, 1, 4))

    def f(z, real):
        fake = g(z)
        a, b = d(real).flatten(), d(fake.detach()).flatten()
        dl = F.binary_cross_entropy_with_logits(a, torch.ones_like(a)) + F.binary_cross_entropy_with_logits(b, torch.zeros_like(b))
        gl = F.softplus(-d(fake)).mean()
        return dl, gl

    go(f, R(2, 4, 1, 1, g=False), R(2, 1, 8, 8, g=False))


@prog
def vae_kl():
    enc, mu, lv, dec = nn.Linear(8, 6), nn.Linear(6, 2), nn.Linear(6, 2), nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 8))

    def f(x):
        h = torch.relu(enc(x))
        m, l = mu(h), lv(h)
        z = m + torch.exp(0.5 * l) * torch.randn_like(l)
        r = torch.sigmoid(dec(z))
        return F.binary_cross_entropy(r, x, reduction="sum") - 0.5 * torch.sum(1 + l - m.pow(2) - l.exp())

    go(f, torch.rand(3, 8))


@prog
def vq_vae_straight_through():
    cb = nn.Embedding(5, 4)

    def f(z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, 4)
        d = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ cb.weight.t() + cb.weight.pow(2).sum(1)
        i = d.argmin(1)
        q = cb(i).reshape(z.shape[0], z.shape[2], z.shape[3], 4).permute(0, 3, 1, 2).contiguous()
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(q.detach(), z)
        q = z + (q - z).detach()
        onehot = F.one_hot(i, 5).float()
        p = onehot.mean(0)
        perplexity = torch.exp(-torch.sum(p * torch.log(p + 1e-10)))
        return q, loss, perplexity

    go(f, R(2, 4, 3, 3))


@prog
def dlrm_embedding_bags():
    bags = nn.ModuleList(nn.EmbeddingBag(10, 4, mode="sum") for _ in range(3))
    bot, top = nn.Sequential(nn.Linear(5, 4), nn.ReLU()), nn.Sequential(nn.Linear(10, 4), nn.ReLU(), nn.Linear(4, 1), nn.Sigmoid())
    li = torch.tensor([1, 2, 3])
    lj = torch.tensor([0, 0, 1])
    ii = torch.tensor([i for i in range(4) for j in range(i)])
    jj = torch.tensor([j for i in range(4) for j in range(i)])

    def f(x, idx, off):
        d = bot(x)
        es = [b(i, o) for b, i, o in zip(bags, idx, off)]
        T = torch.cat([d] + es, 1).view(x.shape[0], -1, 4)
        Z = torch.bmm(T, T.transpose(1, 2))
        return top(torch.cat([d, Z[:, ii, jj]], 1))

    idx = [torch.randint(0, 10, (5,)) for _ in range(3)]
    off = [torch.tensor([0, 2]) for _ in range(3)]
    go(f, torch.rand(2, 5), idx, off)


@prog
def embedding_bag_per_sample_max():
    a, b = nn.EmbeddingBag(10, 4, mode="sum", include_last_offset=True), nn.EmbeddingBag(10, 4, mode="max", padding_idx=1)

    def f(i, o, w):
        return a(i, o, per_sample_weights=w), b(i.view(3, 2))

    go(f, torch.randint(0, 10, (6,)), torch.tensor([0, 2, 4, 6]), R(6))


@prog
def rnn_tanh_unrolled():
    c = nn.RNNCell(4, 5)
    d = nn.Linear(5, 2)

    def f(x):
        h = torch.zeros(x.size(0), 5)
        out = []
        for t in range(x.size(1)):
            h = c(x[:, t], h)
            out.append(d(h))
        return torch.stack(out, dim=1), h

    go(f, R(2, 3, 4))


@prog
def gru_module():
    m = nn.GRU(4, 5, 2, batch_first=True, bidirectional=True)
    go(m, R(2, 3, 4))


@prog
def lstm_module_packed_sizes():
    m = nn.LSTM(4, 5, num_layers=2, batch_first=True, proj_size=3)
    go(lambda x: m(x)[0], R(2, 3, 4))


@prog
def rnn_module_relu():
    m = nn.RNN(4, 5, nonlinearity="relu", dropout=0.1, num_layers=2)
    go(m, R(3, 2, 4), R(2, 2, 5))


@prog
def seq2seq_attention_teacher():
    emb, enc, cell, att, out = nn.Embedding(12, 6), nn.GRUCell(6, 6), nn.GRUCell(12, 6), nn.Linear(12, 1), nn.Linear(6, 12)

    def f(src, tgt):
        h = torch.zeros(src.size(0), 6)
        hs = []
        for t in range(src.size(1)):
            h = enc(emb(src[:, t]), h)
            hs.append(h)
        H = torch.stack(hs, 1)
        loss = 0
        for t in range(tgt.size(1) - 1):
            s = att(torch.cat([H, h.unsqueeze(1).expand_as(H)], -1)).squeeze(-1)
            c = (F.softmax(s, 1).unsqueeze(1) @ H).squeeze(1)
            h = cell(torch.cat([emb(tgt[:, t]), c], 1), h)
            loss = loss + F.cross_entropy(out(h), tgt[:, t + 1])
        return loss / (tgt.size(1) - 1)

    go(f, torch.randint(0, 12, (2, 3)), torch.randint(0, 12, (2, 3)))


@prog
def moe_sparse_dispatch():
    gate = nn.Linear(6, 3)
    w1, w2 = nn.Parameter(torch.randn(3, 6, 8)), nn.Parameter(torch.randn(3, 8, 6))

    def f(x):
        logits = gate(x)
        p, i = torch.topk(F.softmax(logits, -1), 2)
        p = p / p.sum(-1, keepdim=True)
        m = F.one_hot(i, 3).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for e in range(3):
            k, t = torch.where(m[e])
            cur = x[t]
            h = F.silu(cur @ w1[e]) @ w2[e]
            out.index_add_(0, t, h * p[t, k, None])
        aux = (F.softmax(logits, -1).mean(0) * m.float().mean((1, 2))).sum()
        return out, aux

    go(f, R(5, 6))


@prog
def moe_capacity_einsum():
    gate = nn.Linear(6, 2)
    w = nn.Parameter(torch.randn(2, 6, 6))

    def f(x):
        g = gate(x).softmax(-1)
        i = g.argmax(-1)
        m = F.one_hot(i, 2)
        pos = torch.cumsum(m, 0) * m - 1
        m = m * (pos < 3)
        d = m.unsqueeze(-1) * F.one_hot(pos.clamp(min=0), 5)
        d = d[..., :3].to(x.dtype)
        e = torch.einsum("sec,sm->ecm", d, x)
        y = torch.einsum("ecm,emn->ecn", e, w)
        return torch.einsum("sec,ecm->sm", d * g.unsqueeze(-1), y)

    go(f, R(5, 6))


@prog
def lora_frozen_base():
    class LoRA(nn.Module):
        def __init__(s, base, r=2):
            super().__init__()
            s.base = base
            for p in base.parameters():
                p.requires_grad_(False)
            s.A, s.B = nn.Linear(base.in_features, r, bias=False), nn.Linear(r, base.out_features, bias=False)
            s.drop = nn.Dropout(0.05)
            s.scale = 2.0

        def forward(s, x):
            return s.base(x) + s.B(s.A(s.drop(x))) * s.scale

    m = nn.Sequential(LoRA(nn.Linear(6, 8)), nn.GELU(), LoRA(nn.Linear(8, 4)))
    go(m, R(3, 6, g=False))


@prog
def siamese_contrastive():
    e = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))

    def f(a, b):
        za, zb = F.normalize(e(a), dim=1), F.normalize(e(b), dim=1)
        z = torch.cat([za, zb])
        s = z @ z.T / 0.5
        s.fill_diagonal_(float("-inf"))
        n = a.shape[0]
        t = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
        return F.cross_entropy(s, t)

    go(f, R(3, 6), R(3, 6))


@prog
def clip_logit_scale():
    a, b = nn.Linear(6, 4, bias=False), nn.Linear(5, 4, bias=False)
    ls = nn.Parameter(torch.ones([]) * math.log(1 / 0.07))

    def f(x, y):
        i, t = a(x), b(y)
        i = i / i.norm(dim=-1, keepdim=True)
        t = t / t.norm(p=2, dim=-1, keepdim=True)
        l = ls.exp().clamp(max=100) * i @ t.t()
        g = torch.arange(l.shape[0])
        return (F.cross_entropy(l, g) + F.cross_entropy(l.t(), g)) / 2

    go(f, R(3, 6, g=False), R(3, 5, g=False))


@prog
def yolo_head_losses():
    c = nn.Conv2d(4, 14, 1)

    def f(x, gt):
        p = c(x)
        b, _, h, w = p.shape
        p = p.view(b, 2, 7, h, w).permute(0, 1, 3, 4, 2).contiguous()
        gy, gx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack((gx, gy), 2).view(1, 1, h, w, 2).float()
        xy = (p[..., 0:2].sigmoid() * 2 - 0.5 + grid) * 8
        wh = (p[..., 2:4].sigmoid() * 2) ** 2
        box = torch.cat((xy - wh / 2, xy + wh / 2), -1)
        lt = torch.max(box[..., :2], gt[:2])
        rb = torch.min(box[..., 2:], gt[2:])
        inter = (rb - lt).clamp(min=0).prod(-1)
        area = (box[..., 2] - box[..., 0]) * (box[..., 3] - box[..., 1])
        iou = inter / (area + (gt[2] - gt[0]) * (gt[3] - gt[1]) - inter + 1e-7)
        return (1 - iou).mean() + F.binary_cross_entropy_with_logits(p[..., 4], iou.detach().clamp(0, 1))

    go(f, R(1, 4, 3, 3), torch.tensor([2.0, 2.0, 14.0, 14.0]))


@prog
def pointnet_max():
    m = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.Conv1d(8, 8, 1))
    t = nn.Linear(8, 9)

    def f(x):
        h = torch.max(m(x), 2, keepdim=True)[0].view(-1, 8)
        T = t(h).view(-1, 3, 3) + torch.eye(3).repeat(x.size(0), 1, 1)
        return torch.bmm(x.transpose(2, 1), T).transpose(2, 1), torch.mean(torch.norm(torch.bmm(T, T.transpose(2, 1)) - torch.eye(3)[None], dim=(1, 2)))

    go(f, R(2, 3, 5, g=False))


@prog
def gat_edge_softmax():
    W, a = nn.Linear(4, 6, bias=False), nn.Parameter(torch.randn(12))

    def f(x, ei):
        h = W(x)
        s, d = ei[0], ei[1]
        e = F.leaky_relu((torch.cat([h[s], h[d]], -1) * a).sum(-1), 0.2)
        m = torch.full((x.size(0),), float("-inf")).scatter_reduce(0, d, e, reduce="amax", include_self=True)
        e = (e - m[d]).exp()
        z = torch.zeros(x.size(0)).index_add(0, d, e)
        al = e / (z[d] + 1e-16)
        return F.elu(torch.zeros_like(h).scatter_add(0, d[:, None].expand(-1, 6), al[:, None] * h[s]))

    go(f, R(4, 4), torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]]))


@prog
def graph_sage_mean_segments():
    l = nn.Linear(8, 4)

    def f(x, src, dst):
        n = x.shape[0]
        agg = x.new_zeros(n, 4).index_put_((dst,), x[src], accumulate=True)
        deg = torch.bincount(dst, minlength=n).clamp(min=1).unsqueeze(-1).to(x.dtype)
        return F.normalize(l(torch.cat([x, agg / deg], -1)), p=2.0, dim=-1)

    go(f, R(4, 4), torch.tensor([0, 1, 2]), torch.tensor([1, 2, 2]))


@prog
def neural_ode_rk4():
    m = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 3))

    def f(y):
        h = 0.1
        for _ in range(2):
            k1 = m(y)
            k2 = m(y + h / 2 * k1)
            k3 = m(y + h / 2 * k2)
            k4 = m(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y

    go(f, R(2, 3))


@prog
def nerf_volume_render():
    m = nn.Sequential(nn.Linear(27, 8), nn.ReLU(), nn.Linear(8, 4))

    def f(p, z):
        fr = 2.0 ** torch.arange(4)
        e = torch.cat([p] + [g(p * q) for q in fr for g in (torch.sin, torch.cos)], -1)
        o = m(e)
        rgb, s = torch.sigmoid(o[..., :3]), F.relu(o[..., 3])
        d = z[..., 1:] - z[..., :-1]
        d = torch.cat([d, torch.full_like(d[..., :1], 1e10)], -1)
        al = 1.0 - torch.exp(-s * d)
        w = al * torch.cumprod(torch.cat([torch.ones((al.shape[0], 1)), 1.0 - al + 1e-10], -1), -1)[:, :-1]
        return (w[..., None] * rgb).sum(-2), (w * z).sum(-1)

    go(f, R(2, 4, 3, g=False), torch.rand(2, 4).sort(-1)[0])


@prog
def mixer_block():
    class Mix(nn.Module):
        def __init__(s):
            super().__init__()
            s.n1, s.n2 = nn.LayerNorm(6), nn.LayerNorm(6)
            s.t, s.c = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4)), nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 6))

        def forward(s, x):
            x = x + s.t(s.n1(x).mT).mT
            return x + s.c(s.n2(x))

    go(nn.Sequential(Mix(), Mix()), R(2, 4, 6))


@prog
def swin_window_shift():
    qkv, table = nn.Linear(6, 18), nn.Parameter(torch.zeros(9, 2))
    co = torch.stack(torch.meshgrid([torch.arange(2), torch.arange(2)], indexing="ij")).flatten(1)
    rel = (co[:, :, None] - co[:, None, :]).permute(1, 2, 0).contiguous()
    rel[:, :, 0] += 1
    rel[:, :, 1] += 1
    rel[:, :, 0] *= 3
    idx = rel.sum(-1)

    def f(x):
        B, H, W, c = x.shape
        s = torch.roll(x, shifts=(-1, -1), dims=(1, 2))
        w = s.view(B, H // 2, 2, W // 2, 2, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 4, c)
        q, k, v = qkv(w).reshape(-1, 4, 3, 2, 3).permute(2, 0, 3, 1, 4)
        a = q @ k.transpose(-2, -1) + table[idx.view(-1)].view(4, 4, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
        y = (a.softmax(-1) @ v).transpose(1, 2).reshape(-1, 4, c)
        y = y.view(B, H // 2, W // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(B, H, W, c)
        return torch.roll(y, shifts=(1, 1), dims=(1, 2)) + x

    go(f, R(2, 4, 4, 6))


@prog
def wavenet_gated_dilated():
    cs = nn.ModuleList(nn.Conv1d(4, 8, 2, dilation=2**i) for i in range(3))
    os_ = nn.ModuleList(nn.Conv1d(4, 4, 1) for _ in range(3))

    def f(x):
        skip = 0
        for i, (c, o) in enumerate(zip(cs, os_)):
            a, b = c(F.pad(x, (2**i, 0))).chunk(2, 1)
            h = o(torch.tanh(a) * torch.sigmoid(b))
            x = x + h
            skip = skip + h
        return F.relu(skip)

    go(f, R(2, 4, 7))


@prog
def stft_spectral_loss():
    def f(x, y):
        w = torch.hann_window(8)
        X, Y = (torch.stft(t, 8, 4, window=w, return_complex=True).abs() for t in (x, y))
        return F.l1_loss(X, Y) + F.l1_loss(torch.log(X + 1e-5), torch.log(Y + 1e-5))

    go(f, R(2, 32), R(2, 32, g=False))


@prog
def ctc_speech():
    m = nn.Linear(6, 5)

    def f(x, t, il, tl):
        return F.ctc_loss(m(x).log_softmax(2), t, il, tl)

    go(f, R(8, 2, 6), torch.tensor([[1, 2, 3], [2, 4, 4]]), torch.tensor([8, 7]), torch.tensor([3, 2]))


@prog
def dqn_double_target():
    q, t = nn.Linear(4, 3), nn.Linear(4, 3)

    def f(s, a, r, n, d):
        cur = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            b = q(n).argmax(1, keepdim=True)
            y = r + 0.99 * t(n).gather(1, b).squeeze(1) * (1 - d.float())
        return F.smooth_l1_loss(cur, y)

    go(f, R(5, 4, g=False), torch.randint(0, 3, (5,)), torch.randn(5), R(5, 4, g=False), torch.rand(5) > 0.5)


@prog
def ppo_clip_normal():
    pi, v, ls = nn.Linear(4, 2), nn.Linear(4, 1), nn.Parameter(torch.zeros(2))

    def f(o, a, old, adv, ret):
        mu = pi(o)
        std = ls.exp().expand_as(mu)
        lp = (-((a - mu) ** 2) / (2 * std**2) - std.log() - 0.5 * math.log(2 * math.pi)).sum(-1)
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        ratio = torch.exp(lp - old)
        l = -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()
        ent = (0.5 + 0.5 * math.log(2 * math.pi) + std.log()).sum(-1).mean()
        return l + 0.5 * (v(o).squeeze(-1) - ret).pow(2).mean() - 0.01 * ent

    go(f, R(5, 4, g=False), torch.randn(5, 2), torch.randn(5), torch.randn(5), torch.randn(5))


@prog
def distributions_normal_categorical():
    m = nn.Linear(4, 3)

    def f(x, a):
        c = torch.distributions.Categorical(logits=m(x), validate_args=False)
        n = torch.distributions.Normal(m(x), 1.0, validate_args=False)
        return c.log_prob(a), c.entropy(), n.log_prob(x[:, :3]), torch.distributions.kl_divergence(n, torch.distributions.Normal(0.0, 1.0, validate_args=False))

    go(f, R(5, 4), torch.randint(0, 3, (5,)))


@prog
def world_model_gumbel():
    def f(x):
        y = F.gumbel_softmax(x, tau=0.7, hard=True)
        z = F.gumbel_softmax(x, tau=1.0, hard=False, dim=0)
        return y * 2, z

    go(f, R(4, 5))


@prog
def ring_of_experts_moduledict():
    m = nn.ModuleDict({k: nn.Linear(4, 4) for k in ("a", "b", "c")})
    p = nn.ParameterDict({"s": nn.Parameter(torch.ones(4)), "t": nn.Parameter(torch.zeros(4))})
    l = nn.ParameterList([nn.Parameter(torch.randn(4)) for _ in range(2)])

    def f(x):
        for k, v in m.items():
            x = v(x).relu() if k != "b" else x - v(x)
        return x * p["s"] + p["t"] + sum(l)

    go(f, R(2, 4))


@prog
def huge_vocab_linear_ce_chunked():
    h = nn.Linear(8, 30, bias=False)

    def f(x, t):
        loss = 0.0
        for a, b in zip(x.chunk(3), t.chunk(3)):
            loss = loss + F.cross_entropy(h(a).float(), b, reduction="sum")
        return loss / t.numel()

    go(f, R(6, 8), torch.randint(0, 30, (6,)))


@prog
def nested_outputs_dataclass():
    @dataclasses.dataclass
    class Out:
        logits: torch.Tensor
        hidden: tuple
        aux: dict

    m = nn.Linear(4, 4)

    def f(x):
        h = m(x)
        g = h.tanh()
        return Out(logits=g @ g.t(), hidden=(h, g), aux={"n": h.norm(), "k": None, "i": 3})

    go(f, R(3, 4))


@prog
def namedtuple_dict_outputs():
    T = collections.namedtuple("T", "a b")

    def f(d):
        return {"t": T(d["x"] * 2, d["y"].exp()), "s": [d["x"].sum(), d["y"].detach()]}

    go(f, {"x": R(3), "y": R(3)})


# ---- losses, distances, norms ---------------------------------------------------------------------------------------


@prog
def losses_weighted_reductions():
    def f(x, t, w):
        return (
            F.cross_entropy(x, t, weight=w),
            F.cross_entropy(x, t, weight=w, reduction="none"),
            F.cross_entropy(x, t, weight=w, label_smoothing=0.1, reduction="sum"),
            F.nll_loss(x.log_softmax(1), t, weight=w, reduction="sum"),
            F.cross_entropy(x, x.detach().softmax(1), label_smoothing=0.2, reduction="sum"),
        )

    go(f, R(4, 5), torch.tensor([0, 1, 2, 3]), torch.rand(5))


@prog
def losses_segmentation():
    def f(x, t):
        p = x.softmax(1)
        o = F.one_hot(t, 3).permute(0, 3, 1, 2).float()
        dice = 1 - ((2 * (p * o).sum((2, 3)) + 1) / (p.sum((2, 3)) + o.sum((2, 3)) + 1)).mean()
        ce = F.cross_entropy(x, t, reduction="none")
        focal = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
        return dice + focal + F.nll_loss(F.log_softmax(x, 1), t)

    go(f, R(2, 3, 4, 4), torch.randint(0, 3, (2, 4, 4)))


@prog
def losses_margin_family():
    def f(x, y, t):
        return (
            F.margin_ranking_loss(x[:, 0], y[:, 0], t, margin=0.5),
            F.hinge_embedding_loss(x[:, 0], t),
            F.soft_margin_loss(x[:, 0], t),
            F.multilabel_soft_margin_loss(x, (y > 0).float()),
            F.multilabel_margin_loss(x, torch.tensor([[0, 1, -1, -1, -1]] * 4)),
            F.triplet_margin_with_distance_loss(x, y, y * 2),
            F.multi_margin_loss(x, torch.tensor([0, 1, 2, 3]), p=2, margin=0.3),
        )

    go(f, R(4, 5), R(4, 5), torch.tensor([1.0, -1.0, 1.0, -1.0]))


@prog
def losses_bce_variants():
    def f(x, t, w):
        return (
            F.binary_cross_entropy(x.sigmoid(), t, weight=w),
            F.binary_cross_entropy_with_logits(x, t, weight=w, pos_weight=w, reduction="sum"),
            F.binary_cross_entropy_with_logits(x, t, reduction="none"),
            F.kl_div(F.log_softmax(x, 1), F.log_softmax(t, 1), log_target=True, reduction="sum"),
            F.gaussian_nll_loss(x, t, w, full=True),
            F.poisson_nll_loss(x, t, log_input=False, full=True),
        )

    go(f, R(4, 5), torch.rand(4, 5), torch.rand(4, 5) + 0.1)


@prog
def loss_modules_no_reduction():
    ls = [nn.MSELoss(reduction="none"), nn.L1Loss(reduction="sum"), nn.SmoothL1Loss(beta=0.5), nn.HuberLoss(delta=0.7, reduction="sum"), nn.KLDivLoss(reduction="batchmean"), nn.CosineEmbeddingLoss(margin=0.2)]

    def f(x, y):
        a = [l(x, y) for l in ls[:5]]
        return (*a, ls[5](x, y, torch.tensor([1, -1, 1])))

    go(f, R(3, 4), R(3, 4))


@prog
def mse_broadcast_scalar_target():
    go(lambda x: ((x - 1.5) ** 2).mean() + F.mse_loss(x, torch.zeros(4).expand_as(x)) + (x.mean() - torch.tensor(2.0)).abs(), R(3, 4))


@prog
def supervised_infonce_mask():
    def f(z, l):
        s = z @ z.T / 0.1
        m = torch.eq(l.view(-1, 1), l.view(1, -1)).float()
        lm = torch.scatter(torch.ones_like(m), 1, torch.arange(z.shape[0]).view(-1, 1), 0)
        m = m * lm
        s = s - s.max(dim=1, keepdim=True)[0].detach()
        lp = s - torch.log((s.exp() * lm).sum(1, keepdim=True))
        return -((m * lp).sum(1) / m.sum(1).clamp_min(1)).mean()

    go(f, R(6, 4), torch.randint(0, 2, (6,)))


@prog
def distances():
    def f(x, y):
        return torch.cdist(x, y, p=1.0), torch.cdist(x[None], y[None], compute_mode="donot_use_mm_for_euclid_dist"), F.pairwise_distance(x[:3], y, p=1, keepdim=True), F.cosine_similarity(x[:, None], y[None], dim=-1), torch.dist(x[:3], y, 2)

    go(f, R(4, 6), R(3, 6))


@prog
def norms_train_eval_both():
    m = nn.Sequential(nn.BatchNorm2d(4), nn.InstanceNorm2d(4, affine=True, track_running_stats=True), nn.GroupNorm(2, 4), nn.LocalResponseNorm(2))
    x = R(2, 4, 5, 5)
    go(m, x)
    m.eval()
    go(m, x)
    with torch.no_grad():
        C(m)(x)


@prog
def batchnorm_momentum_none_and_no_stats():
    a, b, c = nn.BatchNorm1d(4, momentum=None), nn.BatchNorm1d(4, track_running_stats=False), nn.BatchNorm1d(4, affine=False)
    go(lambda x: a(x) + b(x) * c(x), R(6, 4))


@prog
def batchnorm3d_and_sync_like():
    a = nn.BatchNorm3d(3)
    go(lambda x: a(x).relu(), R(2, 3, 2, 3, 4))


@prog
def layer_norms_odd():
    def f(x, w):
        return F.layer_norm(x, (3, 4)), F.layer_norm(x, (4,), w, None), F.rms_norm(x, (4,), w, 1e-5), F.rms_norm(x, (3, 4)), F.group_norm(x.transpose(0, 1), 1), F.instance_norm(x)

    go(f, R(2, 3, 4), R(4))


@prog
def norm_functions():
    def f(x):
        return x.norm(), x.norm(1), x.norm(float("inf"), 1), torch.linalg.vector_norm(x, 3, (0,)), torch.linalg.matrix_norm(x), torch.linalg.norm(x, dim=1, keepdim=True), F.normalize(x, p=1), x.renorm(2, 0, 1.0), torch.norm(x, p="fro", dim=(0, 1))

    go(f, R(3, 4))


@prog
def weight_norm_old_and_spectral_param():
    a = nn.utils.weight_norm(nn.Linear(4, 3), dim=None)
    b = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3))
    c = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    go(lambda x: c(b(a(x))), R(2, 4))


# ---- optimizers and steps -------------------------------------------------------------------------------------------


def optimizer(name, **options):
    p = [R(3, 3), R(3)]
    o = getattr(torch.optim, name)(p, **options)
    for q in p:
        q.grad = torch.randn_like(q)
    return o


@prog
def optimizer_adamw_amsgrad():
    o = optimizer("AdamW", lr=1e-3, amsgrad=True)
    c = C(lambda: o.step())
    c()
    c()


@prog
def optimizer_adam_capturable_tensor_lr():
    o = optimizer("Adam", lr=torch.tensor(1e-3), weight_decay=0.1)
    C(lambda: o.step())()


@prog
def optimizer_adam_for_loop():
    o = optimizer("Adam", lr=1e-3, foreach=False)
    C(lambda: o.step())()


@prog
def optimizer_rmsprop_centered():
    o = optimizer("RMSprop", lr=1e-2, momentum=0.9, centered=True)
    C(lambda: o.step())()


@prog
def optimizer_adagrad_adadelta():
    for n in ("Adagrad", "Adadelta"):
        o = optimizer(n)
        C(lambda: o.step())()


@prog
def optimizer_radam_nadam_adamax():
    for n in ("NAdam", "Adamax", "RAdam"):
        o = optimizer(n)
        C(lambda: o.step())()


@prog
def optimizer_sgd_nesterov_groups():
    a, b = [R(3, 3)], [R(3)]
    o = torch.optim.SGD([{"params": a, "weight_decay": 0.1}, {"params": b, "lr": 0.5}], lr=0.1, momentum=0.9, nesterov=True, dampening=0)
    for q in a + b:
        q.grad = torch.randn_like(q)
    C(lambda: o.step())()


@prog
def optimizer_lion_by_hand():
    p, m = R(4, 4), torch.zeros(4, 4)
    g = torch.randn(4, 4)

    @torch.no_grad()
    def step(p, m, g):
        p.mul_(1 - 1e-4)
        u = m.clone().mul_(0.9).add(g, alpha=0.1).sign_()
        p.add_(u, alpha=-1e-3)
        m.mul_(0.99).add_(g, alpha=0.01)

    C(step)(p, m, g)


@prog
def optimizer_muon_newton_schulz():
    @torch.no_grad()
    def step(w, g, buf):
        buf.lerp_(g, 0.05)
        u = g.lerp(buf, 0.95)
        X = u.bfloat16()
        X = X / (X.norm() + 1e-7)
        for _ in range(2):
            A = X @ X.T
            B = -4.7750 * A + 2.0315 * A @ A
            X = 3.4445 * X + B @ X
        w.add_(X.to(w.dtype), alpha=-0.02)

    C(step)(R(4, 4), torch.randn(4, 4), torch.zeros(4, 4))


@prog
def grad_clip_and_ema():
    ps = [R(3, 3), R(3)]
    gs = [torch.randn(3, 3), torch.randn(3)]
    em = [torch.zeros(3, 3), torch.zeros(3)]

    @torch.no_grad()
    def f(ps, gs, em):
        n = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gs)))
        c = torch.clamp(1.0 / (n + 1e-6), max=1.0)
        torch._foreach_mul_(gs, c)
        torch._foreach_lerp_(em, ps, 0.01)
        return n

    C(f)(ps, gs, em)


@prog
def training_step_functional_autograd_grad():
    w = R(4, 3)

    def f(x, w):
        y = (x @ w).relu().sum()
        return y

    go(f, R(2, 4, g=False), w)
    go(f, R(2, 4), w)


@prog
def gradient_scaler_unscale():
    def f(gs, inv, found):
        torch._foreach_mul_(gs, inv)
        for g in gs:
            found.add_((~torch.isfinite(g)).any().float())
        return found

    with torch.no_grad():
        C(f)([torch.randn(3), torch.randn(2, 2)], torch.tensor(0.5), torch.zeros(()))


# ---- einsum, complex, fft, linear algebra ---------------------------------------------------------------------------


@prog
def einsum_many():
    def f(x, y, w):
        return (
            torch.einsum("bhqd,bhkd->bhqk", x, y),
            torch.einsum("...ij,...kj->...ik", x, y),
            torch.einsum("bhqd->bqhd", x),
            torch.einsum("bhqd,de->bhqe", x, w),
            torch.einsum("ii->i", w),
            torch.einsum("ij->", w),
            torch.einsum("ij,jk,kl->il", w, w, w),
            torch.einsum("bhqd,bhqd->bh", x, y),
            torch.einsum("i,j->ij", w[0], w[1]),
        )

    go(f, R(2, 2, 3, 4), R(2, 2, 3, 4), R(4, 4))


@prog
def complex_arithmetic():
    def f(z, x):
        w = z * torch.exp(1j * x)
        return w.real, w.imag.sum(), torch.abs(w) ** 2, w.conj() @ z.mT, torch.view_as_complex(torch.stack([x, x], -1)).sum(), z / (x + 1), torch.angle(z)

    go(f, torch.randn(3, 4, dtype=torch.complex64, requires_grad=True), R(3, 4))


@prog
def complex_rope_llama1():
    def f(q, fr):
        z = torch.view_as_complex(q.float().reshape(*q.shape[:-1], -1, 2))
        return torch.view_as_real(z * fr.view(1, q.shape[1], 1, -1)).flatten(3).type_as(q)

    fr = torch.polar(torch.ones(3, 2), torch.rand(3, 2))
    go(f, R(2, 3, 2, 4), fr)


@prog
def fft_family():
    def f(x):
        z = torch.fft.fft(x)
        return (
            torch.fft.ifft(z).real,
            torch.fft.fft2(x).abs(),
            torch.fft.rfft2(x).abs(),
            torch.fft.irfftn(torch.fft.rfftn(x), s=x.shape),
            torch.fft.fftshift(z).abs(),
            torch.fft.hfft(z, n=4),
            torch.fft.rfft(x, n=8, norm="ortho").abs(),
            torch.fft.fftfreq(4).sum() * x,
        )

    go(f, R(3, 4))


@prog
def fno_spectral_conv():
    w = nn.Parameter(torch.randn(2, 3, 3, dtype=torch.cfloat))

    def f(x):
        X = torch.fft.rfft(x)
        out = torch.zeros(x.shape[0], 3, X.size(-1), dtype=torch.cfloat)
        out[:, :, :3] = torch.einsum("bix,iox->box", X[:, :, :3], w)
        return torch.fft.irfft(out, n=x.size(-1))

    go(f, R(2, 2, 8))


@prog
def fftconv_hyena():
    def f(u, k):
        n = u.shape[-1]
        U, K = torch.fft.rfft(u, n=2 * n), torch.fft.rfft(k, n=2 * n) / (2 * n)
        return torch.fft.irfft(U * K, n=2 * n, norm="forward")[..., :n] + u

    go(f, R(2, 3, 8), R(3, 8))


@prog
def linalg_more():
    def f(a, b):
        s = a @ a.mT + 4 * torch.eye(4)
        L = torch.linalg.cholesky(s)
        return (
            torch.linalg.solve_triangular(L, b, upper=False),
            torch.cholesky_solve(b, L),
            torch.linalg.pinv(a[:, :2]),
            torch.linalg.slogdet(s)[1],
            torch.linalg.lstsq(s, b).solution,
            torch.linalg.multi_dot([a, a, b]),
            torch.linalg.matrix_exp(a * 0.1),
            torch.linalg.eigvalsh(s),
            torch.linalg.svd(a, full_matrices=False)[1],
            torch.cov(a),
            torch.corrcoef(a),
            torch.linalg.cross(a[:, :3], b.expand(4, 3), dim=-1),
        )

    go(f, R(4, 4), R(4, 1))


@prog
def gaussian_process_nll():
    ls = nn.Parameter(torch.zeros(()))

    def f(x, y):
        d = (x[:, None] - x[None]).pow(2).sum(-1)
        K = torch.exp(-0.5 * d / ls.exp() ** 2) + 0.1 * torch.eye(x.shape[0])
        L = torch.linalg.cholesky(K)
        a = torch.cholesky_solve(y[:, None], L)
        return 0.5 * (y[:, None] * a).sum() + L.diagonal().log().sum()

    go(f, torch.randn(4, 2), torch.randn(4))


# ---- checkpoint, autocast, custom functions, hooks ------------------------------------------------------------------


@prog
def checkpoint_sequential_dropout():
    from torch.utils.checkpoint import checkpoint

    bs = nn.ModuleList(nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Dropout(0.1), nn.Linear(12, 6)) for _ in range(2))

    def f(x):
        for b in bs:
            x = x + checkpoint(b, x, use_reentrant=False)
        return x

    go(f, R(3, 6))


@prog
def checkpoint_preserve_rng_false_two_args():
    from torch.utils.checkpoint import checkpoint

    l = nn.Linear(6, 6)

    def g(x, y):
        h = torch.tanh(l(x) * y)
        return h, h.sum(-1)

    def f(x, y):
        a, b = checkpoint(g, x, y, use_reentrant=False, preserve_rng_state=False)
        return a * b[:, None]

    go(f, R(3, 6), R(3, 6))


@prog
def checkpoint_attention_layernorm():
    from torch.utils.checkpoint import checkpoint

    n, a, o = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8)

    def blk(x):
        q, k, v = a(n(x)).view(2, 4, 3, 2, 4).permute(2, 0, 3, 1, 4)
        return x + o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 4, 8))

    go(lambda x: checkpoint(blk, checkpoint(blk, x, use_reentrant=False), use_reentrant=False).mean(), R(2, 4, 8))


@prog
def checkpoint_conv_bn_inside():
    from torch.utils.checkpoint import checkpoint

    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.ReLU())
    go(lambda x: checkpoint(m, x, use_reentrant=False).mean((2, 3)), R(2, 3, 6, 6))


@prog
def checkpoint_selective_list():
    from functools import partial

    from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    l = nn.Linear(6, 6)
    ctx = partial(create_selective_checkpoint_contexts, [torch.ops.aten.addmm.default])
    go(lambda x: checkpoint(lambda t: torch.sigmoid(l(torch.relu(l(t)))), x, use_reentrant=False, context_fn=ctx), R(3, 6))


@prog
def autocast_transformer_block():
    n1, qkv, o, f1, f2 = nn.LayerNorm(8), nn.Linear(8, 24), nn.Linear(8, 8), nn.Linear(8, 16), nn.Linear(16, 8)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            q, k, v = qkv(n1(x)).view(2, 4, 3, 2, 4).permute(2, 0, 3, 1, 4)
            a = F.scaled_dot_product_attention(q, k, v)
            x = x + o(a.transpose(1, 2).reshape(2, 4, 8))
            x = x + f2(F.gelu(f1(n1(x))))
            return F.mse_loss(x, torch.zeros_like(x))

    go(f, R(2, 4, 8))


@prog
def autocast_outside_compile():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5))
    c = C(m)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = c(R(2, 3, 6, 6, g=False))
        l = F.cross_entropy(y, torch.tensor([1, 2]))
    l.backward()


@prog
def autocast_nested_disabled():
    l = nn.Linear(4, 4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            a = l(x)
            with torch.autocast("cpu", enabled=False):
                b = l(a.float())
            c = torch.cat([a, b], 0)
            d = torch.bmm(a[None], b[None].mT)
        return c, d, a.sum() + b.sum()

    go(f, R(3, 4))


@prog
def autocast_float16_lstmcell_einsum():
    c = nn.LSTMCell(4, 4)

    def f(x):
        with torch.autocast("cpu", dtype=torch.float16):
            h, s = c(x)
            return torch.einsum("ij,kj->ik", h, s), torch.addmm(x, h, s.mT if s.shape[0] == 4 else s), torch.linalg.vector_norm(h)

    go(f, R(4, 4))


@prog
def custom_function_ste_quant():
    class Q(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, s, lo, hi):
            ctx.save_for_backward(x, s)
            ctx.r = (lo, hi)
            return torch.clamp(torch.round(x / s), lo, hi) * s

        @staticmethod
        def backward(ctx, g):
            x, s = ctx.saved_tensors
            lo, hi = ctx.r
            q = x / s
            m = (q >= lo) & (q <= hi)
            gs = torch.where(m, torch.round(q) - q, q.clamp(lo, hi)) * g
            return g * m, gs.sum().reshape(s.shape), None, None

    l, s = nn.Linear(4, 4), nn.Parameter(torch.tensor(0.1))
    go(lambda x: F.linear(Q.apply(x, s, -8, 7), Q.apply(l.weight, s, -8, 7), l.bias), R(3, 4))


@prog
def custom_function_two_outputs_nondiff():
    class T(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            v, i = x.max(1)
            ctx.save_for_backward(i)
            ctx.n = x.shape[1]
            ctx.mark_non_differentiable(i)
            return v, i

        @staticmethod
        def backward(ctx, g, _):
            (i,) = ctx.saved_tensors
            return torch.zeros(i.shape[0], ctx.n).scatter(1, i[:, None], g[:, None])

    def f(x):
        v, i = T.apply(x * 2)
        return v.exp(), i

    go(f, R(3, 4))


@prog
def custom_function_setup_context_needs_input_grad():
    class L(torch.autograd.Function):
        @staticmethod
        def forward(x, w, b):
            return x @ w.t() + b

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, w, b = inputs
            ctx.save_for_backward(x, w)

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            gx = g @ w if ctx.needs_input_grad[0] else None
            gw = g.t() @ x if ctx.needs_input_grad[1] else None
            return gx, gw, g.sum(0)

    go(lambda x, w, b: L.apply(L.apply(x, w, b).relu(), w, b), R(3, 4, g=False), R(4, 4), R(4))


@prog
def custom_function_grad_reverse_and_identity():
    class Rev(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, a):
            ctx.a = a
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g.neg() * ctx.a, None

    l, d = nn.Linear(4, 3), nn.Linear(3, 2)
    go(lambda x: d(Rev.apply(l(x).relu(), 0.5)), R(3, 4, g=False))


@prog
def custom_function_memory_efficient_swish():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, i):
            r = i * torch.sigmoid(i)
            ctx.save_for_backward(i)
            return r

        @staticmethod
        def backward(ctx, g):
            i = ctx.saved_tensors[0]
            s = torch.sigmoid(i)
            return g * (s * (1 + i * (1 - s)))

    c = nn.Conv2d(3, 4, 3)
    go(lambda x: S.apply(c(x)), R(2, 3, 5, 5))


@prog
def custom_function_inplace_mark_dirty():
    class I(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, g):
            return g * 2

    go(lambda x: I.apply(x * 3).sin(), R(3))


@prog
def saved_hooks_bf16_pack():
    def pack(x):
        return (x.dtype, x.to(torch.bfloat16)) if x.dtype == torch.float32 else (x.dtype, x)

    def unpack(t):
        return t[1].to(t[0])

    m = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    c = C(m)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = c(R(3, 4, g=False))
    back(y)


@prog
def tensor_hooks_inside():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 3)
        return y.sin()

    go(f, R(3))


@prog
def module_forward_hooks():
    m = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    feats = []
    m[0].register_forward_hook(lambda mod, i, o: feats.append(o) or o * 2)
    m.register_forward_pre_hook(lambda mod, i: (i[0] + 1,))
    go(lambda x: m(x) + feats[-1], R(2, 4))


@prog
def no_grad_regions_mixed():
    t, s = nn.Linear(4, 4), nn.Linear(4, 4)

    def f(x):
        with torch.no_grad():
            a = t(x)
            with torch.enable_grad():
                b = s(x)
            c = a * b
        d = s(x) * c
        with torch.inference_mode():
            e = x.sum()
        return d, c, b.sum()

    go(f, R(3, 4))


@prog
def teacher_student_byol():
    o, t, p = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def f(a, b):
        q = F.normalize(p(o(a)), dim=-1)
        with torch.no_grad():
            for x, y in zip(t.parameters(), o.parameters()):
                x.data.mul_(0.99).add_(y.data, alpha=0.01)
            z = F.normalize(t(b), dim=-1).detach()
        return 2 - 2 * (q * z).sum(-1).mean()

    go(f, R(3, 4, g=False), R(3, 4, g=False))


@prog
def requires_grad_in_graph():
    def f(x):
        y = x.detach().requires_grad_(True)
        z = (y * x).sum()
        return z, y

    go(f, R(3))


@prog
def grad_penalty_in_graph():
    m = nn.Linear(4, 1)

    def f(x):
        y = m(x).tanh().sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        return ((g.norm(2, dim=1) - 1) ** 2).mean()

    go(f, R(3, 4))


# ---- mutation, aliasing, buffers ------------------------------------------------------------------------------------


@prog
def mutation_slices_and_masks():
    def f(x, m):
        y = torch.zeros(4, 6)
        y[:, ::2] = x[:, :3]
        y[1] += 3
        y[-1, -2:] *= 2
        y[m] = -1.0
        y[[0, 2], 1] = x[0, 0]
        y[..., 0] = 5
        y[1:3, 1:3].copy_(x[:2, :2])
        y.select(1, 3).fill_(2)
        return y

    go(f, R(4, 6), torch.rand(4, 6) > 0.5)


@prog
def mutation_inplace_ops_list():
    def f(x):
        y = x.clone()
        y.add_(1).sub_(2).mul_(3).div_(2).pow_(2).neg_()
        y = y.sigmoid_() * 2
        y.tanh_().clamp_(0, 2)
        y = y * 3
        y.masked_fill_(x > 1, 0.5)
        y.addcmul_(x, x, value=0.1).addcdiv_(x, x.exp())
        y.copy_(y.t().contiguous().t())
        y.transpose_(0, 1).squeeze_()
        y.t_()
        y.index_fill_(0, torch.tensor([1]), 2.0)
        y.index_add_(0, torch.tensor([0]), x[:1])
        y.scatter_(1, torch.zeros(4, 1, dtype=torch.long), 1.0)
        y.cumsum_(0)
        return y

    go(f, R(4, 4))


@prog
def mutated_input_and_return_it():
    def f(a, b):
        a.add_(1)
        return a, b.mul(2), a.view(-1), a[0]

    C(f)(torch.ones(2, 3), torch.ones(3))


@prog
def mutated_input_requires_grad_nonleaf():
    def f(x, y):
        x.mul_(y)
        return x.sum() * y

    a = R(3, 4)
    go(f, a * 1, R(3, 4))


@prog
def mutated_view_of_input():
    def f(x, y):
        x[0].add_(y)
        x.view(-1)[2:4].zero_()
        return x * y

    go(f, R(2, 3) * 1, R(3))


@prog
def mutated_metadata_and_data():
    def f(x):
        x.unsqueeze_(0)
        x.add_(1)
        return x * 2

    C(f)(torch.ones(3))


@prog
def mutated_input_in_no_grad_leaf():
    def f(w, x):
        with torch.no_grad():
            w.add_(x.sum())
        return (w * x).sum()

    go(f, R(3), torch.randn(3))


@prog
def outputs_alias_mess():
    def f(x, b):
        y = x.sin()
        a, c = y.chunk(2, 1)
        return y[0], a, c.t(), x.view(-1)[1:], b, b.unsqueeze(0), x.expand(2, *x.shape), y.detach().t()

    go(f, R(2, 4), torch.ones(3))


@prog
def output_same_tensor_twice():
    def f(x):
        y = x * 2
        return y, y, x, x

    go(f, R(2, 4))


@prog
def output_unbind_split_views():
    def f(x):
        y = x.exp()
        a, b, c = y.unbind(0)
        d, e = torch.split(y, [1, 2])
        return a, b, c.view(2, 2), d, e[0]

    go(f, R(3, 4))


@prog
def output_view_of_param_and_buffer():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.randn(3, 3))
            s.register_buffer("b", torch.zeros(3))

        def forward(s, x):
            s.b.add_(1)
            return x @ s.w, s.w.t(), s.b[1:], s.w

    go(M(), R(2, 3))


@prog
def synthetic_base_three_views_grad():
    def f(a, b, c):
        a.mul_(2)
        b.add_(c)
        return a.sum() + (b * c).sum()

    base = R(10) * 1
    go(f, base[:4], base[2:6], base[6:10])


@prog
def synthetic_base_no_mutation_alias():
    def f(a, b):
        return a * 2 + b.sum(), b.t()

    base = R(4, 4)
    go(f, base, base[:, :2])


@prog
def param_and_its_view_as_inputs():
    w = nn.Parameter(torch.randn(4, 3))

    def f(x, v):
        return (x @ w) * v.sum()

    go(f, R(2, 4), w.view(-1)[:3])


@prog
def buffer_queue_moco():
    class M(nn.Module):
        def __init__(s):
            super().__init__()
            s.enc = nn.Linear(4, 3)
            s.register_buffer("queue", F.normalize(torch.randn(3, 8), dim=0))
            s.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

        def forward(s, q, k):
            q = F.normalize(s.enc(q), dim=1)
            with torch.no_grad():
                k = F.normalize(s.enc(k), dim=1)
            pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
            neg = torch.einsum("nc,ck->nk", [q, s.queue.clone().detach()])
            with torch.no_grad():
                s.queue[:, :2] = k.T
                s.ptr[0] = (s.ptr[0] + 2) % 8
            return torch.cat([pos, neg], 1) / 0.07

    go(M(), R(2, 4, g=False), R(2, 4, g=False))


@prog
def kv_cache_index_put():
    class A(nn.Module):
        def __init__(s):
            super().__init__()
            s.register_buffer("k", torch.zeros(2, 2, 8, 4))
            s.register_buffer("v", torch.zeros(2, 2, 8, 4))
            s.qkv = nn.Linear(8, 24)

        def forward(s, x, pos):
            B, T, _ = x.shape
            q, k, v = s.qkv(x).view(B, T, 3, 2, 4).permute(2, 0, 3, 1, 4)
            s.k[:, :, pos] = k
            s.v[:, :, pos] = v
            m = torch.arange(8)[None] <= pos[:, None]
            return F.scaled_dot_product_attention(q, s.k, s.v, attn_mask=m)

    with torch.no_grad():
        c = C(A())
        c(torch.randn(2, 3, 8), torch.tensor([0, 1, 2]))
        c(torch.randn(2, 1, 8), torch.tensor([3]))


@prog
def data_assignment_and_set():
    def f(x, y):
        x.data = y * 2
        return x + 1

    C(f)(torch.ones(3), torch.ones(3))


@prog
def copy_between_dtypes_and_broadcast():
    def f(a, b, c):
        a.copy_(b)
        c[:] = b[0]
        return a * 2, c

    C(f)(torch.zeros(2, 3, dtype=torch.int32), torch.randn(2, 3), torch.zeros(2, 3, dtype=torch.float64))


@prog
def inplace_on_view_chain_grad():
    def f(x, w):
        h = x @ w
        h[:, 0] = 0
        h.view(2, 2, 2)[:, 1] *= 2
        v = h.t()
        v += 1
        h.narrow(1, 1, 2).relu_()
        return h.sum(), v

    go(f, R(2, 3), R(3, 4))


@prog
def inplace_dtype_and_out_variants():
    def f(x):
        o = torch.empty(3, 4)
        torch.add(x, 1, out=o)
        p = torch.empty(3)
        torch.sum(x, 1, out=p)
        return o * p[:, None]

    with torch.no_grad():
        C(f)(torch.randn(3, 4))


@prog
def resize_and_set_data():
    def f(x):
        y = torch.empty(0)
        y.resize_(3, 4)
        y.copy_(x)
        return y + 1

    with torch.no_grad():
        C(f)(torch.randn(3, 4))


# ---- operators by family --------------------------------------------------------------------------------------------


@prog
def dtype_promotion():
    def f(x, i, h, b):
        return (
            x + i,
            h + x,
            h * 2.5,
            i / 2,
            i // 2,
            i % 3 * x,
            b + i,
            b * x,
            i**2,
            2.0 ** i,
            x.half() + h.float(),
            i.float() @ x.t(),
            torch.cat([x, i.float()]),
            torch.stack([h, x.half()]),
            torch.where(b, x, 1.0),
            torch.where(b, i, x),
            i.sum(),
            i.float().mean(),
            b.sum(),
            x.sum(dtype=torch.float64),
            torch.result_type(i, 1.0) == torch.float32,
            i.true_divide(3),
            torch.floor_divide(x.detach(), 2),
            x > i,
            i & 3,
            ~b,
            b ^ (x > 0),
            i << 1,
            -i,
            +x,
            abs(x),
            3 - i,
            1 / x,
            x.round(decimals=2),
        )

    go(f, R(3, 4), torch.randint(1, 5, (3, 4)), R(3, 4).half().detach().requires_grad_(), torch.rand(3, 4) > 0.5)


@prog
def conversions():
    def f(x):
        return (
            x.to(torch.bfloat16),
            x.to(dtype=torch.float16, copy=True),
            x.to("cpu"),
            x.to("cpu", torch.float64),
            x.to(torch.zeros(1, dtype=torch.float64)),
            x.type_as(torch.zeros(1, dtype=torch.half)),
            x.int(),
            x.long() + x.bool(),
            x.bfloat16().float(),
            x.cpu(),
            x.clone(memory_format=torch.contiguous_format),
            x.type("torch.DoubleTensor"),
            x.cfloat().real,
            x.view(torch.int32),
        )

    go(f, R(3, 4))


@prog
def indexing_advanced():
    def f(x, i, j):
        return (
            x[i],
            x[:, j],
            x[i, j],
            x[i[:, None], j],
            x[None, i],
            x[..., -1],
            x[::2, 1:-1],
            x[i, 1:3],
            x[:, None, j],
            x[0, i],
            x[i][:, j],
            x[torch.tensor([True, False, True, True])] if False else x[i > 1][:0],
            x[[0, 1], [2, 3]],
            x[(0, 1)],
            x[slice(None), 2],
            x.take(i),
            torch.take_along_dim(x, i[:, None], 1),
            x[-1:],
            x[1:1],
            x[:, [1, 2]],
        )

    go(f, R(4, 5), torch.tensor([0, 2, 1]), torch.tensor([1, 3, 4]))


@prog
def index_put_and_select_scatter():
    def f(x, i, v):
        y = x.clone()
        y[i] += v
        y.index_put_((i, i), v[:, 0], accumulate=True)
        return (
            y,
            x.index_put((i,), v),
            torch.select_scatter(x, v[0], 0, 1),
            torch.slice_scatter(x, v[:2], 0, 1, 3),
            torch.diagonal_scatter(x, v[0]),
            torch.index_copy(x, 0, i, v),
            x.index_fill(1, i, 0.0),
            x.masked_scatter(x > 0, v.expand(2, 3, 5).reshape(-1, 5)[:5]) if False else x * 1,
            x.index_reduce(0, i, v, "prod"),
            x.put(i, v[:, 0]),
        )

    go(f, R(5, 5), torch.tensor([0, 2, 4]), R(3, 5))


@prog
def scatter_reduce_kinds():
    def f(x, i):
        z = torch.ones(3, 5)
        return tuple(z.scatter_reduce(0, i, x, r, include_self=s) for r in ("sum", "mean", "prod", "amax", "amin") for s in (True, False))

    go(f, R(4, 5), torch.randint(0, 3, (4, 5)))


@prog
def sort_variants():
    def f(x):
        return (
            x.sort(dim=0, descending=True)[0],
            x.sort(stable=True, dim=1)[0],
            x.argsort(1),
            x.topk(3, largest=False, sorted=False)[0],
            torch.msort(x),
            x.mode(1)[0],
            x.cummin(1)[0],
            x.median(),
            x.nanmedian(1)[0],
            x.quantile(torch.tensor([0.2, 0.7]), dim=1),
            x.max(),
            x.max(1, keepdim=True).values,
            x.argmin(),
            x.flatten().sort().values.cumsum(0),
            torch.unique(x.detach().round(), dim=0).float().sum() if False else x.sum(),
        )

    go(f, R(4, 5))


@prog
def cumulative_and_diff():
    def f(x):
        return x.cumsum(0), torch.cumsum(x, -1, dtype=torch.float64), x.cumprod(1), torch.diff(x), torch.diff(x, n=2, dim=0), torch.trapz(x), torch.cumulative_trapezoid(x, dim=0), torch.gradient(x)[0], x.logcumsumexp(0), x.flip(0).cumsum(0).flip(0)

    go(f, R(4, 5))


@prog
def reductions_more():
    def f(x):
        return (
            x.sum((0, 2)),
            x.mean(-1, keepdim=True),
            x.var((1, 2), unbiased=False),
            x.std(0, correction=2),
            torch.var_mean(x, dim=(0, 1)),
            x.all(),
            (x > 0).any(1),
            x.amin((0, 1)),
            x.nanmean(),
            x.prod(1),
            torch.count_nonzero(x),
            x.logsumexp((0, 1)),
            x.max(0)[0].min(),
            x.sum() / x.numel(),
            x.abs().max(),
            torch.logaddexp(x, -x),
            x.softmax(-1, dtype=torch.float64),
            F.log_softmax(x, dim=0),
            F.softmin(x, 1),
            torch.amax(x, -1, True),
        )

    go(f, R(2, 3, 4))


@prog
def pointwise_rest():
    def f(x, y):
        return (
            x.asin().acos() if False else x.tan(),
            torch.asinh(x),
            torch.atanh(x * 0.1),
            x.cosh() + x.sinh(),
            x.exp2(),
            x.expm1(),
            x.square(),
            torch.rsqrt(x.abs() + 1),
            x.reciprocal(),
            x.frac(),
            x.trunc(),
            x.ceil() + x.floor(),
            torch.float_power(x.abs(), 2),
            torch.logaddexp2(x, y),
            torch.xlogy(x, y.abs()),
            torch.special.entr(x.abs()),
            torch.special.erfcx(x),
            torch.special.expit(x),
            torch.special.xlog1py(x, y.abs()),
            torch.digamma(x.abs() + 1),
            torch.polygamma(1, x.abs() + 1),
            torch.mvlgamma(x.abs() + 3, 2),
            torch.erfinv(x.tanh() * 0.5),
            torch.logit(x.sigmoid(), 1e-6),
            torch.heaviside(x.detach(), y.detach()),
            torch.fmax(x, y),
            torch.clamp_min(x, 0.1),
            x.clip(max=1.0),
            torch.clamp(x, y - 1, y + 1),
            torch.rad2deg(x),
            torch.lerp(x, y, torch.tensor(0.5)),
            torch.addcdiv(x, y, y.exp()),
            torch.isclose(x, y),
            torch.signbit(x),
            x.nextafter(y) if False else x.log10() if False else (x.abs() + 1).log10(),
            torch.pow(2.0, x),
            x**0.5 if False else (x.abs() + 1) ** 0.5,
            x**-1,
            x.pow(y.abs()) if False else (x.abs() + 1).pow(y),
            torch.sgn(x),
            torch.deg2rad(x),
            torch.i0(x),
            torch.special.i1(x),
            torch.special.ndtr(x),
            torch.special.log_ndtr(x),
        )

    go(f, R(3, 4), R(3, 4))


@prog
def activations_inplace_and_rest():
    def f(x):
        y = F.relu(x * 1, inplace=True) + F.leaky_relu(x * 1, 0.2, inplace=True) + F.elu(x * 1, inplace=True)
        p = F.prelu(x, torch.full((1,), 0.2)) + F.rrelu(x, training=True)
        return y, p, F.gelu(x, approximate="tanh"), F.silu(x), F.hardswish(x), F.softmax(x, 1, dtype=torch.float32), F.relu_(x * 1), torch.selu_(x * 1), F.glu(x), nn.Softmax2d()(x[None, None])

    go(f, R(3, 4))


@prog
def prelu_channels_module():
    go(nn.Sequential(nn.Conv2d(3, 4, 3), nn.PReLU(4), nn.MaxPool2d(2, return_indices=False), nn.Softplus(beta=2)), R(2, 3, 6, 6))


@prog
def poolings():
    def f(x):
        a, i = F.max_pool2d(x, 2, return_indices=True)
        u = F.max_unpool2d(a, i, 2, output_size=(7, 7))
        return (
            u,
            F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
            F.avg_pool2d(x, 2, divisor_override=3),
            F.adaptive_avg_pool2d(x, (3, None)),
            F.adaptive_max_pool2d(x, (2, 3)),
            F.lp_pool2d(x, 3, 2),
            F.max_pool1d(x[:, :, 0], 2),
            F.avg_pool1d(x[:, :, 0], 3, 1, 1),
            F.adaptive_avg_pool1d(x[:, :, 0], 3),
            F.adaptive_max_pool1d(x[:, :, 0], 3),
            F.max_pool3d(x[:, None], 2),
            F.avg_pool3d(x[:, None], 2),
            F.adaptive_avg_pool3d(x[:, None], 2),
            F.max_pool2d(x, 2, dilation=2),
            F.fractional_max_pool2d(x, 2, output_size=3),
        )

    go(f, R(2, 4, 7, 7))


@prog
def paddings():
    def f(x):
        return (
            F.pad(x, (1, 2, 0, 1), value=3.0),
            F.pad(x, (1, 1, 2, 2), "replicate"),
            F.pad(x, (1, 1, 2, 2), "reflect"),
            F.pad(x, (2, 1), "circular") if False else F.pad(x, (2, 1, 1, 1), "circular"),
            F.pad(x, (-1, 1)),
            nn.ZeroPad2d(1)(x),
            nn.ReflectionPad1d(2)(x[0]),
            nn.ReplicationPad3d(1)(x[None]),
            nn.ConstantPad1d((1, 0), 2.0)(x[0]),
            F.pad(x, (0, 0, 0, 0, 1, 0)),
            torch.constant_pad_nd(x, (1, 1)),
        )

    go(f, R(2, 3, 5, 5))


@prog
def convs_padding_modes_and_strings():
    a = nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect")
    b = nn.Conv2d(4, 4, 3, padding="same", dilation=2)
    c = nn.Conv1d(2, 3, 4, padding="same", padding_mode="circular")
    d = nn.Conv2d(4, 4, 3, padding="valid", stride=2, groups=2, bias=False)
    go(lambda x, y: (d(b(a(x))), c(y)), R(2, 3, 8, 8), R(2, 2, 9))


@prog
def conv_transposes_all():
    a, b, c = nn.ConvTranspose1d(3, 4, 3, stride=2, output_padding=1), nn.ConvTranspose3d(2, 3, 2, groups=1), nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, groups=2, dilation=2)
    go(lambda x, y, z: (a(x), b(y), c(z), c(z, output_size=[10, 10])), R(2, 3, 5), R(1, 2, 3, 3, 3), R(2, 4, 4, 4))


@prog
def conv_functional_weights():
    def f(x, w):
        k = w / w.norm(dim=(1, 2, 3), keepdim=True)
        y = F.conv2d(x, k, stride=1, padding=1)
        z = F.conv2d(x.reshape(1, -1, 6, 6), torch.ones(6, 1, 3, 3) / 9, groups=6, padding=1)
        return y, z.view_as(x), F.conv1d(x[:, :, 0], w[:, :, 0]), F.fold(F.unfold(x, 2, stride=2), (6, 6), 2, stride=2)

    go(f, R(2, 3, 6, 6), R(4, 3, 3, 3))


@prog
def conv_unbatched_and_depthwise_multiplier():
    a, b = nn.Conv2d(3, 6, 3, groups=3), nn.Conv1d(3, 3, 2)
    go(lambda x: (a(x), b(x[:, 0])), R(3, 6, 6))


@prog
def channels_last_resnet_block():
    m = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)).to(memory_format=torch.channels_last)
    x = R(2, 4, 6, 6, g=False).to(memory_format=torch.channels_last).requires_grad_()
    go(lambda t: F.relu(m(t) + t).mean((2, 3)), x)


@prog
def channels_last_mixed_ops():
    x = R(2, 4, 6, 6, g=False).contiguous(memory_format=torch.channels_last)
    c = nn.Conv2d(4, 8, 1)

    def f(x):
        y = c(x)
        return y.contiguous(), F.interpolate(y, scale_factor=2), F.max_pool2d(y, 2), y.permute(0, 2, 3, 1).reshape(-1, 8), torch.cat([y, y], 1), y.clone(), torch.zeros_like(y) + y, F.group_norm(y, 2), y.to(memory_format=torch.contiguous_format) * 2

    go(f, x)


@prog
def upsample_modes():
    def f(x):
        return (
            F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False),
            F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True),
            F.interpolate(x, scale_factor=(2.0, 3.0), mode="nearest"),
            F.interpolate(x, scale_factor=2, mode="nearest-exact"),
            F.interpolate(x, size=3, mode="area"),
            F.interpolate(x[:, :, 0], scale_factor=2, mode="linear"),
            F.interpolate(x[:, None], scale_factor=2, mode="trilinear"),
            F.interpolate(x, scale_factor=0.5, mode="bilinear", antialias=True),
            F.interpolate(x, scale_factor=0.5, recompute_scale_factor=True, mode="bilinear"),
            F.pixel_unshuffle(x, 2),
            F.channel_shuffle(x, 2),
            nn.UpsamplingNearest2d(scale_factor=2)(x),
        )

    go(f, R(2, 4, 6, 6))


@prog
def spatial_transformer():
    loc = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 16, 6))

    def f(x):
        th = loc(x).view(-1, 2, 3)
        g = F.affine_grid(th, x.size(), align_corners=True)
        return F.grid_sample(x, g, mode="bilinear", padding_mode="border", align_corners=True), F.grid_sample(x, g, mode="nearest", align_corners=False), F.grid_sample(x, g, padding_mode="reflection", mode="bicubic", align_corners=False)

    go(f, R(2, 1, 6, 6))


@prog
def optical_flow_warp_3d():
    def f(x, fl):
        B, C_, H, W = x.shape
        ys, xs = torch.meshgrid(torch.linspace(-1, 1, H), torch.linspace(-1, 1, W), indexing="ij")
        g = torch.stack([xs, ys], -1)[None].repeat(B, 1, 1, 1) + fl.permute(0, 2, 3, 1)
        v = F.affine_grid(torch.eye(3, 4)[None], (1, 1, 3, 3, 3), align_corners=False)
        return F.grid_sample(x, g, align_corners=True), F.grid_sample(x[:1, :1, None], v, align_corners=False)

    go(f, R(2, 3, 4, 4), R(2, 2, 4, 4))


@prog
def attention_masks_variety():
    def f(q, k, v, b):
        T = q.shape[-2]
        m = torch.ones(T, T, dtype=torch.bool).tril()
        fm = torch.zeros(T, T).masked_fill(~m, float("-inf"))
        return (
            F.scaled_dot_product_attention(q, k, v, attn_mask=m),
            F.scaled_dot_product_attention(q, k, v, attn_mask=fm[None, None]),
            F.scaled_dot_product_attention(q, k, v, attn_mask=b),
            F.scaled_dot_product_attention(q, k[:, :1], v[:, :1], enable_gqa=True),
            F.scaled_dot_product_attention(q, k, v, dropout_p=0.1),
            F.scaled_dot_product_attention(q[0], k[0], v[0]),
            F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5),
        )

    go(f, R(2, 2, 4, 4), R(2, 2, 4, 4), R(2, 2, 4, 4), R(2, 2, 4, 4))


@prog
def sdpa_math_backend():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def f(q, k, v):
        with sdpa_kernel(SDPBackend.MATH):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    go(f, R(2, 2, 4, 4), R(2, 2, 4, 4), R(2, 2, 4, 4))


@prog
def sdpa_inference_bf16_and_noncontiguous():
    def f(q, k, v):
        return F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)).transpose(1, 2)

    with torch.no_grad():
        C(f)(*(torch.randn(2, 4, 2, 8, dtype=torch.bfloat16) for _ in range(3)))


@prog
def alibi_and_sliding_window():
    def f(q, k, v):
        T = q.shape[2]
        sl = torch.tensor([2.0 ** -(i + 1) for i in range(2)]).view(1, 2, 1, 1)
        d = torch.arange(T)[None, :] - torch.arange(T)[:, None]
        b = sl * d.abs().neg()
        w = (d > 0) | (d < -2)
        s = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + b).masked_fill(w, torch.finfo(q.dtype).min)
        return torch.softmax(s, -1, dtype=torch.float32).to(q.dtype) @ v

    go(f, R(2, 2, 5, 4), R(2, 2, 5, 4), R(2, 2, 5, 4))


@prog
def mha_masks_and_cross():
    m = nn.MultiheadAttention(8, 2, batch_first=True, dropout=0.1, kdim=6, vdim=6, add_bias_kv=True)
    pad = torch.tensor([[False, False, True], [False, True, True]])
    go(lambda q, k: m(q, k, k, key_padding_mask=pad, attn_mask=torch.zeros(4, 3), average_attn_weights=False), R(2, 4, 8), R(2, 3, 6))


@prog
def transformer_full_module():
    m = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)
    go(lambda s, t: m(s, t, tgt_mask=nn.Transformer.generate_square_subsequent_mask(3), tgt_is_causal=True), R(2, 4, 8), R(2, 3, 8))


@prog
def transformer_encoder_eval_fastpath():
    m = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    with torch.no_grad():
        C(m)(torch.randn(2, 4, 8))
    go(m, R(2, 4, 8))


@prog
def fake_quant_observers():
    obs = torch.ao.quantization.FakeQuantize.with_args(observer=torch.ao.quantization.MovingAverageMinMaxObserver, quant_min=0, quant_max=255)()

    def f(x, s, z):
        return torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127), torch.fake_quantize_per_channel_affine(x, s, z, 0, -128, 127), torch.fake_quantize_per_tensor_affine(x, s[:1], z[:1], 0, 255)

    go(f, R(3, 4), torch.rand(3) + 0.1, torch.zeros(3, dtype=torch.int32))


@prog
def int8_dynamic_quant_linear():
    w = torch.randint(-127, 127, (6, 4), dtype=torch.int8)
    ws = torch.rand(6)

    def f(x):
        s = x.abs().amax(-1, keepdim=True) / 127
        q = torch.clamp(torch.round(x / s), -128, 127).to(torch.int8)
        acc = torch.ops.aten._int_mm.default(F.pad(q, (0, 4, 0, 16)).contiguous(), F.pad(w.t(), (0, 2, 0, 4)).contiguous()) if False else q.int() @ w.t().int()
        return acc.float() * s * ws

    with torch.no_grad():
        C(f)(torch.randn(3, 4))


@prog
def weight_only_int4_unpack():
    p = torch.randint(0, 255, (4, 4), dtype=torch.uint8)

    def f(x, sc):
        lo, hi = (p & 0xF).to(torch.int8) - 8, (p >> 4).to(torch.int8) - 8
        w = torch.stack([lo, hi], -1).view(4, 8).to(x.dtype) * sc[:, None]
        return F.linear(x, w)

    go(f, R(2, 8), R(4))


@prog
def fp8_casts():
    def f(x, w):
        s = 448.0 / x.abs().max().clamp(min=1e-12)
        q = (x * s).clamp(-448, 448).to(torch.float8_e4m3fn)
        return (q.to(torch.float32) / s) @ w

    go(f, R(4, 4), R(4, 4))


@prog
def pruned_masked_weights():
    import torch.nn.utils.prune as prune

    l = nn.Linear(6, 4)
    prune.l1_unstructured(l, "weight", 0.5)
    m = torch.rand(4, 6) > 0.5
    go(lambda x: l(x) + F.linear(x, l.weight_orig * m), R(2, 6))


@prog
def views_exotic():
    def f(x):
        return (
            x.unflatten(1, (2, 3)),
            x.view_as(x),
            x.swapaxes(0, 1),
            x.ravel(),
            x.T.reshape(3, 8),
            torch.atleast_3d(x),
            x.diag_embed(),
            torch.rot90(x),
            x.tensor_split(3, 1)[1],
            torch.hsplit(x, 2)[0],
            torch.dsplit(x.view(2, 2, 6), 3)[0],
            x.triu(1),
            torch.tril_indices(4, 4),
            x.expand_as(torch.zeros(2, 4, 6)),
            x.broadcast_to((2, 4, 6)),
            x.repeat_interleave(2, 1),
            torch.broadcast_tensors(x, torch.zeros(2, 1, 1))[0],
            torch.column_stack([x, x]),
            torch.dstack([x, x]),
            torch.concat([x, x], -1),
            x.squeeze().unsqueeze(-1),
            x[:, :, None, None].squeeze((2, 3)),
            x.as_strided((2, 2), (1, 2), 3),
            torch.vander(x[0], 3),
            torch.diagflat(x[0]),
            x.fliplr(),
            x.view(torch.float32),
            x.moveaxis(0, -1),
            torch.select(x, 0, 1),
        )

    go(f, R(4, 6))


@prog
def creation_functions():
    def f(x):
        return (
            torch.ones_like(x) * x,
            torch.full_like(x, 2.0),
            x.new_full((2, 2), 3),
            x.new_tensor([1.0, 2.0]),
            torch.linspace(0, 1, 5) + x[0, :5],
            torch.logspace(0, 1, 3),
            torch.eye(4) @ x,
            torch.tensor(2.5) * x,
            torch.tensor([[1, 2], [3, 4]]),
            torch.arange(0, 6, 2, dtype=torch.float32),
            torch.empty(3).fill_(1),
            torch.scalar_tensor(3.0) * x,
            torch.zeros((), dtype=torch.float64) + x,
            torch.as_tensor(3) * x,
            torch.triu_indices(3, 3),
            torch.empty_like(x).zero_() + x,
            torch.zeros(2, 3, requires_grad=False).new_ones(3),
            torch.hann_window(6) * x,
            torch.tensor(x.shape).float().sum() * x,
            torch.complex(x, x).real,
            torch.from_numpy(__import__("numpy").ones(3, dtype="float32")) if False else x.sum(),
        )

    go(f, R(4, 6))


@prog
def random_in_graph():
    g = lambda x: (
        F.dropout(x, 0.3) + F.feature_dropout(x, 0.2) if False else F.dropout1d(x, 0.3) + F.dropout(x, 0.1, inplace=False),
        torch.normal(x, 1.0),
        torch.bernoulli(x.sigmoid()),
        torch.multinomial(x.softmax(-1).detach(), 2),
        torch.randn_like(x) * x,
        torch.randint_like(x.detach(), 0, 4),
        torch.empty_like(x).uniform_(-1, 1),
        torch.empty(4).exponential_(),
        torch.rand(4, 6, dtype=torch.float64),
        torch.normal(0.0, 1.0, (2, 2)),
        torch.poisson(x.exp().detach()),
        nn.Dropout(0.5)(x),
        torch.empty_like(x).log_normal_() if False else x * 1,
        x.clone().geometric_(0.3) if False else x * 2,
        F.feature_alpha_dropout(x, 0.2, True),
    )
    go(g, R(4, 6))


@prog
def ldexp_constant_exponent():
    go(lambda x: torch.ldexp(x, torch.tensor(2)), R(3, 4))


@prog
def randint_like_of_differentiable():
    go(lambda x: torch.randint_like(x, 0, 4) + x, R(3, 4))


@prog
def where_and_masks():
    def f(x, m, l):
        a = torch.arange(6)[None] < l[:, None]
        return (
            torch.where(m, x, float("-inf")).softmax(-1),
            torch.where(m, x, torch.zeros_like(x)),
            torch.where(m, 0.0, x),
            x.masked_fill(~a, 0).sum(1) / a.sum(1),
            x * a,
            torch.where(x > 0, x, x * 0.1),
            x.masked_fill(m, torch.tensor(2.0)),
            torch.logical_and(a, m).float() * x,
            x.masked_fill(m.logical_not(), torch.finfo(x.dtype).min).logsumexp(1),
            (x[:, :, None] * a[:, None]).amax(1),
            torch.where(m).__len__() if False else m.sum(),
        )

    go(f, R(4, 6), torch.rand(4, 6) > 0.5, torch.tensor([1, 2, 3, 6]))


@prog
def python_scalars_and_shapes():
    def f(x, s, flag, names):
        if flag:
            x = x * s
        for k, v in sorted(names.items()):
            x = x + v
        n = x.shape[0] * len(names)
        return x / n, x.mean() * float(x.size(1)), x.ndim, x.shape, max(x.shape)

    go(f, R(4, 6), 0.5, True, {"a": 1, "b": 2.5})


@prog
def matmul_ranks():
    def f(a, b, v):
        return (
            a @ b,
            a[0] @ b[0],
            a @ v,
            v @ b,
            v @ v,
            torch.matmul(a, b[0]),
            torch.matmul(a[0], b),
            torch.mv(a[0], v),
            torch.dot(v, v),
            torch.addmv(v[:3], a[0], v),
            torch.addr(torch.zeros(4, 4), v, v),
            torch.addbmm(torch.zeros(3, 3), a, b),
            torch.baddbmm(torch.zeros(2, 3, 3), a, b, beta=0.5, alpha=2),
            torch.chain_matmul(a[0], b[0]) if False else a[0].mm(b[0]),
            F.bilinear(v[None], v[None], torch.ones(2, 4, 4)),
            torch.inner(a, a),
            F.linear(a, b[0].t().contiguous()),
            a.unsqueeze(1) @ b.unsqueeze(0),
            torch.vdot(v, v),
            torch.ger(v, v),
            torch.sum(a * a, -1),
        )

    go(f, R(2, 3, 4), R(2, 4, 3), R(4))


@prog
def vmap_and_func():
    def f(w, x):
        g = torch.vmap(lambda a: (a @ w).sin().sum())
        return g(x), torch.vmap(torch.dot)(x, x), torch.vmap(lambda a, b: a * b, in_dims=(0, None))(x, w[:, 0])

    go(f, R(4, 3), R(2, 4))


@prog
def func_jacrev_hessian_vjp():
    def f(x):
        j = torch.func.jacrev(lambda t: t.sin() * t.sum())(x)
        _, pull = torch.func.vjp(lambda t: t.exp(), x)
        _, t = torch.func.jvp(lambda t: t**2, (x,), (torch.ones_like(x),))
        return j, pull(torch.ones_like(x))[0], t

    with torch.no_grad():
        C(f)(torch.randn(3))


@prog
def functional_call_stack():
    m = nn.Linear(4, 2)

    def f(p, x):
        return torch.func.functional_call(m, p, (x,)).sum()

    go(f, {k: v.detach().requires_grad_() for k, v in m.named_parameters()}, R(3, 4))


@prog
def bits_and_integer_math():
    def f(i, j):
        return i & j, i | j, i ^ j, ~i, i << 2, i >> 1, torch.gcd(i, j), torch.lcm(i, j), i % j, torch.div(i, j, rounding_mode="floor"), torch.div(i, j, rounding_mode="trunc"), i.bitwise_and(1).bool(), torch.bitwise_left_shift(i, j), i.float().log2().floor().int(), i.cumsum(0), i.max(), i.sort()[0], i.clamp(2, 5), i.abs(), torch.where(i > j, i, j), i.unique() if False else i * 1, i.to(torch.uint8)

    C(f)(torch.randint(1, 9, (6,)), torch.randint(1, 9, (6,)))


@prog
def searchsorted_histogram_bucket():
    def f(x):
        b = torch.linspace(-2, 2, 6)
        i = torch.bucketize(x, b, right=True)
        return b[i.clamp(max=5)] * x, torch.searchsorted(b, x.detach(), side="left"), F.one_hot(i.flatten(), 8).sum(0), torch.histogram(x.detach(), 4)[0] if False else x.sum(), torch.histc(x.detach(), bins=3, min=-1, max=1)

    go(f, R(3, 4))


@prog
def spline_basis_kan():
    g = torch.linspace(-1, 1, 7)
    w = nn.Parameter(torch.randn(4, 3, 3))

    def f(x):
        x = x.unsqueeze(-1)
        b = ((x >= g[:-1]) & (x < g[1:])).to(x.dtype)
        for k in range(1, 4):
            b = (x - g[: -(k + 1)]) / (g[k:-1] - g[: -(k + 1)]) * b[:, :, :-1] + (g[k + 1 :] - x) / (g[k + 1 :] - g[1:(-k)]) * b[:, :, 1:]
        return torch.einsum("big,oig->bo", b, w.view(4, 3, 3))

    go(f, R(2, 3))


# ---- dynamic shapes -------------------------------------------------------------------------------------------------


@prog
def dyn2_mlp_batch():
    m = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))
    twice(m, (R(4, 6, g=False),), (R(7, 6, g=False),))


@prog
def dyn2_cross_entropy():
    m = nn.Linear(6, 3)
    twice(lambda x, t: F.cross_entropy(m(x), t), (R(4, 6), torch.randint(0, 3, (4,))), (R(5, 6), torch.randint(0, 3, (5,))))


@prog
def dyn2_causal_lm_loss():
    e, h = nn.Embedding(11, 6), nn.Linear(6, 11)

    def f(t):
        y = h(e(t))
        return F.cross_entropy(y[:, :-1, :].contiguous().view(-1, 11), t[:, 1:].contiguous().view(-1))

    twice(f, (torch.randint(0, 11, (2, 5)),), (torch.randint(0, 11, (3, 7)),))


@prog
def dyn2_attention_manual_heads():
    qkv, o = nn.Linear(8, 24), nn.Linear(8, 8)

    def f(x):
        B, T, D = x.shape
        q, k, v = qkv(x).split(D, -1)
        q, k, v = (t.view(B, T, 2, D // 2).transpose(1, 2) for t in (q, k, v))
        a = (q @ k.transpose(-2, -1)) / math.sqrt(D // 2)
        m = torch.tril(torch.ones(T, T)).view(1, 1, T, T)
        a = a.masked_fill(m == 0, float("-inf")).softmax(-1)
        return o((a @ v).transpose(1, 2).contiguous().view(B, T, D))

    twice(f, (R(2, 5, 8),), (R(3, 6, 8),))


@prog
def dyn2_sdpa_causal():
    qkv = nn.Linear(8, 24)

    def f(x):
        B, T, D = x.shape
        q, k, v = qkv(x).view(B, T, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(B, T, D)

    twice(f, (R(2, 5, 8),), (R(2, 6, 8),))


@prog
def dyn2_conv_relu_pool():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))
    twice(m, (R(2, 3, 8, 8, g=False),), (R(3, 3, 8, 8, g=False),))


@prog
def dyn2_conv_image_sizes():
    m = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2, padding=1), nn.GroupNorm(2, 4), nn.SiLU())
    twice(m, (R(2, 3, 8, 8, g=False),), (R(2, 3, 12, 10, g=False),))


@prog
def dyn2_conv_bn():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
    twice(m, (R(2, 3, 8, 8, g=False),), (R(4, 3, 8, 8, g=False),))


@prog
def dyn2_upsample_cat():
    m = nn.Conv2d(3, 4, 1)

    def f(x):
        a = m(x)
        b = F.avg_pool2d(a, 2)
        return torch.cat([F.interpolate(b, size=a.shape[-2:], mode="bilinear", align_corners=False), a], 1)

    twice(f, (R(2, 3, 8, 8),), (R(2, 3, 12, 12),))


@prog
def dyn2_rnn_unbatched_sizes():
    c = nn.GRUCell(4, 6)
    twice(lambda x: c(x, torch.zeros(x.size(0), 6)), (R(2, 4),), (R(3, 4),))


@prog
def dyn2_padding_mask_mean():
    e = nn.Embedding(9, 4, padding_idx=0)

    def f(t, l):
        m = torch.arange(t.size(1))[None] < l[:, None]
        x = e(t) * m.unsqueeze(-1)
        return x.sum(1) / l.unsqueeze(-1).clamp(min=1)

    twice(f, (torch.randint(0, 9, (2, 5)), torch.tensor([3, 5])), (torch.randint(0, 9, (3, 6)), torch.tensor([3, 5, 1])))


@prog
def dyn2_broadcast_two_symbols():
    def f(x, y):
        d = (x[:, None, :] - y[None, :, :]).pow(2).sum(-1)
        return d.min(1)[0].mean() + d.min(0)[0].mean(), torch.cdist(x, y).sum()

    twice(f, (R(4, 3), R(5, 3)), (R(6, 3), R(7, 3)))


@prog
def dyn2_reshape_flatten_ops():
    def f(x):
        B, T, D = x.shape
        y = x.reshape(B * T, D)
        z = y.view(B, T * D)
        return y.sum(0), z, x.flatten(1), x.transpose(0, 1).reshape(T, -1), x.unsqueeze(1).expand(B, 3, T, D), torch.arange(T * 2), x.new_ones(B, T + 1), x[:, : T - 1], x[:, 1:], x[:, -1]

    twice(f, (R(2, 5, 4),), (R(3, 6, 4),))


@prog
def dyn2_mutation_and_alias():
    def f(x, b):
        b.add_(x.detach().sum(0))
        return x.view(-1), x * x.shape[0], b[: x.shape[1] // 2]

    twice(f, (R(2, 4), torch.zeros(4)), (R(3, 6), torch.zeros(6)))


@prog
def dyn2_int_and_float_args():
    def f(x, n, s):
        return x[:n] * s + n

    twice(f, (R(6, 4), 2, 0.5), (R(6, 4), 3, 0.7), (R(6, 4), 4, 0.9))


@prog
def dyn2_dropout_ln_transformer():
    m = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
    twice(m, (R(2, 5, 8),), (R(3, 7, 8),))


@prog
def dyn2_batchnorm1d():
    m = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU())
    twice(m, (R(4, 4, g=False),), (R(6, 4, g=False),))


@prog
def dyn2_topk_gather_scatter():
    def f(x, i):
        v, j = x.topk(2, 1)
        return v.sum(), x.gather(1, i), torch.zeros_like(x).scatter_add(1, j, v), x[i[:, 0]], x.sort(1)[0], x.cumsum(0)

    twice(f, (R(4, 5), torch.zeros(4, 2, dtype=torch.long)), (R(6, 7), torch.zeros(6, 2, dtype=torch.long)))


@prog
def dyn2_embedding_bag_gcn():
    W = nn.Linear(3, 4)

    def f(x, ei):
        s, d = ei
        n = x.size(0)
        deg = torch.zeros(n).scatter_add_(0, d, torch.ones(d.size(0)))
        nm = deg.clamp(min=1).rsqrt()
        h = W(x)
        return torch.zeros(n, 4).index_add_(0, d, h[s] * (nm[s] * nm[d]).unsqueeze(-1))

    twice(f, (R(4, 3), torch.tensor([[0, 1, 2], [1, 2, 3]])), (R(5, 3), torch.tensor([[0, 1, 2, 4], [1, 2, 3, 0]])))


@prog
def dyn2_split_chunk_stack():
    def f(x):
        a, b = x.chunk(2, -1)
        c, d = torch.split(x, x.shape[1] // 2, 1)
        return torch.stack([a, b]), c * d, torch.cat([a * 2, b], 0), x.unbind(0)[0] if False else x[0]

    twice(f, (R(2, 4),), (R(3, 8),))


@prog
def dyn_mark_batch_conv_bn_linear():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
    x = R(4, 3, 8, 8, g=False)
    torch._dynamo.mark_dynamic(x, 0)
    go(m, x)


@prog
def dyn_mark_unbacked():
    x = R(4, 3)
    torch._dynamo.decorators.mark_unbacked(x, 0)
    go(lambda t: (t * 2).sum(0) + t.shape[0], x)


@prog
def dyn_true_lstm_sequence():
    m = nn.LSTM(4, 5, batch_first=True)
    go(lambda x: m(x)[0].mean(1), R(2, 3, 4), dynamic=True)


@prog
def dyn_true_unet():
    d, u = nn.Conv2d(1, 4, 3, 2, 1), nn.ConvTranspose2d(4, 1, 4, 2, 1)
    go(lambda x: u(F.relu(d(x))) + x, R(2, 1, 8, 8), dynamic=True)


@prog
def dyn_true_einsum_fft_norms():
    def f(x):
        y = torch.einsum("btd,bsd->bts", x, x)
        z = torch.fft.rfft(x, dim=1).abs().sum()
        return y.softmax(-1), z, F.layer_norm(x, x.shape[-1:]), x.std(1), F.normalize(x, dim=-1)

    go(f, R(2, 5, 4), dynamic=True)


@prog
def dyn_true_optimizer_and_ops():
    w = R(5, 4)
    m = torch.zeros(5, 4)

    @torch.no_grad()
    def step(w, m, g):
        m.mul_(0.9).add_(g)
        w.sub_(m, alpha=0.1)

    C(step, dynamic=True)(w, m, torch.randn(5, 4))


@prog
def dyn_true_positional_sinusoid():
    def f(x):
        B, T, D = x.shape
        p = torch.arange(T, device=x.device).unsqueeze(1)
        d = torch.exp(torch.arange(0, D, 2) * (-math.log(10000.0) / D))
        pe = torch.zeros(T, D)
        pe[:, 0::2] = torch.sin(p * d)
        pe[:, 1::2] = torch.cos(p * d)
        return x + pe[None]

    go(f, R(2, 5, 4), dynamic=True)


@prog
def dyn_true_index_select_gather_masks():
    def f(x, i, m):
        return x.index_select(0, i), x.gather(0, i[:, None].expand(-1, x.shape[1])), x.masked_fill(m, 0), torch.where(m, x, 0.0), x[i], x.repeat(2, 1), x.roll(1, 0), F.one_hot(i, 7)

    go(f, R(4, 5), torch.tensor([0, 2]), torch.rand(4, 5) > 0.5, dynamic=True)


@prog
def dyn_true_pads_and_pools():
    def f(x):
        return F.pad(x, (1, 1, 1, 1), "reflect"), F.avg_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2), F.adaptive_avg_pool2d(x, 2), F.interpolate(x, scale_factor=2.0), F.unfold(x, 2), F.pixel_shuffle(x, 2)

    go(f, R(2, 4, 6, 6), dynamic=True)


@prog
def unbacked_argmax_item_slice():
    def f(x):
        k = x.sum(1).argmax().item()
        torch._check(k >= 0)
        torch._check(k < x.shape[0])
        return x[k] * 2, x.narrow(0, k, 1)

    go(f, R(4, 3))


@prog
def unbacked_masked_mean_loss():
    l = nn.Linear(4, 3)

    def f(x, t):
        m = t != -100
        return F.cross_entropy(l(x)[m], t[m])

    go(f, R(5, 4), torch.tensor([0, -100, 2, 1, -100]))


@prog
def unbacked_nms_like_topk_mask():
    def f(b, s):
        k = torch.nonzero(s > 0).squeeze(1)
        return b[k] * s[k, None], k.numel() * s.sum()

    go(f, R(5, 4), R(5))


@prog
def unbacked_index_put_bool():
    def f(x, m):
        y = x.clone()
        y[m] = x[m] * 2
        return y

    go(f, R(4, 3), torch.rand(4) > 0.5)


@prog
def unbacked_full_item():
    def f(n, x):
        k = n.item()
        torch._check(k >= 2)
        return torch.arange(k) + 1, x.sum() * k, torch.ones(k, 3).sum(0)

    go(f, torch.tensor(5), R(3))


# ---- several compiles, graph breaks, and others --------------------------------------------------------------------


@prog
def graph_break_print_and_resume():
    a, b = nn.Linear(4, 4), nn.Linear(4, 4)

    def f(x):
        y = a(x).relu()
        torch._dynamo.graph_break()
        z = b(y) * y
        torch._dynamo.graph_break()
        return z.sum() + x.mean()

    go(f, R(2, 4))


@prog
def graph_break_data_dependent_if():
    def f(x):
        y = x * 2
        if y.sum() > 0:
            return y.exp()
        return y - 1

    go(f, R(2, 4))


@prog
def recompiles_dtype_grad_mode_flag():
    m = nn.Linear(4, 4)
    c = C(lambda x, k="a": m(x).relu() if k == "a" else m(x).tanh())
    back(c(R(2, 4)))
    with torch.no_grad():
        c(R(2, 4))
    back(c(R(2, 4), "b"))
    c(R(2, 4, g=False))


@prog
def two_functions_shared_module():
    e = nn.Linear(4, 4)
    back(C(lambda x: e(x).relu())(R(2, 4)))
    back(C(lambda x: e(e(x)))(R(2, 4)))


@prog
def module_compile_method_fullgraph():
    m = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    m.compile(backend=common.BACKEND, fullgraph=True)
    back(m(R(2, 4)))


@prog
def nested_compile_and_disable():
    l = nn.Linear(4, 4)

    @torch._dynamo.disable
    def g(x):
        return x.cos()

    inner = C(lambda x: l(x).sin())

    def f(x):
        return inner(g(x * 2)) + 1

    go(f, R(2, 4))


@prog
def train_loop_zero_grad_step():
    m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    o = torch.optim.AdamW(m.parameters(), lr=1e-2)
    c = C(lambda x, y: F.mse_loss(m(x), y))
    for _ in range(2):
        o.zero_grad()
        c(torch.randn(4, 4), torch.randn(4, 1)).backward()
        C(o.step)()


@prog
def double_backward_unsupported_eager_penalty():
    m = nn.Linear(4, 4)
    c = C(lambda x: m(x).sigmoid())
    x = R(2, 4)
    back(c(x).sum() * 1)


@prog
def frozen_params_and_unused():
    a, b, u = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
    a.requires_grad_(False)

    def f(x):
        unused = u(x)
        return b(a(x)), unused.detach()

    go(f, R(2, 4, g=False))


@prog
def int_inputs_and_none_optional():
    def f(x, t=None, scale=None, *, bias=None):
        y = x if t is None else x + t
        if bias is not None:
            y = y + bias
        return y * (scale or 2), None, 5

    back(C(f)(R(3), bias=R(3)))


@prog
def cpu_double_and_empty_tensors():
    def f(x, e):
        return torch.cat([x, e]), e.sum() + x.sum(), x[:0] * 2, x.reshape(-1, 3)

    go(f, R(2, 3, dtype=torch.float64), torch.empty(0, 3, dtype=torch.float64))


@prog
def zero_dim_and_scalar_tensors():
    def f(a, b):
        return a * b, a + 1, torch.stack([a, b]), a.expand(3), a.view(1, 1), a.item() if False else a.unsqueeze(0), (a > b).float() * a

    go(f, torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True))


@prog
def cond_hop_message():
    def f(x):
        return torch.cond(x.sum() > 0, lambda t: t.sin(), lambda t: t.cos(), (x,))

    go(f, R(3))


@prog
def aot_function_direct():
    from functorch.compile import aot_function, nop

    def f(x, y):
        x.add_(1)
        return x * y, y.t()

    a = R(3, 3) * 1
    back(aot_function(f, nop)(a, R(3, 3)))


@prog
def aot_module_direct():
    from functorch.compile import aot_module, nop

    m = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
    back(aot_module(m, nop)(R(3, 4)))
