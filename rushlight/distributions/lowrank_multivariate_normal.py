"""The normal distribution of vectors whose covariance is a diagonal plus a product of thin matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.creation.filled import eye
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.scale_matrix import half_log_det, mahalanobis, squared_length, times
from rushlight.distributions.utils import lazy_property
from rushlight.ops.linalg.cholesky import linalg_cholesky
from rushlight.ops.linalg.triangles import solve_triangular
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.broadcasting import broadcast_tensors
from rushlight.ops.shape.diagonals import diag_embed


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and covariance `cov_factor @ cov_factor.mT + diag(cov_diag)`.

    Equations are solved in the number of columns of the factor, by Woodbury's identity.

    >>> made = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
    >>> made.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            columns = broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from error
        self.loc, self.cov_factor, self.cov_diag = columns[0][..., 0], columns[1], columns[2][..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        inner = self._weighted @ cov_factor
        self._capacitance_tril = linalg_cholesky(inner + eye(inner.shape[-1], dtype=inner.dtype))
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    @property
    def _weighted(self) -> Tensor:
        """The factor's columns as rows, divided by the diagonal."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        return self._unbroadcasted_cov_factor.pow(2).sum(-1).add(self._unbroadcasted_cov_diag).expand(self.loc.shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky root of the covariance."""
        roots = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / roots
        inner = scaled @ scaled.mT + eye(self._event_shape[0], dtype=scaled.dtype)
        return self._over_batch(roots * linalg_cholesky(inner))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The matrix of covariances."""
        factor = self._unbroadcasted_cov_factor
        return self._over_batch(factor @ factor.mT + diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        shared = solve_triangular(self._capacitance_tril, self._weighted, upper=False)
        return self._over_batch(diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - shared.mT @ shared)

    def _over_batch(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *matrix.shape[-2:]))

    def expand(self, batch_shape: Any, _instance: Any = None) -> LowRankMultivariateNormal:
        made = self._expanded(LowRankMultivariateNormal, batch_shape, _instance)
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(made, name, getattr(self, name))
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        shape, kind = self._extended_shape(sample_shape), self.loc.dtype
        shared = randn((*shape[:-1], self.cov_factor.shape[-1]), dtype=kind)
        own = randn(shape, dtype=kind)
        return self.loc + times(self._unbroadcasted_cov_factor, shared) + self._unbroadcasted_cov_diag.sqrt() * own

    def _log_det(self) -> Tensor:
        """The logarithm of the determinant of the covariance."""
        return 2 * half_log_det(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _mahalanobis(self, distance: Tensor) -> Tensor:
        """The squared length of a distance, measured by the covariance."""
        own = (distance.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return own - mahalanobis(self._capacitance_tril, times(self._weighted, distance))

    def _root_parts(self) -> list[Tensor]:
        """Matrices whose products with their transposes sum to the covariance."""
        return [self._unbroadcasted_cov_factor, diag_embed(self._unbroadcasted_cov_diag.sqrt())]

    def _whitened_square(self, matrix: Tensor) -> Tensor:
        """The sum of the squared lengths of columns, measured by the covariance."""
        own = squared_length(matrix / self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1))
        return own - squared_length(solve_triangular(self._capacitance_tril, self._weighted @ matrix, upper=False))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + self._mahalanobis(value - self.loc))

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)


__all__ = ["LowRankMultivariateNormal"]
