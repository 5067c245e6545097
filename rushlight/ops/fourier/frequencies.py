"""Frequencies: those of each value of a spectrum, and spectra with the frequency zero in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.options import finish_into, integer, number, numpy_dtype
from rushlight.core.creation.ranges import counted, refuse_kind
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.ops.fourier.points import along, several
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import OF_ALL_DIMS
from rushlight.ops.shape.rearranging import rolled

frequency_samples = cases(
    lambda make: [
        case(5),
        case(6, 0.1),
        case(1, d=2.5),
        case(4, 0.0),
        case(4, 2, dtype=dtypes.float64),
        case(5, dtype=dtypes.float16),
        case(3, requires_grad=True),
        case(4, dtype=dtypes.int64),
        case(4, dtype=dtypes.complex64),
        case(4.5),
    ]
)


@composed(name="fft.fftfreq", samples=frequency_samples)
def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies of `fft` with `n` points that are `d` apart, in cycles per unit of `d`.

    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    count = points("fftfreq", n)
    places = counted(count)
    places[(count + 1) // 2 :] -= count
    found = per_unit("fftfreq", places, count, d, numpy_dtype(dtype, out))
    return finish_into(found, out, dtype, device, layout, pin_memory, requires_grad)


@composed(name="fft.rfftfreq", samples=frequency_samples)
def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False):
    """The frequencies of `rfft` with `n` points that are `d` apart, in cycles per unit of `d`.

    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    count = points("rfftfreq", n)
    found = per_unit("rfftfreq", counted(count // 2 + 1), count, d, numpy_dtype(dtype, out))
    return finish_into(found, out, dtype, device, layout, pin_memory, requires_grad)


def points(name: str, n: Any) -> int:
    count = integer(n, f"fft_{name}", "n", 1)
    if count < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {count}: [{count}]")
    return count


def per_unit(name: str, places: np.ndarray, count: int, apart: Any, kind: np.dtype) -> np.ndarray:
    """Whole cycles over the whole length, as cycles per unit; rounded as torch rounds."""
    if kind not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(f"{name} requires a floating point or complex dtype, got {dtypes.from_numpy(kind)}")
    refuse_kind("arange_cpu", kind, "c")
    compute = np.dtype("float32") if kind in dtypes.HALF else kind
    with np.errstate(all="ignore"):
        step = np.divide(1.0, count * number(apart, f"fft_{name}", "d", 2))
        return cast(places.astype(compute) * step.astype(compute), kind)


shift_samples = cases(
    lambda make: [
        case(make.floats(3, 4)),
        case(make.floats(3, 4), 0),
        case(make.floats(5, 4).T, dim=(1,)),
        case(make.floats(3, 4, 2), (0, -1)),
        case(make.complexes(5)),
        case(make.ints(4)),
        case(make.floats(3, 4), (0, 0)),
        case(make.floats(0, 3)),
        case(make.floats(3, 4), 2),
        case(make.floats()),
        case(make.floats(3), ()),
    ]
)


@op(dtype=SAME, batch=OF_ALL_DIMS, linear=True, name="fft.fftshift", samples=shift_samples, node="RollBackward0")
def fftshift(input, dim=None, *, out=None):
    """A spectrum with the frequency zero moved from the front to the middle.

    >>> torch.fft.fftshift(torch.fft.fftfreq(4))
    tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    dims = shifted(input, dim)
    return rolled(input, tuple([input.shape[each] // 2 for each in dims]), tuple(dims))


@op(dtype=SAME, batch=OF_ALL_DIMS, linear=True, name="fft.ifftshift", samples=shift_samples, node="RollBackward0")
def ifftshift(input, dim=None, *, out=None):
    """The inverse of `fftshift`: the frequency zero moved from the middle to the front.

    >>> torch.fft.ifftshift(torch.arange(-2, 2))
    tensor([ 0,  1, -2, -1])
    """
    dims = shifted(input, dim)
    return rolled(input, tuple([(input.shape[each] + 1) // 2 for each in dims]), tuple(dims))


fftshift.gradient(input=lambda grad, dim: ifftshift(grad, dim))
ifftshift.gradient(input=lambda grad, dim: fftshift(grad, dim))


def shifted(input: np.ndarray, dim: Any) -> tuple[int, ...]:
    """The dimensions along which a spectrum is turned."""
    dims = range(input.ndim) if dim is None else several(dim, "dim")
    if not dims:
        raise RuntimeError("`shifts` required: there is no dimension to shift along")
    return tuple([along(each, input.ndim) for each in dims])
