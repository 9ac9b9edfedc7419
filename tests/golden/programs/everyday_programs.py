"""What people write who try the program for the first time: small models of every field, losses, optimizers, function
transforms, control flow, linear algebra, random numbers, with fixed and with changing sizes. Written after all rules of
torch 2.15 that the other packs led to, to see whether they hold.
"""

import torch.distributions as D
import torch.nn.utils.parametrizations as parametrizations
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

from common import *


def linear_layers(*sizes):
    layers = []
    for i, o in zip(sizes, sizes[1:]):
        layers += [nn.Linear(i, o), nn.GELU()]
    return nn.Sequential(*layers[:-1])


# ---- graphs


@prog
def ev_gcn_dense_normalized():
    w1, w2 = nn.Linear(8, 16), nn.Linear(16, 3)

    def f(x, a):
        a = a + torch.eye(a.shape[0])
        d = a.sum(1).pow(-0.5)
        a = d[:, None] * a * d[None]
        return F.cross_entropy(a @ w2(F.relu(a @ w1(x))), torch.arange(a.shape[0]) % 3)

    go(f, R(6, 8), (torch.rand(6, 6) > 0.5).float())


@prog
def ev_message_passing_index_add():
    message, update = nn.Linear(16, 8), nn.GRUCell(8, 8)

    def f(x, edges):
        source, target = edges
        for _ in range(2):
            m = torch.relu(message(torch.cat([x[source], x[target]], -1)))
            x = update(torch.zeros_like(x).index_add(0, target, m), x)
        return x.mean(0)

    go(f, R(7, 8), torch.randint(0, 7, (2, 20)))


@prog
def ev_graph_pooling_scatter_reduce():
    def f(x, batch):
        mean = torch.zeros(3, x.shape[1]).scatter_reduce(0, batch[:, None].expand_as(x), x, "mean", include_self=False)
        most = torch.zeros(3, x.shape[1]).scatter_reduce(0, batch[:, None].expand_as(x), x, "amax")
        return mean, most

    twice(f, (R(9, 4), torch.randint(0, 3, (9,))), (R(12, 4), torch.randint(0, 3, (12,))))


@prog
def ev_edge_softmax_changing_graph():
    score = nn.Linear(8, 1)

    def f(x, source, target):
        e = F.leaky_relu(score(torch.cat([x[source], x[target]], -1)).squeeze(-1), 0.2)
        e = (e - e.max()).exp()
        total = torch.zeros(x.shape[0]).scatter_add(0, target, e)
        return torch.zeros_like(x).index_add(0, target, x[source] * (e / total[target])[:, None])

    make = lambda n, m: (R(n, 4), torch.randint(0, n, (m,)), torch.randint(0, n, (m,)))
    twice(f, make(5, 11), make(8, 17))


@prog
def ev_sparse_adjacency_matmul():
    def f(x, w):
        a = torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [1, 2, 0]]), torch.ones(3), (3, 3))
        return torch.sparse.mm(a, x) @ w

    go(f, R(3, 4), R(4, 2))


@prog
def ev_laplacian_eigenvectors():
    def f(a):
        s = a @ a.T + torch.eye(5)
        values, vectors = torch.linalg.eigh(s)
        return values.sum() + vectors[:, 0].abs().sum()

    go(f, R(5, 5))


# ---- vision


@prog
def ev_conv_bn_train_two_batches():
    m = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.SiLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
    )
    twice(m, (R(2, 3, 16, 16),), (R(5, 3, 16, 16),))


@prog
def ev_depthwise_separable_hardswish():
    m = nn.Sequential(
        nn.Conv2d(4, 4, 3, padding=1, groups=4), nn.Hardswish(), nn.Conv2d(4, 8, 1), nn.Hardsigmoid(), nn.Dropout2d(0.2)
    )
    go(m, R(2, 4, 8, 8))


@prog
def ev_unet_changing_image():
    down, mid, up = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 1, 1), nn.ConvTranspose2d(8, 4, 4, 2, 1)

    def f(x):
        d = F.relu(down(x))
        u = up(F.relu(mid(d)))
        return torch.cat([u, F.interpolate(d, size=x.shape[-2:], mode="bilinear", align_corners=False)], 1)

    twice(f, (R(1, 3, 16, 16),), (R(1, 3, 24, 20),))


