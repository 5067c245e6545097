"""Exponential families: entropy and divergence from the derivatives of the log-normalizer."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.entry import grad
from rushlight.autograd.modes import enable_grad, state
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution


class ExponentialFamily(Distribution):
    """A family whose density is exp(<natural parameters, statistics of x> - log-normalizer) times a carrier."""

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Tensor:
        """The logarithm of what makes the density integrate to one."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The expected logarithm of the carrier."""
        raise NotImplementedError

    def _means_of_statistics(self) -> tuple[list[Tensor], Tensor, Any]:
        """Natural parameters, the log-normalizer, and its gradient: the means of the statistics.

        All keep the history of the parameters; torch's end here.
        """
        given = self._natural_params
        recorded = state.grad and any([each.requires_grad for each in given])
        with enable_grad():
            natural = [each if each.requires_grad else each.detach().requires_grad_() for each in given]
            normalizer = self._log_normalizer(*natural)
            means = grad(normalizer.sum(), natural, create_graph=recorded)
        if recorded:
            return natural, normalizer, means
        return [each.detach() for each in natural], normalizer.detach(), means

    def entropy(self) -> Tensor:
        natural, normalizer, means = self._means_of_statistics()
        found = normalizer - self._mean_carrier_measure
        for parameter, mean in zip(natural, means, strict=True):
            found = found - (parameter * mean).reshape((*self._batch_shape, -1)).sum(-1)
        return found


__all__ = ["ExponentialFamily"]
