"""The library behind SciPy's Fourier transforms, called as SciPy does, without the layers around it: 1 us, not 6."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

# how a transform is scaled, as a number: not at all, by the root of the number of points, or by that
FACTORS = {"backward": 0, "ortho": 1, "forward": 2}


@functools.cache
def library() -> Any:
    try:
        from scipy.fft._pocketfft import pypocketfft
    except ImportError:  # a SciPy without this private name
        return None
    return pypocketfft


def transformed(kind: str, input: np.ndarray, sizes: list[int], dims: list[int], norm: str) -> np.ndarray:
    """SciPy's fft, ifft, rfft or irfft over dimensions, of the input cut or padded with zeros to these sizes."""
    found = library()
    half, forward = kind == "irfft", kind[0] != "i"
    shape = [input.shape[dim] for dim in dims]
    wanted = [*sizes[:-1], sizes[-1] // 2 + 1] if half else sizes
    if found is not None and shape != wanted:
        input = fitted(input, wanted, dims)
    if found is None or not dims:
        import scipy.fft

        return getattr(scipy.fft, kind + "n")(input, sizes, dims, norm)
    factor = FACTORS[norm] if forward else 2 - FACTORS[norm]
    if half:
        input = input if input.dtype.kind == "c" else input + 0j
        return found.c2r(input, dims, sizes[-1], forward, factor, None, 1)
    return (found.r2c if kind == "rfft" else found.c2c)(input, dims, forward, factor, None, 1)


def fitted(input: np.ndarray, sizes: list[int], dims: list[int]) -> np.ndarray:
    """The input cut or padded with zeros to these sizes along dimensions."""
    shape, kept = list(input.shape), [slice(None)] * input.ndim
    for dim, size in zip(dims, sizes, strict=True):
        kept[dim] = slice(min(size, shape[dim]))
        shape[dim] = size
    part = input[tuple(kept)]
    if part.shape == tuple(shape):
        return part
    padded = np.zeros(shape, input.dtype)
    padded[tuple([slice(size) for size in part.shape])] = part
    return padded
