"""Outputs that alias inputs or each other: where PyTorch's wrappers make them again as the program says, where as another
part of the memory, and where they fail. Each function is called once on what `arguments` gives for it."""

import torch

PROGRAMS = {}


def program(arguments):
    def add(function):
        PROGRAMS[function.__name__] = (function, arguments)
        return function

    return add


def numbers(*shape, grad=False):
    count = torch.Size(shape).numel()
    return (torch.arange(1.0, count + 1) / count).view(shape).requires_grad_(grad)


def buffer_and_window():
    """A buffer and its last rows: autograd knows the buffer as their base."""
    buffer = numbers(4, 2).clone()
    return buffer, buffer[2:]


def buffer_and_window_with_gradient():
    buffer = numbers(4, 2, grad=True) * 1
    return buffer, buffer[2:]


def two_windows():
    """Views of one tensor that is no argument."""
    whole = numbers(6, 2).clone()
    return whole[1:5], whole[3:]


@program(buffer_and_window)
def wm_row_of_window(buffer, window):
    buffer.mul_(2)
    return window[0]


@program(buffer_and_window_with_gradient)
def wm_row_of_window_with_gradient(buffer, window):
    buffer.mul_(2)
    return window[0]


@program(buffer_and_window)
def wm_window_transposed(buffer, window):
    buffer.mul_(2)
    return window.t()


@program(buffer_and_window)
def wm_window_flat(buffer, window):
    buffer.mul_(2)
    return window.view(-1)


@program(buffer_and_window)
def wm_row_of_buffer(buffer, window):
    window.mul_(2)
    return buffer[0]


@program(buffer_and_window)
def wm_no_alias_returned(buffer, window):
    buffer.mul_(2)
    return window + 1


@program(buffer_and_window)
def wm_row_and_sum(buffer, window):
    window.mul_(2)
    return window[1], buffer.sum(0)


@program(two_windows)
def wm_column_of_two_windows(a, b):
    a.add_(1)
    return b[:, 0]


@program(two_windows)
def wm_slice_of_two_windows(a, b):
    b.add_(1)
    return a[1:3]


@program(lambda: (numbers(3, 3, grad=True),))
def wm_transposed_and_detached(x):
    y = (x * 2).t()
    return y, y.detach()


@program(lambda: (numbers(4, 2, grad=True),))
def wm_slice_and_detached(x):
    y = (x * 2)[1:]
    return y, y.detach()


@program(lambda: (numbers(4, 2, grad=True),))
def wm_whole_and_detached(x):
    y = x * 2
    return y, y.detach()


@program(lambda: (numbers(4, 2, grad=True),))
def wm_views_of_intermediate(x):
    y = x * 2
    return y[1:], y.t(), y.view(-1)


@program(lambda: (numbers(4, 4, grad=True),))
def wm_halves_of_intermediate(x):
    a, b = (x * 2).chunk(2)
    return a, b, a.t()


@program(lambda: (numbers(4, 4)[1:],))
def wm_written_and_viewed(x):
    x.mul_(2)
    return x[0], x.t()


@program(lambda: (numbers(4, 4)[1:],))
def wm_view_of_part(x):
    return x.view(-1)[2:], x + 1
