"""MixtureSameFamily: one of several components of a family, chosen at random."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight.autograd.modes import no_grad
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import NO_SHAPE, Distribution
from rushlight.ops.indexing.gathering import gather


class MixtureSameFamily(Distribution):
    """A mixture: `mixture_distribution` chooses along the last batch dimension of `component_distribution`.

    >>> weights = torch.distributions.Categorical(torch.tensor([0.25, 0.75]))
    >>> peaks = torch.distributions.Normal(torch.tensor([-1.0, 3.0]), torch.tensor([1.0, 1.0]))
    >>> torch.distributions.MixtureSameFamily(weights, peaks).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical, not "
                f"{type(mixture_distribution).__name__}"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution, not "
                f"{type(component_distribution).__name__}"
            )
        given, wanted = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for one, other in zip(reversed(given), reversed(wanted), strict=False):
            if one not in (1, other) and other != 1:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({given}) is not compatible with "
                    f"`component_distribution.batch_shape`({wanted})"
                )
        count, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != components:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({components})"
            )
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        super().__init__(wanted, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> MixtureSameFamily:
        made = self._expanded(MixtureSameFamily, batch_shape, _instance)
        components = self._component_distribution
        made._component_distribution = components.expand(Size((*batch_shape, components.batch_shape[-1])))
        made._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        return made

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """Which component is chosen."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components, along the last batch dimension."""
        return self._component_distribution

    @property
    def _dim(self) -> int:
        """The dimension of the components, from the end of a value of theirs."""
        return -1 - len(self._event_shape)

    def _averaged(self, values: Tensor) -> Tensor:
        """The mean over the components by their weights."""
        weights = self._mixture_distribution.probs
        return (weights.reshape((*weights.shape, *[1] * len(self._event_shape))) * values).sum(self._dim)

    @property
    def mean(self) -> Tensor:
        return self._averaged(self._component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        components = self._component_distribution
        distances = components.mean - self.mean.unsqueeze(self._dim)
        return self._averaged(components.variance + distances.pow(2))

    @property
    def mode(self) -> Tensor:
        """An approximation: of the components' modes, the one where the mixture has the highest density."""
        candidates = self._component_distribution.mode.movedim(self._dim, 0)
        best = self._log_prob(candidates).argmax(0, keepdim=True)
        best = best.reshape((*best.shape, *[1] * len(self._event_shape))).expand((1, *candidates.shape[1:]))
        return gather(candidates, 0, best).squeeze(0)

    def cdf(self, x: Tensor) -> Tensor:
        probabilities = self._component_distribution.cdf(x.unsqueeze(self._dim))
        return (probabilities * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(x)
        return self._log_prob(x)

    def _log_prob(self, x: Tensor) -> Tensor:
        weights = self._mixture_distribution.logits.log_softmax(-1)
        return (self._component_distribution.log_prob(x.unsqueeze(self._dim)) + weights).logsumexp(-1)

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        with no_grad():
            mixture = self._mixture_distribution
            if mixture.batch_shape != self._batch_shape:
                mixture = mixture.expand(self._batch_shape)
            chosen = mixture.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            dim, event = drawn.dim() + self._dim, self._event_shape
            shape = Size((*drawn.shape[:dim], 1, *event))
            chosen = chosen.reshape((*chosen.shape, 1, *[1] * len(event))).expand(shape)
            return gather(drawn, dim, chosen).squeeze(dim)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"


__all__ = ["MixtureSameFamily"]
