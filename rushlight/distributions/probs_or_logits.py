"""Families given by the probability of success or by its logit: what is not given is computed on demand."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


class ProbsOrLogits(Distribution):
    """The base of those families; `_param` is the parameter that was given."""

    _param: Tensor

    def _take(self, probs: Any, logits: Any, *others: Any) -> tuple[Tensor, ...]:
        """Keep the one of `probs` and `logits` that is given; the others are brought to its shape and dtype."""
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        *rest, self._param = broadcast_all(*others, given)
        self.__dict__[name] = self._param
        return tuple([each.type_as(self._param) for each in rest])

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter."""
        return self._param.shape

    def _expanded(self, cls: type, batch_shape: Any, _instance: Any = None) -> Any:
        made = super()._expanded(cls, batch_shape, _instance)
        made._param = made.__dict__["logits" if "logits" in made.__dict__ else "probs"]
        return made
