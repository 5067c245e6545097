"""The Dirichlet distribution: shares that sum to 1."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.core.object.tensor import Tensor
from rushlight.core.random import rejection
from rushlight.distributions import constraints
from rushlight.distributions.distribution import NO_SHAPE
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.pointwise.exponential import xlogy
from rushlight.ops.random.variates import dirichlet_grad, require_one_float
from rushlight.ops.sequences.embedding import one_hot


@op(dtype=SAME, name="_dirichlet_shares", node="_DirichletBackward", samples=None)
def shares(concentration):
    """Shares along the last dim, which follow the concentrations along their quantiles."""
    require_one_float("dirichlet", concentration)
    return rejection.dirichlet(concentration)


def slope(grad: Tensor, concentration: Tensor, result: Tensor) -> Tensor:
    """What a concentration adds to its own share, the others lose in proportion to theirs."""
    total = concentration.sum(-1, keepdim=True).expand(concentration.shape)
    own = dirichlet_grad(result, concentration, total)
    return own * (grad - (result * grad).sum(-1, keepdim=True))


shares.gradient(concentration=slope)


def _Dirichlet_backward(x: Tensor, concentration: Tensor, grad_output: Tensor) -> Tensor:
    """The gradient for the concentrations, given that for the shares `x`; torch's name."""
    return slope(grad_output, concentration, x)


class Dirichlet(ExponentialFamily):
    """Shares of K parts along the last dimension, with a concentration for each.

    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        excess = (self.concentration - 1).clamp(min=0.0)
        found = excess / excess.sum(-1, keepdim=True)
        # with poles in all corners none is higher than another, and the first is taken
        corners = (self.concentration < 1).all(-1)
        found[corners] = one_hot(found[corners].argmax(-1), self._event_shape[0]).to(found.dtype)
        return found

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Dirichlet:
        return self._expanded(Dirichlet, batch_shape, _instance)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        return shares(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return xlogy(self.concentration - 1, value).sum(-1) - self._log_normalizer(self.concentration)

    def entropy(self) -> Tensor:
        excess, total = self.concentration - 1, self.concentration.sum(-1)
        means = self.concentration.digamma() - total.digamma().unsqueeze(-1)
        return self._log_normalizer(self.concentration) - (excess * means).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (self.concentration,)

    def _log_normalizer(self, x: Tensor) -> Tensor:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


__all__ = ["Dirichlet"]