@prog
def ev_feature_pyramid_changing_image():
    lateral, smooth = nn.Conv2d(8, 4, 1), nn.Conv2d(4, 4, 3, padding=1)

    def f(a, b):
        return smooth(lateral(a) + F.interpolate(lateral(b), size=a.shape[-2:], mode="nearest"))

    twice(f, (R(1, 8, 8, 8), R(1, 8, 4, 4)), (R(1, 8, 14, 10), R(1, 8, 7, 5)))


@prog
def ev_bicubic_and_antialias():
    def f(x):
        a = F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=True)
        b = F.interpolate(x, size=(5, 5), mode="bilinear", antialias=True)
        return a.mean() + b.mean()

    go(f, R(1, 2, 8, 8))


@prog
def ev_max_unpool_autoencoder():
    pool, unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)

    def f(x):
        y, where = pool(x)
        return unpool(y.tanh(), where)

    go(f, R(1, 2, 8, 8))


@prog
def ev_adaptive_pools_3d():
    def f(x):
        return F.adaptive_max_pool3d(x, 2).sum() + F.adaptive_avg_pool3d(x, (1, 2, 2)).sum()

    go(f, R(1, 2, 4, 6, 6))


@prog
def ev_fractional_and_lp_pools():
    def f(x):
        return F.lp_pool2d(x, 2, 2), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)

    go(f, R(1, 2, 9, 9))


@prog
def ev_affine_grid_rotation():
    def f(x, t):
        theta = torch.stack(
            [torch.stack([t.cos(), -t.sin(), 0 * t], -1), torch.stack([t.sin(), t.cos(), 0 * t], -1)], 1
        )
        return F.grid_sample(
            x, F.affine_grid(theta, x.shape, align_corners=False), align_corners=False, padding_mode="border"
        )

    go(f, R(2, 3, 6, 6), R(2))


@prog
def ev_patch_embedding_dropped_tokens():
    embed = nn.Conv2d(3, 16, 4, 4)

    def f(x):
        t = embed(x).flatten(2).transpose(1, 2)
        order = torch.rand(t.shape[0], t.shape[1]).argsort(1)
        keep = order[:, : t.shape[1] // 2]
        return torch.gather(t, 1, keep[..., None].expand(-1, -1, t.shape[2]))

    twice(f, (R(2, 3, 16, 16),), (R(3, 3, 16, 16),))


@prog
def ev_nms_like_mask():
    def f(boxes, scores):
        area = (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)
        lt, rb = torch.maximum(boxes[:, None, :2], boxes[None, :, :2]), torch.minimum(
            boxes[:, None, 2:], boxes[None, :, 2:]
        )
        inter = (rb - lt).clamp(min=0).prod(-1)
        iou = inter / (area[:, None] + area[None] - inter)
        order = scores.argsort(descending=True)
        return (iou[order][:, order].triu(1) < 0.5).all(0).float() * scores[order]

    twice(f, (R(6, 4), R(6)), (R(9, 4), R(9)))


@prog
def ev_conv3d_and_transposed_3d():
    m = nn.Sequential(
        nn.Conv3d(1, 4, 3, stride=2, padding=1), nn.InstanceNorm3d(4, affine=True), nn.ConvTranspose3d(4, 1, 2, 2)
    )
    go(m, R(1, 1, 8, 8, 8))


@prog
def ev_channels_last_resnet_step():
    m = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3)
    ).to(memory_format=torch.channels_last)
    go(m, R(2, 3, 12, 12).to(memory_format=torch.channels_last))


# ---- language


@prog
def ev_decoder_block_dynamic_length():
    norm, qkv, out = nn.RMSNorm(16), nn.Linear(16, 48), nn.Linear(16, 16)

    def f(x):
        b, s, _ = x.shape
        q, k, v = qkv(norm(x)).view(b, s, 3, 4, 4).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + out(y.transpose(1, 2).reshape(b, s, 16))

    twice(f, (R(2, 5, 16),), (R(2, 9, 16),))


@prog
def ev_flex_attention_causal():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 128, 128, device="cpu")
    f = lambda q, k, v: flex_attention(q, k, v, block_mask=mask)
    with torch.no_grad():
        go(f, *(torch.randn(1, 2, 128, 16) for _ in range(3)))


@prog
def ev_multihead_module_need_weights():
    m = nn.MultiheadAttention(16, 4, dropout=0.1, batch_first=True)
    go(lambda x: m(x, x, x, need_weights=True), R(2, 5, 16))


@prog
def ev_transformer_module_whole():
    m = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
    go(m, R(2, 5, 16), R(2, 4, 16))


