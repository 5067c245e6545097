"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.scale_matrix import (
    ScaleMatrix,
    half_log_det,
    mahalanobis,
    only_one,
    root_of_inverse,
    squared_length,
    times,
)
from rushlight.ops.linalg.triangles import solve_triangular
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.broadcasting import broadcast_shapes


class MultivariateNormal(ScaleMatrix):
    """Normal vectors with mean `loc` and one of covariance matrix, precision matrix (its inverse) or Cholesky root.

    >>> torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2)).entropy()
    tensor(2.8379)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = only_one((covariance_matrix, precision_matrix, scale_tril), ValueError)
        if matrix.dim() < 2:
            shown = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{shown} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        self._keep(name, matrix, batch_shape)
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._root(name, matrix)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self.loc.shape)

    def expand(self, batch_shape: Any, _instance: Any = None) -> MultivariateNormal:
        made = self._expanded(MultivariateNormal, batch_shape, _instance)
        made._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        noise = randn(self._extended_shape(sample_shape), dtype=self.loc.dtype)
        return self.loc + times(self._unbroadcasted_scale_tril, noise)

    def _log_det(self) -> Tensor:
        """The logarithm of the determinant of the covariance."""
        return 2 * half_log_det(self._unbroadcasted_scale_tril)

    def _mahalanobis(self, distance: Tensor) -> Tensor:
        """The squared length of a distance, measured by the covariance."""
        return mahalanobis(self._unbroadcasted_scale_tril, distance)

    def _root_parts(self) -> list[Tensor]:
        """Matrices whose products with their transposes sum to the covariance."""
        return [self._unbroadcasted_scale_tril]

    def _whitened_square(self, matrix: Tensor) -> Tensor:
        """The sum of the squared lengths of columns, measured by the covariance."""
        return squared_length(solve_triangular(self._unbroadcasted_scale_tril, matrix, upper=False))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._mahalanobis(value - self.loc) + self._log_det())

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)


__all__ = ["MultivariateNormal"]


# packages reach for the parts by these names
_batch_mahalanobis, _batch_mv, _precision_to_scale_tril = mahalanobis, times, root_of_inverse
