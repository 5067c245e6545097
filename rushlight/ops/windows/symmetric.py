"""The windows of `torch.signal.windows`, symmetric unless `sym=False`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.creation.options import allocate, finish_into, integer, numpy_dtype
from rushlight.core.memory import layout as layouts
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import Samples, case, cases
from rushlight.ops.windows import shapes


def samples(*options: dict, **required: Any) -> Samples:
    """Windows of all kinds of length, then one for each choice of options."""
    usual = [
        case(6, **required),
        case(7, sym=False, dtype=dtypes.float64, **required),
        case(0, **required),
        case(1, sym=False, **required),
        case(2, **required),
        case(-1, **required),
        case(5, dtype=dtypes.int64, **required),
        case(5, layout=layouts.sparse_coo, **required),
        case(5.5, **required),
    ]
    return cases(lambda make: [*usual, *[case(9, **each) for each in options]])


@composed(name="signal.windows.bartlett", samples=samples())
def bartlett(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """A triangle from 0 up to 1 and down again.

    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return window("bartlett", M, shapes.triangle, (sym,), dtype, layout, device, requires_grad)


@composed(name="signal.windows.blackman", samples=samples())
def blackman(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Blackman's window: a sum of three cosines.

    >>> torch.signal.windows.blackman(5)[1:-1]
    tensor([0.3400, 1.0000, 0.3400])
    """
    return window("blackman", M, shapes.cosines, (sym, shapes.BLACKMAN), dtype, layout, device, requires_grad)


@composed(name="signal.windows.cosine", samples=samples())
def cosine(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Half a period of the sine.

    >>> torch.signal.windows.cosine(5)
    tensor([0.3090, 0.8090, 1.0000, 0.8090, 0.3090])
    """
    return window("cosine", M, shapes.half_sine, (sym,), dtype, layout, device, requires_grad)


@composed(
    name="signal.windows.exponential",
    samples=samples({"tau": 2.5}, {"center": 2, "sym": False}, {"center": 2}, {"tau": 0}),
)
def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """An exponential up to 1 at the center, and another down; `tau` is the distance over which it falls by e.

    >>> torch.signal.windows.exponential(5, tau=1 / math.log(2))
    tensor([0.2500, 0.5000, 1.0000, 0.5000, 0.2500])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError(f"Center must be None for symmetric windows, got {center}: set sym=False")
    return window("exponential", M, shapes.peak, (sym, center, tau), dtype, layout, device, requires_grad)


@composed(name="signal.windows.gaussian", samples=samples({"std": 2.5}, {"std": -1}))
def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The normal density with a standard deviation of `std` points, 1 at its peak.

    >>> torch.signal.windows.gaussian(5, std=1.0)
    tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return window("gaussian", M, shapes.bell, (sym, std), dtype, layout, device, requires_grad)


@composed(name="signal.windows.general_cosine", samples=samples({"a": []}, {"a": 3}, {"a": ["b"]}, a=[0.5, 0.3, 0.2]))
def general_cosine(M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """The alternating sum of cosines of no period, one period, two ... with the weights `a`.

    >>> torch.signal.windows.general_cosine(5, a=[0.5, 0.25, 0.25])
    tensor([0.5000, 0.2500, 1.0000, 0.2500, 0.5000])
    """
    if not isinstance(a, (list, tuple)):
        raise TypeError(f"Coefficients must be a list/tuple: argument 'a' is {type(a).__name__}")
    if not a:
        raise ValueError("Coefficients cannot be empty: give one number or more")
    return window("general_cosine", M, shapes.cosines, (sym, numbers(a)), dtype, layout, device, requires_grad)


@composed(name="signal.windows.general_hamming", samples=samples({"alpha": 0.7}))
def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`alpha` minus a cosine of height `1 - alpha`.

    >>> torch.signal.windows.general_hamming(5, alpha=0.75)
    tensor([0.5000, 0.7500, 1.0000, 0.7500, 0.5000])
    """
    weights = (alpha, 1 - alpha)
    return window("general_cosine", M, shapes.cosines, (sym, weights), dtype, layout, device, requires_grad)


@composed(name="signal.windows.hamming", samples=samples())
def hamming(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hamming's window: 0.54 minus a cosine of height 0.46.

    >>> torch.signal.windows.hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return window("general_cosine", M, shapes.cosines, (sym, (0.54, 0.46)), dtype, layout, device, requires_grad)


@composed(name="signal.windows.hann", samples=samples())
def hann(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Hann's window: 0.5 minus a cosine of height 0.5.

    >>> torch.signal.windows.hann(5), torch.signal.windows.hann(4, sym=False)
    (tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000]), tensor([0.0000, 0.5000, 1.0000, 0.5000]))
    """
    return window("general_cosine", M, shapes.cosines, (sym, (0.5, 0.5)), dtype, layout, device, requires_grad)


@composed(name="signal.windows.kaiser", samples=samples({"beta": 2.5}, {"beta": 0}, {"beta": -1}))
def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Kaiser's window, the narrower the larger `beta` is.

    >>> torch.signal.windows.kaiser(5, beta=0.0), torch.signal.windows.kaiser(5, beta=4.0)
    (tensor([1., 1., 1., 1., 1.]), tensor([0.0885, 0.6334, 1.0000, 0.6334, 0.0885]))
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return window("kaiser", M, shapes.kaiser, (sym, beta), dtype, layout, device, requires_grad)


@composed(name="signal.windows.nuttall", samples=samples())
def nuttall(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """Nuttall's window: a sum of four cosines.

    >>> torch.signal.windows.nuttall(7).round(decimals=2)
    tensor([0.0000, 0.0600, 0.5300, 1.0000, 0.5300, 0.0600, 0.0000])
    """
    return window("general_cosine", M, shapes.cosines, (sym, shapes.NUTTALL), dtype, layout, device, requires_grad)


def window(
    name: str, M: Any, shape: Callable, options: tuple, dtype: Any, layout: Any, device: Any, requires_grad: bool
) -> Tensor:
    """A window of `M` points, checked as torch checks its own."""
    if isinstance(M, float):
        raise TypeError(f"linspace() received an invalid combination of arguments - got a length M of {M} for {name}")
    count = integer(M, name, "M", 1)
    if count < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={count}")
    if layout is not None and layout is not layouts.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    kind = numpy_dtype(dtype)
    if kind.name not in ("float32", "float64"):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtypes.from_numpy(kind)}")
    found = allocate(lambda size, kind: shape(*size, *options).astype(kind), (count,), kind)
    return finish_into(found, None, dtype, device, layout, False, requires_grad)


def numbers(weights: Any) -> np.ndarray:
    """Weights as numbers; a ValueError for what is none."""
    try:
        return np.array(weights, "float64")
    except (TypeError, ValueError) as error:
        kind = type(weights[0]).__name__
        raise ValueError(f"too many dimensions '{kind}': coefficients must be numbers, got {weights}") from error