@prog
def ev_encoder_fast_path_inference():
    m = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2).eval()
    with torch.no_grad():
        C(m)(torch.randn(2, 5, 16))


@prog
def ev_lstm_language_model():
    embed, lstm, head = nn.Embedding(20, 8), nn.LSTM(8, 12, 2, dropout=0.2, batch_first=True), nn.Linear(12, 20)

    def f(x):
        h, _ = lstm(embed(x))
        return F.cross_entropy(head(h).flatten(0, 1), x.flatten())

    go(f, torch.randint(0, 20, (2, 6)))


@prog
def ev_gru_bidirectional_dynamic():
    m = nn.GRU(4, 6, bidirectional=True)
    twice(lambda x: m(x)[0], (R(5, 2, 4),), (R(5, 3, 4),))


@prog
def ev_label_smoothing_and_ignored():
    def f(x, y):
        return F.cross_entropy(x, y, ignore_index=-100, label_smoothing=0.1, weight=torch.ones(7))

    y = torch.randint(0, 7, (6,))
    y[2] = -100
    go(f, R(6, 7), y)


@prog
def ev_sampling_step_top_k_top_p():
    def f(logits):
        values, where = torch.topk(logits / 0.7, 5)
        p = values.softmax(-1)
        p = torch.where(p.cumsum(-1) - p > 0.9, 0.0, p)
        return where.gather(-1, torch.multinomial(p, 1))

    with torch.no_grad():
        C(f)(torch.randn(3, 20))


@prog
def ev_static_cache_decode():
    k = torch.zeros(1, 2, 8, 4)

    def f(q, new, position):
        k.index_copy_(2, position, new)
        return F.scaled_dot_product_attention(q, k, k, attn_mask=(torch.arange(8) <= position)[None])

    with torch.no_grad():
        c = C(f)
        for i in range(2):
            c(torch.randn(1, 2, 1, 4), torch.randn(1, 2, 1, 4), torch.tensor([i]))


@prog
def ev_bag_of_words_offsets():
    bag, head = nn.EmbeddingBag(20, 8, mode="mean"), nn.Linear(8, 2)
    go(lambda x, o: head(bag(x, o)), torch.randint(0, 20, (10,)), torch.tensor([0, 4, 7]))


@prog
def ev_low_rank_adapter_half():
    base, a, b = nn.Linear(8, 8).requires_grad_(False), nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)
    m = nn.ModuleList([base, a, b]).bfloat16()
    go(lambda x: m[0](x) + 2.0 * m[2](m[1](F.dropout(x, 0.1))), R(3, 8, dtype=torch.bfloat16))


@prog
def ev_mixture_top_two_dynamic():
    gate, experts = nn.Linear(8, 3), nn.Parameter(torch.randn(3, 8, 8))

    def f(x):
        w, i = gate(x).softmax(-1).topk(2)
        w = w / w.sum(-1, keepdim=True)
        y = torch.einsum("td,edf->tef", x, experts)
        return (torch.gather(y, 1, i[..., None].expand(-1, -1, 8)) * w[..., None]).sum(1)

    twice(f, (R(5, 8),), (R(9, 8),))


# ---- losses


@prog
def ev_losses_of_regression_reductions():
    def f(x, y):
        return (
            F.mse_loss(x, y),
            F.l1_loss(x, y, reduction="sum"),
            F.smooth_l1_loss(x, y, beta=0.5),
            F.huber_loss(x, y, delta=0.7),
            F.gaussian_nll_loss(x, y, y.abs() + 0.1),
            F.poisson_nll_loss(x, y.abs()),
        )

    go(f, R(4, 3), torch.randn(4, 3))


@prog
def ev_losses_of_pairs():
    def f(a, b, c):
        t = torch.tensor([1.0, -1, 1, -1])
        return (
            F.cosine_embedding_loss(a, b, t),
            F.triplet_margin_loss(a, b, c),
            F.margin_ranking_loss(a[:, 0], b[:, 0], t),
            F.hinge_embedding_loss(a[:, 0], t),
            F.soft_margin_loss(a[:, 0], t),
        )

    go(f, R(4, 3), R(4, 3), R(4, 3))


@prog
def ev_losses_of_logits():
    def f(x, y):
        return (
            F.binary_cross_entropy_with_logits(x, y, pos_weight=torch.ones(3) * 2),
            F.multilabel_soft_margin_loss(x, y),
            F.kl_div(x.log_softmax(1), y.softmax(1), reduction="batchmean"),
            F.binary_cross_entropy(x.sigmoid(), y),
        )

    go(f, R(4, 3), torch.randint(0, 2, (4, 3)).float())


