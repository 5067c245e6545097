"""LAPACK: its functions for one matrix, from SciPy, applied to batches of them."""

from __future__ import annotations

import numpy as np

PREFIXES = {"f": "s", "d": "d", "F": "c", "D": "z"}
# rows from which a matrix is worth a call of its own, and SciPy's import
LARGE = 32


def lapack(name, dtype):
    """The function of LAPACK for matrices of this dtype."""
    from scipy.linalg import lapack as functions

    return getattr(functions, PREFIXES[dtype.char] + name)


def blas(name, dtype):
    from scipy.linalg import blas as functions

    return getattr(functions, PREFIXES[dtype.char] + name)


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
