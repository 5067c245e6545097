"""Points: along which dimensions a Fourier transform runs, over how many samples, and how it is scaled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.creation.options import integer
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import check_dim

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# the adjoint of a transform runs the other way with the same factor, which there goes by this name
OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def SPECTRUM(op: Op, arrays: list) -> None:
    """Integers become the default float dtype; half precision, in which torch has no transform, is refused."""
    kind = arrays[0].dtype
    if kind in dtypes.HALF:
        raise RuntimeError(
            f"Unsupported dtype {dtypes.from_numpy(kind).scalar}: convert first, for example with .float()"
        )
    if kind not in dtypes.DIFFERENTIABLE:
        arrays[0] = arrays[0].astype(dtypes.default.numpy)


def scaling(norm: str | None) -> str:
    """The checked name of a scaling: "backward" divides the inverse transform by the number of points,
    "forward" the other one, and "ortho" each by the root of it."""
    if norm is None:
        return "backward"
    if not isinstance(norm, str):
        raise TypeError(f"argument 'norm' must be str, not {type(norm).__name__}")
    if norm not in OPPOSITE:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"; use "backward", "ortho" or "forward"')
    return norm


def opposite(norm: str | None) -> str:
    """The scaling of the adjoint."""
    return OPPOSITE[scaling(norm)]


def on_line(name: str, shape: tuple[int, ...], n: Any, dim: Any, half: bool = False) -> tuple[int, int]:
    """The number of points of a transform and its dimension; with `half` the input is half a spectrum."""
    place = along(integer(dim, f"fft_{name}", "dim", 3), len(shape))
    count = full_size(shape[place], half) if n is None else integer(n, f"fft_{name}", "n", 2)
    return some(count), place


def on_grid(shape: tuple[int, ...], s: Any, dim: Any, half: bool = False) -> tuple[list[int], list[int]]:
    """The dimensions of a transform and the number of points along each; -1 stands for all there are."""
    given = None if s is None else several(s, "s")
    if dim is not None:
        dims = [along(each, len(shape)) for each in several(dim, "dim")]
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"FFT dims must be unique, got {list(several(dim, 'dim'))}")
        if given is not None and len(given) != len(dims):
            raise RuntimeError(
                f"When given, dim and shape arguments must have the same length, got {len(dims)} and {len(given)}"
            )
    else:
        count = len(shape) if given is None else len(given)
        if count > len(shape):
            raise RuntimeError(
                f"Got shape with {count} values but input tensor only has {len(shape)} dimensions: leave some out"
            )
        dims = list(range(len(shape) - count, len(shape)))
    sizes = [shape[place] for place in dims]
    if half and dims:
        sizes[-1] = full_size(sizes[-1], half)
    if given is not None:
        sizes = [there if wanted == -1 else wanted for wanted, there in zip(given, sizes, strict=True)]
    return dims, [some(each) for each in sizes]


def some(count: int) -> int:
    """A number of points, which must not be zero."""
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified: give at least one")
    return count


def full_size(count: int, half: bool) -> int:
    """The number of points behind a spectrum: half a spectrum of m values is taken to be one of 2 (m - 1) points."""
    return 2 * (count - 1) if half else count


def several(value: Any, name: str) -> tuple[int, ...]:
    """One integer or several, as a tuple."""
    given = value if isinstance(value, (tuple, list)) else (value,)
    return tuple([integer(each, "fft", name, 2) for each in given])


def along(dim: int, ndim: int) -> int:
    """A dimension counted from the front; a 0-dim tensor has none."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return check_dim(dim, ndim)


def require_real(name: str, input: np.ndarray, word: str = "real") -> None:
    if input.dtype.kind == "c":
        kind = dtypes.from_numpy(input.dtype).scalar
        raise RuntimeError(
            f"{name} expects a {word} input tensor, but got {kind}: use the transform of complex numbers, without"
            " the r or ih in its name"
        )


def require_dims(name: str, dims: list[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis, so `dim` must not be empty")