@prog
def ev_contrastive_two_views_dynamic():
    def f(a, b):
        z = F.normalize(torch.cat([a, b]), dim=1)
        s = z @ z.T / 0.1
        s = s.masked_fill(torch.eye(s.shape[0], dtype=torch.bool), float("-inf"))
        n = a.shape[0]
        return F.cross_entropy(s, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))

    twice(f, (R(3, 4), R(3, 4)), (R(5, 4), R(5, 4)))


@prog
def ev_connectionist_changing_batch():
    def f(x, y):
        n = x.shape[1]
        return F.ctc_loss(x.log_softmax(-1), y, torch.full((n,), 8), torch.full((n,), 3))

    go(f, R(8, 2, 5), torch.randint(1, 5, (2, 3)))


@prog
def ev_focal_and_dice():
    def f(x, y):
        p = x.sigmoid()
        ce = F.binary_cross_entropy_with_logits(x, y, reduction="none")
        pt = p * y + (1 - p) * (1 - y)
        dice = 1 - (2 * (p * y).sum((1, 2)) + 1) / (p.sum((1, 2)) + y.sum((1, 2)) + 1)
        return (0.25 * (1 - pt) ** 2 * ce).mean() + dice.mean()

    twice(f, (R(2, 4, 4), torch.rand(2, 4, 4).round()), (R(3, 4, 4), torch.rand(3, 4, 4).round()))


# ---- optimizers


def optimizer(name, make):
    P[name] = lambda: (lambda m: optimizer_steps(m, make(m.parameters()), torch.randn(3, 4)))(linear_layers(4, 5, 2))


optimizer("ev_optimizer_adam", lambda p: torch.optim.Adam(p, 1e-3, weight_decay=0.1))
optimizer("ev_optimizer_adamw_fused_off", lambda p: torch.optim.AdamW(p, 1e-3, foreach=False, amsgrad=True))
optimizer("ev_optimizer_adamw_tensor_lr", lambda p: torch.optim.AdamW(p, torch.tensor(1e-3), foreach=False))
optimizer("ev_optimizer_sgd_momentum_nesterov", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True))
optimizer("ev_optimizer_rmsprop_momentum", lambda p: torch.optim.RMSprop(p, 0.1, momentum=0.9, centered=True))
optimizer("ev_optimizer_adagrad_decay", lambda p: torch.optim.Adagrad(p, 0.1, lr_decay=0.1))
optimizer("ev_optimizer_adadelta", lambda p: torch.optim.Adadelta(p))
optimizer("ev_optimizer_adamax", lambda p: torch.optim.Adamax(p))
optimizer("ev_optimizer_nadam", lambda p: torch.optim.NAdam(p))
optimizer("ev_optimizer_radam", lambda p: torch.optim.RAdam(p))
optimizer("ev_optimizer_rprop", lambda p: torch.optim.Rprop(p))
optimizer("ev_optimizer_asgd", lambda p: torch.optim.ASGD(p))
optimizer("ev_optimizer_adafactor", lambda p: torch.optim.Adafactor(p))


@prog
def ev_optimizer_muon():
    m = nn.Sequential(nn.Linear(4, 5, bias=False), nn.Linear(5, 2, bias=False))
    optimizer_steps(m, torch.optim.Muon(m.parameters()), torch.randn(3, 4))


@prog
def ev_whole_step_clip_and_schedule():
    m = linear_layers(4, 8, 2)
    opt = torch.optim.SGD(m.parameters(), 0.1)

    @C
    def clip():
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)

    m(torch.randn(3, 4)).sum().backward()
    clip()
    opt.step()


@prog
def ev_moving_average_of_weights():
    a, b = linear_layers(4, 4), linear_layers(4, 4)

    @C
    @torch.no_grad()
    def f():
        for p, q in zip(a.parameters(), b.parameters()):
            q.lerp_(p, 0.1)

    f()


# ---- function transforms


@prog
def ev_per_sample_gradients():
    m = linear_layers(4, 5, 2)
    p = dict(m.named_parameters())
    loss = lambda p, x, y: F.cross_entropy(functional_call(m, p, (x[None],)), y[None])
    with torch.no_grad():
        C(lambda x, y: vmap(grad(loss), (None, 0, 0))(p, x, y))(torch.randn(3, 4), torch.tensor([0, 1, 1]))


