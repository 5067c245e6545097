"""The windows at the top of torch, for short-time spectra: periodic unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.creation.options import allocate, finish_into, integer, number, numpy_dtype
from rushlight.core.creation.ranges import refuse_kind
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import Samples, case, cases
from rushlight.ops.windows import shapes


def samples(*options: tuple) -> Samples:
    """Windows of all kinds of length, then one for each choice of further arguments."""
    usual = [
        case(6),
        case(7, False),
        case(5, periodic=False, dtype=dtypes.float64),
        case(5, dtype=dtypes.float16),
        case(0),
        case(1),
        case(2),
        case(-1),
        case(5.5),
        case(5, dtype=dtypes.int64),
        case(5, dtype=dtypes.complex64),
    ]
    return cases(lambda make: [*usual, *[case(9, *each) for each in options]])


@composed(method=False, samples=samples())
def bartlett_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """A triangle from 0 up to 1 and down again.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    found = window("bartlett_window", window_length, periodic, dtype, shapes.triangle)
    return finish_into(found, None, dtype, device, layout, pin_memory, requires_grad)


@composed(method=False, samples=samples())
def blackman_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """Blackman's window: a sum of three cosines.

    >>> torch.blackman_window(4)[1:]
    tensor([0.3400, 1.0000, 0.3400])
    """
    found = window("blackman_window", window_length, periodic, dtype, shapes.cosines, shapes.BLACKMAN, True)
    return finish_into(found, None, dtype, device, layout, pin_memory, requires_grad)


@composed(method=False, samples=samples((True, 0.6), (False, 0.5, 0.4)))
def hamming_window(
    window_length,
    periodic=True,
    alpha=0.54,
    beta=0.46,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """Hamming's window: `alpha` minus a cosine of height `beta`.

    >>> torch.hamming_window(4), torch.hamming_window(5, periodic=False)
    (tensor([0.0800, 0.5400, 1.0000, 0.5400]), tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800]))
    """
    weights = [number(each, "hamming_window", name, 3) for name, each in (("alpha", alpha), ("beta", beta))]
    found = window("hamming_window", window_length, periodic, dtype, shapes.cosines, weights)
    return finish_into(found, None, dtype, device, layout, pin_memory, requires_grad)


@composed(method=False, samples=samples())
def hann_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """Hann's window: 0.5 minus a cosine of height 0.5.

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    found = window("hann_window", window_length, periodic, dtype, shapes.cosines, (0.5, 0.5))
    return finish_into(found, None, dtype, device, layout, pin_memory, requires_grad)


@composed(method=False, samples=samples((True, 3.5), (False, 0.0), (True, -2.0)))
def kaiser_window(
    window_length,
    periodic=True,
    beta=12.0,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """Kaiser's window, the narrower the larger `beta` is.

    >>> torch.kaiser_window(5, periodic=False, beta=4.0)
    tensor([0.0885, 0.6334, 1.0000, 0.6334, 0.0885])
    """
    height = number(beta, "kaiser_window", "beta", 3)
    found = window("kaiser_window", window_length, periodic, dtype, shapes.kaiser, height)
    return finish_into(found, None, dtype, device, layout, pin_memory, requires_grad)


def window(name: str, length: Any, periodic: bool, dtype: Any, shape: Callable, *options: Any) -> np.ndarray:
    """A window's points, checked as torch checks its own."""
    kind = numpy_dtype(dtype)
    if kind not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtypes.from_numpy(kind)}")
    count = integer(length, name, "window_length", 1)
    if count < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={count}")
    refuse_kind("arange_cpu", kind, "c")
    return allocate(lambda size, kind: cast(shape(*size, not periodic, *options), kind), (count,), kind)
