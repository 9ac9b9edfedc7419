"""`addcmul_` and `addcdiv_` with a `value`, `add` with a tensor as `alpha`: Dynamo of torch 2.15 writes them as
`torch.ops.prims.fma`, which has a derivative. Zeros as derivatives of forward mode, which have no memory."""

from common import *


@prog
def dp_addcmul():
    def f(x, a, b):
        y = x.clone()
        y.addcmul_(a, b, value=0.5)
        return y.sin()

    C(f)(R(3, 4), R(3, 4), R(4)).sum().backward()


@prog
def dp_addcdiv():
    def f(x, a, b):
        y = x * 1
        y.addcdiv_(a, b, value=-2)
        return y

    C(f)(R(3, 4), R(3, 1), R(4)).sum().backward()


@prog
def dp_addcmul_changing_sizes():
    def f(x, a, b):
        y = x.clone()
        y.addcmul_(a, b, value=3.0)
        return y

    C(f, dynamic=True)(R(5, 4), R(5, 1), R(4)).sum().backward()


@prog
def dp_product_alone():
    def f(x, a, b):
        y = x.clone()
        y.addcmul_(a, b, value=0.25)
        return y.cos()

    C(f)(torch.randn(3, 4), R(3, 4), torch.randn(4)).sum().backward()


@prog
def dp_sum_alone():
    def f(x, a, b):
        y = x.clone()
        y.addcmul_(a, b, value=0.25)
        return y * a

    C(f)(R(3, 4), torch.randn(3, 4), torch.randn(4)).sum().backward()


@prog
def dp_called_by_name():
    import torch._inductor.inductor_prims

    C(lambda a, b, c: torch.ops.prims.fma(a, b, c).relu())(R(3, 4), R(3, 4), R(3, 4)).sum().backward()


@prog
def dp_called_with_broadcasting():
    import torch._inductor.inductor_prims

    C(lambda a, b, c: torch.ops.prims.fma(a, b, c))(R(3, 4), R(4), R(3, 1)).sum().backward()


@prog
def dp_adam_step():
    def f(p, g, m, v):
        m.lerp_(g, 0.1)
        v.mul_(0.9).addcmul_(g, g, value=0.1)
        return p.clone().addcdiv_(m, v.sqrt().add(1e-3), value=-0.01)

    with torch.no_grad():
        C(f)(torch.randn(6), torch.randn(6), torch.randn(6), torch.rand(6))