@prog
def ev_jacobians_both_ways():
    w = torch.randn(3, 3)
    f = lambda x: torch.tanh(w @ x)
    C(lambda x: (jacrev(f)(x), jacfwd(f)(x)))(torch.randn(3))


@prog
def ev_hessian_of_mlp():
    w = torch.randn(3, 3)
    C(hessian(lambda x: (w @ x).sin().sum()))(torch.randn(3))


@prog
def ev_vector_products():
    f = lambda x: (x.sin() * x).sum()
    C(lambda x, v: (vjp(f, x)[1](torch.ones(())), jvp(f, (x,), (v,))))(torch.randn(4), torch.randn(4))


@prog
def ev_ensemble_by_vmap():
    w, b = R(3, 4, 2), R(3, 2)
    go(lambda x: vmap(lambda w, b: torch.relu(x @ w + b))(w, b), R(5, 4))


@prog
def ev_physics_informed_residual():
    m = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def f(x):
        u = lambda t: m(t[None])[0, 0] if t.dim() else m(t[None, None])[0, 0]
        d = vmap(grad(u))(x[:, 0])
        return (d + x[:, 0]).square().mean()

    go(f, torch.randn(5, 1))


@prog
def ev_gradient_penalty():
    m = linear_layers(3, 6, 1)

    def f(x):
        (g,) = torch.autograd.grad(m(x).sum(), x, create_graph=True)
        return (g.norm(dim=1) - 1).square().mean()

    C(f)(R(4, 3))


# ---- control flow


@prog
def ev_cond_of_sum():
    go(lambda x: torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos() * 2, (x,)), R(4))


@prog
def ev_while_doubles():
    with torch.no_grad():
        C(lambda x: while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x)))(torch.randn(3))


@prog
def ev_scan_running_state():
    go(lambda x: scan(lambda c, x: (c * 0.9 + x, (c * 0.9 + x).clone()), torch.zeros(4), x, dim=0), R(5, 4))


@prog
def ev_associative_scan_sum():
    with torch.no_grad():
        C(lambda x: associative_scan(lambda a, b: a + b, x, dim=0, combine_mode="generic"))(torch.randn(4, 3))


@prog
def ev_map_over_rows():
    from torch._higher_order_ops import map as hop_map

    with torch.no_grad():
        C(lambda x, y: hop_map(lambda r, y: r * y + 1, x, y))(torch.randn(3, 4), torch.randn(4))


@prog
def ev_selective_checkpoint_twice():
    a, b = linear_layers(4, 8, 4), linear_layers(4, 8, 4)
    go(lambda x: checkpoint(b, checkpoint(a, x, use_reentrant=False), use_reentrant=False), R(3, 4))


@prog
def ev_printing_and_graph_break():
    m = linear_layers(4, 4)

    def f(x):
        y = m(x)
        print(end="")
        return y.relu() * y.sum().item()

    go(f, R(2, 4))


# ---- linear algebra and numbers


@prog
def ev_least_squares_and_solve():
    go(
        lambda a, b: (torch.linalg.solve(a @ a.T + torch.eye(4), b), torch.linalg.inv(a @ a.T + torch.eye(4))),
        R(4, 4),
        R(4, 2),
    )


@prog
def ev_solved_without_gradients():
    with torch.no_grad():
        C(lambda a, b: (torch.linalg.solve(a, b), torch.linalg.inv(a) * 2, a + 1))(torch.randn(3, 3), torch.randn(3, 2))


@prog
def ev_cholesky_gaussian():
    def f(a, y):
        l = torch.linalg.cholesky(a @ a.T + torch.eye(4))
        z = torch.linalg.solve_triangular(l, y, upper=False)
        return 0.5 * z.square().sum() + l.diagonal().log().sum()

    go(f, R(4, 4), R(4, 1))


@prog
def ev_decompositions_svd_qr():
    go(
        lambda a: (
            torch.linalg.svdvals(a).sum(),
            torch.linalg.qr(a)[1].abs().sum(),
            torch.linalg.det(a[:3]),
            torch.linalg.slogdet(a[:3])[1],
        ),
        R(4, 3),
    )


@prog
def ev_norms_of_all_kinds():
    go(
        lambda a: (
            a.norm(),
            a.norm(1, 0),
            torch.linalg.matrix_norm(a),
            torch.linalg.vector_norm(a, 3),
            torch.linalg.matrix_norm(a, "nuc"),
            a.norm(p=float("inf")),
        ),
        R(4, 3),
    )


