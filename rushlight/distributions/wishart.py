"""The Wishart distribution: covariance matrices of normal vectors."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.creation import tensor
from rushlight.core.creation.ranges import arange, tril_indices
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.chi2 import Chi2
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.scale_matrix import ScaleMatrix, half_log_det, only_one
from rushlight.distributions.utils import limits
from rushlight.errors.warning import warn
from rushlight.ops.linalg.cholesky import cholesky_solve
from rushlight.ops.linalg.determinants import linalg_slogdet
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.broadcasting import broadcast_shapes
from rushlight.ops.shape.diagonals import diag_embed
from rushlight.ops.special.special import mvlgamma

LOG_2 = math.log(2)


class Wishart(ScaleMatrix, ExponentialFamily):
    """Sums of the outer products of `df` normal vectors, whose covariance is given in one of three ways.

    >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Tensor | float,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ):
        name, matrix = only_one((covariance_matrix, precision_matrix, scale_tril), AssertionError)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        shown, size = df, matrix.shape[-1]
        if not isinstance(df, Tensor):
            df = tensor(df, dtype=matrix.dtype)
        batch_shape = broadcast_shapes(matrix.shape[:-2], df.shape)
        self.df = df.expand(batch_shape)
        if (self.df <= size - 1).any():
            raise ValueError(f"Value of df={shown} expected to be greater than ndim - 1 = {size - 1}.")
        self._keep(name, matrix, batch_shape)
        if (self.df < size).any():
            warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.")
        super().__init__(batch_shape, matrix.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._root(name, matrix)
        self._dist_chi2 = self._lengths()

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def _lengths(self) -> Chi2:
        """The squares of the diagonal of a standard sample's root (Bartlett, 1933)."""
        return Chi2(self.df.unsqueeze(-1) - arange(self._event_shape[-1], dtype=self.df.dtype))

    def _over_matrix(self, number: Tensor) -> Tensor:
        return number.reshape((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        return self._over_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._event_shape[-1] - 1
        return self._over_matrix(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        own = covariance.diagonal(dim1=-2, dim2=-1)
        return self._over_matrix(self.df) * (covariance.pow(2) + own.unsqueeze(-1) * own.unsqueeze(-2))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Wishart:
        made = self._expanded(Wishart, batch_shape, _instance)
        made._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        made._dist_chi2 = made._lengths()
        return made

    def _bartlett_sampling(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        lengths = self._dist_chi2.rsample(sample_shape).sqrt()
        size, kind = self._event_shape[-1], lengths.dtype
        noise = diag_embed(lengths.clamp(min=limits(kind).eps))
        rows, columns = tril_indices(size, size, offset=-1)
        below = randn((*sample_shape, *self._batch_shape, size * (size - 1) // 2), dtype=kind)
        noise[..., rows, columns] = below
        root = self._unbroadcasted_scale_tril @ noise
        return root @ root.mT

    def rsample(self, sample_shape: Any = NO_SHAPE, max_try_correction: int | None = None) -> Tensor:
        """Samples with gradients; a matrix that rounding made singular is drawn again, a few times."""
        drawn = self._bartlett_sampling(sample_shape)
        # torch takes the good ones of the first round for singular and draws them again: so does the same seed here
        again = self._in_any_entry(self.support.check(drawn))
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            fresh = self._bartlett_sampling((int(again.sum()),))
            drawn[again] = fresh
            again[again.clone()] = self._in_any_entry(~self.support.check(fresh))
        return drawn

    def _in_any_entry(self, found: Tensor) -> Tensor:
        """Whether something was found in any entry of the batch, for each sample."""
        return found.reshape((*found.shape[: found.dim() - len(self._batch_shape)], -1)).any(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        root, df, size = self._unbroadcasted_scale_tril, self.df, self._event_shape[-1]
        trace = cholesky_solve(value, root).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            -df * (size * LOG_2 / 2 + half_log_det(root))
            - mvlgamma(df / 2, size)
            + (df - size - 1) / 2 * linalg_slogdet(value).logabsdet
            - trace / 2
        )

    def entropy(self) -> Tensor:
        df, size = self.df, self._event_shape[-1]
        mean_logs = (df.unsqueeze(-1) / 2 - arange(size, dtype=df.dtype) / 2).digamma().sum(-1)
        return (
            (size + 1) * (size * LOG_2 / 2 + half_log_det(self._unbroadcasted_scale_tril))
            + mvlgamma(df / 2, size)
            - (df - size - 1) / 2 * mean_logs
            + df * size / 2
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        size = self._event_shape[-1]
        half = y + (size + 1) / 2
        return half * (LOG_2 * size - linalg_slogdet(-2 * x).logabsdet) + mvlgamma(half, size)


__all__ = ["Wishart"]
