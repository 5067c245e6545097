"""Constraints on matrices: triangular, symmetric and positive definite ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.distributions.constraints import Constraint
from rushlight.ops.linalg.cholesky import roots


class _Matrix(Constraint):
    """A region of matrices, which are the last two dimensions."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        if value.dim() < 2:
            raise ValueError(f"Expected value.dim() >= 2 but got {value.dim()}")
        return super().check(value)


class _LowerTriangular(_Matrix):
    """Zero above the diagonal."""

    def inside(self, array: np.ndarray) -> Any:
        return np.logical_and.reduce(np.tril(array) == array, (-2, -1))


class _LowerCholesky(_LowerTriangular):
    """Zero above the diagonal, positive on it."""

    def inside(self, array: np.ndarray) -> Any:
        diagonal = array.diagonal(axis1=-2, axis2=-1)
        return super().inside(array) & np.logical_and.reduce(diagonal > 0, -1)


class _CorrCholesky(_LowerCholesky):
    """Roots of correlation matrices: their rows have the length 1."""

    def inside(self, array: np.ndarray) -> Any:
        tolerance = np.finfo(array.dtype).eps * array.shape[-1] * 10
        lengths = np.sqrt(np.add.reduce(array * array, -1))
        return super().inside(array) & np.logical_and.reduce(np.abs(lengths - 1) <= tolerance, -1)


class _Square(_Matrix):
    """As many rows as columns."""

    def inside(self, array: np.ndarray) -> Any:
        return np.full(array.shape[:-2], array.shape[-2] == array.shape[-1])


class _Symmetric(_Square):
    """The same as its transpose, but for rounding."""

    def inside(self, array: np.ndarray) -> Any:
        if array.shape[-2] != array.shape[-1]:
            return super().inside(array)
        mirrored = array.swapaxes(-1, -2)
        near = np.abs(array - mirrored) <= 1e-6 + 1e-5 * np.abs(mirrored)
        return np.logical_and.reduce(near | (array == mirrored), (-2, -1))


class _PositiveSemidefinite(_Symmetric):
    """Symmetric, without negative eigenvalues."""

    def inside(self, array: np.ndarray) -> Any:
        found = super().inside(array)
        return np.logical_and.reduce(np.linalg.eigvalsh(array) >= 0, -1) if found.all() else found


class _PositiveDefinite(_Symmetric):
    """Symmetric, with positive eigenvalues: it has a Cholesky root."""

    def inside(self, array: np.ndarray) -> Any:
        found = super().inside(array)
        return roots(array, False)[1] == 0 if found.all() else found


lower_triangular: Constraint = _LowerTriangular()
lower_cholesky: Constraint = _LowerCholesky()
corr_cholesky: Constraint = _CorrCholesky()
square: Constraint = _Square()
symmetric: Constraint = _Symmetric()
positive_semidefinite: Constraint = _PositiveSemidefinite()
positive_definite: Constraint = _PositiveDefinite()
