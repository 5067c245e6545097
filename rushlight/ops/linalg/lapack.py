"""LAPACK: its functions for one matrix, from SciPy, applied to batches of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.core.settings.threads import get_num_threads, set_num_threads
from rushlight.native import extension

# NumPy's functions take 10 us to look at what was looked at here, the loops behind them 1 us
try:
    from numpy.linalg import _umath_linalg as loops
except ImportError:  # a NumPy without this private module
    loops = None

PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}
WIDE = {"f": "d", "d": "d", "F": "D", "D": "D"}
NARROW = {"f": "f", "d": "f", "F": "F", "D": "F"}
# rows from which a matrix is worth a call of its own, and SciPy's import
LARGE = 32


@functools.cache
def scipy_linalg() -> ModuleType:
    """SciPy's module, whose BLAS is another one than NumPy's: it works with as many threads as are asked for here.

    Its own number is that of the cores: a system of 4 x 4 took 12 ms where another process had one of them.
    """
    import scipy.linalg

    if extension is not None:
        set_num_threads(get_num_threads())
    return scipy.linalg


def numpy_loop(name: str) -> Callable | None:
    """A loop of NumPy's linear algebra, whose names differ by version: 2.0 has `svd_m` and `svd_n`, 2.4 `svd`."""
    return getattr(loops, name, None)


def unchecked(name: str, function: Callable, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """What one of NumPy's loops gives, in the precision in which its function computes; the function itself says why
    where that is nothing."""
    loop = numpy_loop(name)
    if loop is None or not arrays[0].size:
        return as_tuple(function(*arrays))
    kind = arrays[0].dtype.char
    # as NumPy's functions do: what is not a number is looked at below
    with np.errstate(all="ignore"):
        found = as_tuple(loop(*[each.astype(WIDE[kind], copy=False) for each in arrays]))
    if np.count_nonzero(found[0] != found[0]):
        found = as_tuple(function(*arrays))
    return tuple([each.astype(NARROW[each.dtype.char]) for each in found]) if kind in "fF" else found


def as_tuple(found: Any) -> tuple[np.ndarray, ...]:
    return tuple(found) if isinstance(found, tuple) else (found,)


@functools.cache
def lapack(name: str, dtype: np.dtype) -> Any:
    """The function of LAPACK for matrices of this dtype."""
    return getattr(scipy_linalg().lapack, PREFIXES[dtype.char] + name)


@functools.cache
def blas(name: str, dtype: np.dtype) -> Any:
    return getattr(scipy_linalg().blas, PREFIXES[dtype.char] + name)


def each_matrix(*arrays):
    """For each place in the batch that the arrays broadcast to: the place, and the matrix of each array there."""
    batch = batch_of(*arrays)
    if not batch:
        # np.broadcast_to and np.ndindex take 15 us together
        yield (), *arrays
        return
    spread = [np.broadcast_to(each, batch + each.shape[-2:]) for each in arrays]
    for place in np.ndindex(batch):
        yield place, *[each[place] for each in spread]


def batch_of(*arrays):
    """The batch dimensions that matrices broadcast to."""
    if all([each.ndim == 2 for each in arrays]):
        return ()
    return np.broadcast_shapes(*[each.shape[:-2] for each in arrays])


def flipped(array):
    """The adjoint of each matrix."""
    array = array.swapaxes(-1, -2)
    return array.conj() if array.dtype.kind == "c" else array