@prog
def ev_matrix_powers_and_exponential():
    go(lambda a: torch.matrix_exp(a * 0.1) + torch.linalg.matrix_power(a, 3) + torch.linalg.pinv(a), R(3, 3))


@prog
def ev_fourier_layer_dynamic():
    w = nn.Parameter(torch.randn(4, 4, 5, dtype=torch.cfloat))

    def f(x):
        h = torch.fft.rfft(x)
        h = torch.cat(
            [
                torch.einsum("bix,iox->box", h[..., :5], w),
                torch.zeros(x.shape[0], 4, h.shape[-1] - 5, dtype=torch.cfloat),
            ],
            -1,
        )
        return torch.fft.irfft(h, n=x.shape[-1])

    twice(f, (R(2, 4, 16),), (R(3, 4, 16),))


@prog
def ev_spectrogram_and_back():
    window = torch.hann_window(16)

    def f(x):
        s = torch.stft(x, 16, 4, window=window, return_complex=True)
        return s.abs().log1p().mean() + torch.istft(s, 16, 4, window=window).sum()

    go(f, R(2, 64))


@prog
def ev_distributions_and_kl():
    def f(m, s):
        q, p = D.Normal(m, s.exp(), validate_args=False), D.Normal(torch.zeros(4), torch.ones(4), validate_args=False)
        z = q.rsample()
        return D.kl_divergence(q, p).sum() - D.Bernoulli(logits=z, validate_args=False).log_prob(torch.ones(4)).sum()

    go(f, R(4), R(4))


@prog
def ev_categorical_policy_gradient():
    m = linear_layers(4, 8, 3)

    def f(x, r):
        d = D.Categorical(logits=m(x), validate_args=False)
        a = d.sample()
        return -(d.log_prob(a) * r).mean() - 0.01 * d.entropy().mean()

    go(f, torch.randn(5, 4), torch.randn(5))


@prog
def ev_beta_and_gamma_samples():
    go(
        lambda a: D.Gamma(a.exp(), a.exp(), validate_args=False).rsample().sum()
        + D.Beta(a.exp(), a.exp(), validate_args=False).log_prob(torch.full((3,), 0.4)).sum(),
        R(3),
    )


@prog
def ev_random_numbers_like_inputs():
    def f(x):
        return x * torch.rand_like(x) + torch.randn_like(x) + torch.bernoulli(x.sigmoid()) + torch.randint_like(x, 4)

    go(f, R(3, 4))


@prog
def ev_rounding_and_remainders():
    go(
        lambda x: (
            x.round(),
            x.round(decimals=2),
            x.round(decimals=0),
            x.trunc(),
            x.frac(),
            x % 1.5,
            torch.fmod(x, 2),
            x.detach() // 0.7,
        ),
        R(5),
    )


@prog
def ev_integer_arithmetic():
    C(lambda a, b: (a // b, a % b, a << 1, a & b, ~a, a**2, torch.gcd(a, b), a.float() / b))(
        torch.randint(1, 9, (5,)), torch.randint(1, 9, (5,))
    )


@prog
def ev_where_and_masks_dynamic():
    def f(x, m):
        y = torch.where(m, x, -x)
        y = y.masked_fill(~m, 0.5)
        return y[m.any(1)].sum() + y.nan_to_num().clamp(-1, 1).sum()

    twice(f, (R(3, 4), torch.rand(3, 4) > 0.3), (R(5, 4), torch.rand(5, 4) > 0.3))


@prog
def ev_sorting_and_quantiles():
    go(
        lambda x: (
            x.sort(1)[0],
            x.median(),
            x.quantile(0.3),
            x.kthvalue(2)[0],
            x.mode()[0],
            x.msort(),
            x.cummax(0)[0],
            x.logcumsumexp(1),
        ),
        R(4, 5),
    )


@prog
def ev_statistics():
    go(
        lambda x: (
            x.std(),
            x.var(0),
            torch.std_mean(x, 1),
            torch.cov(x),
            torch.corrcoef(x),
            x.softmax(1).log().sum(),
            x.logsumexp(0),
        ),
        R(4, 5),
    )


@prog
def ev_histogram_and_unique():
    C(
        lambda x: (
            torch.histc(x, 5),
            torch.bincount(x.abs().long(), minlength=8),
            torch.bucketize(x, torch.tensor([0.0, 1])),
            torch.unique(x.round(), return_counts=True),
        )
    )(torch.randn(10))


# ---- PyTorch's own features


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return x * x * scale

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g * ctx.scale, None


@prog
def ev_custom_function_changing():
    twice(lambda x: Square.apply(x, 3.0).sum(), (R(3, 4),), (R(5, 4),))


@prog
def ev_parametrized_weights():
    m = nn.Sequential(parametrizations.weight_norm(nn.Linear(4, 4)), parametrizations.spectral_norm(nn.Linear(4, 4)))
    go(m, R(3, 4))


@prog
def ev_orthogonal_weight():
    go(parametrizations.orthogonal(nn.Linear(4, 4)), R(3, 4))


@prog
def ev_autocast_bfloat16_conv_and_norm():
    m = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return m(x)

    go(f, R(2, 3, 8, 8))


@prog
def ev_tensor_hook_scales_gradient():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 0.5)
        return y.sin()

    go(f, R(3))


