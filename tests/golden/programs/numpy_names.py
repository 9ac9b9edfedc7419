"""Functions and methods of NumPy that Dynamo's graph calls by one name: np.round and np.rint, np.sort and ndarray.sort."""

import numpy as np
from common import *


def numpy_program(f):
    """A program on an array that is made from a tensor."""
    P[f.__name__] = lambda: C(lambda x: f(x.numpy()))(torch.arange(12.0).sub(5).div(3).reshape(3, 4))
    return f


@numpy_program
def nn_rint(x):
    return np.rint(x) + 1


@numpy_program
def nn_round(x):
    return np.round(x) + 1


@numpy_program
def nn_round_with_decimals(x):
    return np.round(x, 2), x.round(1)


@numpy_program
def nn_round_and_rint(x):
    return np.rint(x), np.round(x), np.rint(x * 2), x.round()


@numpy_program
def nn_rint_of_integers(x):
    n = x.astype(np.int64)
    return np.rint(n), np.round(n)


@numpy_program
def nn_absolute(x):
    return np.fabs(x), np.abs(x), abs(x), np.absolute(x)


@numpy_program
def nn_sort(x):
    return np.sort(x), np.sort(x, 0)


@numpy_program
def nn_sort_in_place(x):
    y = x.copy()
    y.sort()
    y.sort(axis=0)
    return y


@numpy_program
def nn_sort_of_the_input(x):
    x.sort(0)
    return x + 1


@numpy_program
def nn_sort_that_nothing_needs(x):
    np.sort(x)
    return x + 1
