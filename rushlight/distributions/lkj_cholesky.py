"""The distribution of Lewandowski, Kurowicka and Joe: Cholesky roots of correlation matrices."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from rushlight.core.creation.filled import eye
from rushlight.core.creation.ranges import arange
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.beta import Beta
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.utils import broadcast_all, limits
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.diagonals import diag_embed
from rushlight.ops.shape.joining import cat
from rushlight.ops.special.special import mvlgamma


class LKJCholesky(Distribution):
    """Cholesky roots of `dim` x `dim` correlation matrices, whose density is a power of their determinant.

    At `concentration` 1 all correlation matrices are equally likely, above it those near the identity are likelier.

    >>> torch.distributions.LKJCholesky(2, 2.0).sample().shape
    torch.Size([2, 2])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        rows = arange(dim - 1, dtype=self.concentration.dtype)
        offset = cat([rows.new_zeros(1), rows])
        rest = self.concentration.unsqueeze(-1) + 0.5 * (dim - 2) - 0.5 * offset
        # the squared length of each row up to the diagonal (the onion method of the paper)
        self._beta = Beta(offset + 0.5, rest)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    @property
    def mode(self) -> Tensor:
        """The identity, and NaN where the concentration is below 1 and the density has no bound."""
        matrix = eye(self.dim, dtype=self.concentration.dtype).expand(self._extended_shape())
        return matrix.masked_fill((self.concentration < 1)[..., None, None], math.nan)

    def expand(self, batch_shape: Any, _instance: Any = None) -> LKJCholesky:
        made = self._expanded(LKJCholesky, batch_shape, _instance)
        made.dim, made._beta = self.dim, self._beta.expand((*batch_shape, self.dim))
        return made

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        squares = self._beta.sample(sample_shape).unsqueeze(-1)
        directions = randn(self._extended_shape(sample_shape), dtype=squares.dtype).tril(-1)
        directions = directions / directions.norm(dim=-1, keepdim=True)
        # the first row has no direction
        directions[..., 0, :] = 0.0
        below = squares.sqrt() * directions
        rest = 1 - below.pow(2).sum(-1)
        return below + diag_embed(rest.clamp(min=limits(rest.dtype).tiny).sqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        order = self.dim - arange(2, self.dim + 1, dtype=self.concentration.dtype)
        order = order + 2 * (self.concentration - 1).unsqueeze(-1)
        weighted = (order * value.diagonal(dim1=-1, dim2=-2)[..., 1:].log()).sum(-1)
        below = self.dim - 1
        half = self.concentration + 0.5 * below
        constant = 0.5 * below * math.log(math.pi)
        return weighted - constant - mvlgamma(half - 0.5, below) + half.lgamma() * below


__all__ = ["LKJCholesky"]
