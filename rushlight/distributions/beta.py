"""The beta distribution: shares between 0 and 1."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.creation.creation import tensor
from rushlight.core.numbers.promotion import promote_types
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.dirichlet import Dirichlet
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.functions import log_beta
from rushlight.distributions.utils import broadcast_all
from rushlight.ops.pointwise.exponential import xlog1py, xlogy
from rushlight.ops.shape.joining import stack


class Beta(ExponentialFamily):
    """The share of the first of two parts, with a concentration for each.

    >>> torch.distributions.Beta(torch.tensor(3.0), torch.tensor(1.0)).mean
    tensor(0.7500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self, concentration1: Tensor | float, concentration0: Tensor | float, validate_args: bool | None = None
    ):
        if isinstance(concentration1, Tensor) or isinstance(concentration0, Tensor):
            both = stack(broadcast_all(concentration1, concentration0), -1)
        else:
            both = tensor([float(concentration1), float(concentration0)])
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> Tensor:
        """The concentration of the share itself."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Tensor:
        """The concentration of the rest."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Tensor:
        one, zero = self.concentration1, self.concentration0
        total = one + zero
        return one * zero / (total.pow(2) * (total + 1))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Beta:
        made = self._get_checked_instance(Beta, _instance)
        made._dirichlet = self._dirichlet.expand(batch_shape)
        Distribution.__init__(made, Size(batch_shape), validate_args=False)
        made._validate_args = self._validate_args
        return made

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return self._dirichlet.rsample(sample_shape)[..., 0]

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        one, zero = self.concentration1, self.concentration0
        if value.dtype is not one.dtype:
            # torch lays the value beside its complement, which bools have none of: then both count in promotion
            kind = promote_types((1.0 - value).dtype, one.dtype)
            one, zero, value = one.to(kind), zero.to(kind), value.to(kind)
        return xlogy(one - 1, value) + xlog1py(zero - 1, -value) - log_beta(one, zero)

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:
        return log_beta(x, y)


__all__ = ["Beta"]
