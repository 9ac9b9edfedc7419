"""Programs that leave another grad mode than they found: AOTAutograd notes it in its metadata, and its RuntimeWrapper sets it
after the call."""

from common import *


def called_in(before):
    """Decorator: the program is called in grad mode `before`."""

    def named(make):
        def program():
            f, *args = make()
            with torch.set_grad_enabled(before):
                result = C(f)(*args)
            back(result)

        P[f"gl_{make.__name__}"] = program
        return make

    return named


def weights():
    return R(4, 4), R(4, 4).requires_grad_()


@called_in(True)
def off_at_the_end():
    def f(x, w):
        y = (x @ w).relu()
        torch.set_grad_enabled(False)
        return y

    return f, *weights()


@called_in(True)
def off_between():
    def f(x, w):
        y = (x @ w).relu()
        torch.set_grad_enabled(False)
        return y, y * 2 + w

    return f, *weights()


@called_in(True)
def off_and_writes_an_input():
    def f(x, w):
        y = (x + w).relu()
        torch.set_grad_enabled(False)
        x.mul_(2)
        return y, x[0]

    return f, *weights()


@called_in(True)
def off_at_once():
    def f(x, w):
        torch.set_grad_enabled(False)
        return (x @ w).relu()

    return f, *weights()


@called_in(True)
def off_and_on_again():
    def f(x, w):
        y = (x @ w).relu()
        torch.set_grad_enabled(False)
        z = y.sum()
        torch.set_grad_enabled(True)
        return y * z

    return f, *weights()


@called_in(False)
def on_at_the_end():
    def f(x, w):
        y = (x @ w).relu()
        torch.set_grad_enabled(True)
        return y

    return f, *weights()


@called_in(False)
def on_between():
    def f(x, w):
        y = (x @ w).relu()
        torch.set_grad_enabled(True)
        return y, y * w

    return f, *weights()


@called_in(True)
def off_with_views():
    def f(x, w):
        y = x @ w
        torch.set_grad_enabled(False)
        return y, y.view(-1), w.t(), x.exp()

    return f, *weights()
