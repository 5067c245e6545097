"""Families with a matrix of scales: given by the covariance, by its inverse or by its Cholesky root."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.filled import eye
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import lazy_property
from rushlight.ops.linalg.cholesky import cholesky_inverse, linalg_cholesky
from rushlight.ops.linalg.triangles import solve_triangular

NAMES = ("covariance_matrix", "precision_matrix", "scale_tril")


class ScaleMatrix(Distribution):
    """The base of those families. `_unbroadcasted_scale_tril` is the root without the batch dimensions of others."""

    _unbroadcasted_scale_tril: Tensor

    def _keep(self, name: str, matrix: Tensor, batch_shape: Any) -> None:
        """Keep the matrix that was given under its name."""
        self.__dict__[name] = matrix.expand((*batch_shape, -1, -1))

    def _root(self, name: str, matrix: Tensor) -> Tensor:
        """The Cholesky root of the covariance."""
        if name == "scale_tril":
            return matrix
        return linalg_cholesky(matrix) if name == "covariance_matrix" else root_of_inverse(matrix)

    def _over_batch(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *matrix.shape[-2:]))

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._over_batch(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        root = self._unbroadcasted_scale_tril
        return self._over_batch(root @ root.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._over_batch(cholesky_inverse(self._unbroadcasted_scale_tril))


def only_one(given: tuple[Tensor | None, ...], error: type[Exception]) -> tuple[str, Tensor]:
    """The name and the value of the one matrix that was given, in the order of NAMES."""
    found = [(name, each) for name, each in zip(NAMES, given, strict=True) if each is not None]
    if len(found) != 1:
        raise error("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
    return found[0]


def root_of_inverse(matrix: Tensor) -> Tensor:
    """The lower Cholesky root of the inverse of a matrix, without the inverse."""
    # backwards, the root of the matrix is an upper triangle U with U U' = matrix; U'^-1 is what we look for
    upper = linalg_cholesky(matrix.flip((-2, -1))).flip((-2, -1))
    return solve_triangular(upper.mT, eye(matrix.shape[-1], dtype=matrix.dtype), upper=False)


def half_log_det(root: Tensor) -> Tensor:
    """Half the logarithm of the determinant of a matrix with this Cholesky root."""
    return root.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def times(matrix: Tensor, vector: Tensor) -> Tensor:
    """The product of each matrix and its vector."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def squared_length(matrix: Tensor) -> Tensor:
    """The sum of squares of each matrix."""
    return matrix.pow(2).sum((-2, -1))


def mahalanobis(root: Tensor, vector: Tensor) -> Tensor:
    """The squared length of each vector, measured by the covariance with this root."""
    # vectors that share a root become the columns of one equation
    extra = max(vector.dim() + 1 - root.dim(), 0)
    shared = vector.shape[:extra]
    vector = vector.to(root.dtype)  # a distance of integers
    columns = vector.reshape((math.prod(shared), *vector.shape[extra:])).movedim(0, -1)
    found = solve_triangular(root, columns, upper=False).pow(2).sum(-2)
    return found.movedim(-1, 0).reshape((*shared, *found.shape[:-1]))