@prog
def ev_module_hooks():
    m = linear_layers(4, 4)
    m.register_forward_hook(lambda m, i, o: o * 2)
    m.register_forward_pre_hook(lambda m, i: (i[0] + 1,))
    go(m, R(2, 4))


@prog
def ev_saved_tensors_on_cpu():
    def f(x):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.to(torch.float16), lambda t: t.to(torch.float32)):
            return x.sin() * x

    go(f, R(3))


@prog
def ev_inputs_mutated_and_viewed():
    def f(x, buffer):
        buffer.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
        y = x.view(-1)
        return y * 2, x.t(), buffer[:2]

    go(f, R(3, 4) * 1, torch.zeros(4))


@prog
def ev_outputs_in_dict_with_none():
    go(lambda x: {"a": x.sin(), "b": None, "c": [x * 2, x.detach()], "n": 3}, R(3))


@prog
def ev_bare_numbers_and_constants():
    table = torch.tensor([1.0, 2, 3])
    go(lambda x, k: x * table + k + torch.tensor(2.0) + torch.arange(3) + math.pi, R(3), 2.5)


@prog
def ev_integer_argument_changes():
    c = C(lambda x, n: x.roll(n, 0) * n + x[: n % 3].sum())
    for n in (2, 4, 5):
        back(c(R(6), n))


@prog
def ev_dynamic_from_start_losses():
    m = linear_layers(4, 8, 3)
    c = C(lambda x, y: F.nll_loss(m(x).log_softmax(-1), y, reduction="sum") / x.shape[0], dynamic=True)
    for n in (3, 5):
        back(c(R(n, 4), torch.randint(0, 3, (n,))))


@prog
def ev_marked_dynamic_conv1d():
    m = nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.BatchNorm1d(4), nn.ReLU(), nn.AvgPool1d(2))
    x = torch.randn(2, 2, 16)
    mark_dynamic(x, 2)
    mark_dynamic(x, 0)
    back(C(m)(x))


@prog
def ev_padding_to_longest():
    def f(a, b):
        n = max(a.shape[0], b.shape[0])
        return torch.stack([F.pad(a, (0, 0, 0, n - a.shape[0])), F.pad(b, (0, 0, n - b.shape[0], 0))])

    twice(f, (R(3, 4), R(5, 4)), (R(4, 4), R(7, 4)))


@prog
def ev_padded_sequences():
    go(lambda *x: nn.utils.rnn.pad_sequence(list(x), batch_first=True, padding_value=-1.0), R(3, 2), R(5, 2), R(2, 2))


@prog
def ev_padded_sequences_left():
    go(lambda *x: nn.utils.rnn.pad_sequence(list(x), padding_side="left"), R(3, 2), R(5, 2))


@prog
def ev_item_controls_slice():
    go(lambda x, n: x[: n.item()].sum(), R(6), torch.tensor(3))


@prog
def ev_nonzero_rows_mean():
    go(lambda x, m: x[m].mean(0) * x[m].shape[0], R(6, 3), torch.tensor([1, 0, 1, 1, 0, 1]).bool())


@prog
def ev_repeat_interleave_expand():
    go(
        lambda x, n: torch.repeat_interleave(x, n, dim=0).sum(0) + x.repeat(2, 1).sum(0),
        R(3, 4),
        torch.tensor([1, 3, 2]),
    )


@prog
def ev_tensor_subscripts():
    def f(x, i):
        y = x.clone()
        y[i] = 1.0
        y[:, ::2] *= 2
        y[..., -1] = x[..., 0]
        y[x > 0] = 0
        return y, x[i, None, ..., 1:], x[:, [0, 2]]

    go(f, R(4, 5), torch.tensor([0, 2]))


@prog
def ev_einsum_and_tensordot():
    go(
        lambda a, b: (
            torch.einsum("bij,bjk->bik", a, b),
            torch.einsum("bij,bjk->", a, b),
            torch.tensordot(a, b, dims=([2], [1])),
            torch.einsum("bii->b", a),
        ),
        R(2, 3, 3),
        R(2, 3, 3),
    )


@prog
def ev_bilinear_and_cosine():
    m = nn.Bilinear(3, 4, 2)
    go(
        lambda a, b: (
            m(a, b),
            F.cosine_similarity(a, b[:, :3]),
            F.pairwise_distance(a, b[:, :3]),
            torch.cdist(a, b[:, :3]),
        ),
        R(5, 3),
        R(5, 4),
    )


@prog
def ev_activations_everyone_uses():
    go(
        lambda x: sum(
            f(x)
            for f in (
                F.mish,
                F.silu,
                F.elu,
                F.selu,
                F.celu,
                F.softplus,
                F.softsign,
                F.tanhshrink,
                F.hardtanh,
                F.relu6,
                F.logsigmoid,
                F.gelu,
            )
        )
        + F.gelu(x, approximate="tanh")
        + F.glu(torch.cat([x, x], -1))
        + F.prelu(x, torch.tensor([0.2]))
        + F.threshold(x, 0.1, 0.2),
        R(3, 4),
    )


@prog
def ev_quantized_weights_by_hand():
    w, s = torch.randint(-8, 8, (4, 4), dtype=torch.int8), torch.rand(4, 1)
    go(lambda x: F.linear(x, w.to(x.dtype) * s), R(3, 4))


@prog
def ev_fake_quantize_training():
    go(lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127).sin(), R(3, 4))


@prog
def ev_nested_modules_with_buffers():
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(4))
            self.register_buffer("count", torch.tensor(0))

        def forward(self, x):
            if self.training:
                self.count += 1
                self.mean.lerp_(x.detach().mean(0), 1 / self.count)
            return x - self.mean

    go(nn.Sequential(Norm(), nn.Linear(4, 4), Norm()), R(3, 4))


# ---- for Inductor's decompositions


@prog
def ev_pooled_volumes():
    go(
        lambda x: F.adaptive_max_pool3d(x, 1, return_indices=True)[0] + F.adaptive_max_pool3d(x, (2, 2, 3)).sum(),
        R(1, 2, 4, 4, 6),
    )


@prog
def ev_images_channels_last_resized():
    def f(x):
        y, where = F.max_pool2d(x, 2, return_indices=True)
        return F.max_unpool2d(y, where, 2), F.interpolate(x, scale_factor=2, mode="bicubic")

    with torch.no_grad():
        go(f, torch.randn(1, 3, 6, 6).to(memory_format=torch.channels_last))


@prog
def ev_weight_norm_in_half():
    m = torch.nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)).bfloat16()
    go(m, R(3, 4, dtype=torch.bfloat16))


@prog
def ev_dropout_of_complex_values():
    go(lambda x: F.dropout(torch.complex(x, x * 2), 0.3).abs(), R(3, 4))


@prog
def ev_softmax_of_selected_rows():
    go(lambda x, m: x[m].softmax(0).sum() + x[m].log_softmax(0).mean(), R(5, 3), torch.tensor([1, 0, 1, 1, 0]).bool())


@prog
def ev_added_at_one_place():
    go(lambda x, y: x.index_add(0, torch.tensor(2), y), R(4, 3), R(1, 3))


@prog
def ev_fourier_over_time():
    def f(x):
        a = torch.fft.irfft(torch.fft.rfft(x, dim=1) * 0.5, n=x.shape[1], dim=1)
        b = torch.fft.fftn(x, dim=(2, 0)).abs() + torch.fft.rfft2(x, dim=(2, 1)).abs().sum()
        return a + b, torch.fft.fft(x.transpose(0, 2), dim=1).real

    go(f, R(4, 7, 3))


@prog
def ev_norm_of_groups_transposed():
    m = nn.GroupNorm(2, 4)
    go(
        lambda x: (
            m(x.transpose(1, 2)),
            F.group_norm(x.transpose(1, 2), 2),
            F.group_norm(x.transpose(0, 1)[..., None], 1),
        ),
        R(2, 6, 4),
    )
