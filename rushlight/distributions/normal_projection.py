"""NormalProjection: the last layer of a policy for continuous actions."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.creation import as_tensor
from rushlight.core.creation.filled import zeros
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.independent import Independent
from rushlight.distributions.normal import Normal
from rushlight.distributions.squashed_normal import SquashedNormal
from rushlight.distributions.transform import UNSAID
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter


class NormalProjection(Module):
    """From features `(*, in_features)` to a distribution over actions `(*, actions)` between `low` and `high`.

    >>> policy = torch.distributions.NormalProjection(8, 2, low=-2.0, high=2.0)
    >>> policy(torch.zeros(5, 8)).rsample().shape
    torch.Size([5, 2])

    The mean is a linear function of the features. The scale is one too (`state_dependent=True`), or a parameter that
    all states share; its logarithm is bent smoothly into `log_scale`, a lower and an upper limit. Bounds are numbers
    or one for each action; without bounds (None) actions are not squashed. `cache_size=0` inverts tanh by numbers.
    """

    low: Tensor | None
    high: Tensor | None

    def __init__(
        self,
        in_features: int,
        actions: int,
        low: Any = -1.0,
        high: Any = 1.0,
        *,
        state_dependent: bool = True,
        log_scale: tuple[float, float] = (-5.0, 2.0),
        cache_size: int = UNSAID,
    ):
        super().__init__()
        if (low is None) != (high is None):
            raise ValueError(f"give both bounds or none, not low={low} and high={high}")
        self.in_features, self.actions, self.log_scale, self.cache_size = in_features, actions, log_scale, cache_size
        self.mean = Linear(in_features, actions)
        if state_dependent:
            self.scale = Linear(in_features, actions)
        else:
            self.shared_scale = Parameter(zeros(actions))
        self.state_dependent = state_dependent
        self.squashed = low is not None
        if self.squashed:
            low, high = one_bound(low, actions), one_bound(high, actions)
            if not bool((as_tensor(low) < as_tensor(high)).all()):
                raise ValueError(f"every lower bound must be below its upper bound, but got {low} and {high}")
        self.register_buffer("low", low if isinstance(low, Tensor) else None)
        self.register_buffer("high", high if isinstance(high, Tensor) else None)
        self.bounds = low, high

    def forward(self, features: Tensor) -> Distribution:
        """The distribution over actions, given features."""
        mean = self.mean(features)
        raw = self.scale(features) if self.state_dependent else self.shared_scale
        least, most = self.log_scale
        scale = ((raw.tanh() + 1) * ((most - least) / 2) + least).exp()
        if not self.squashed:
            return Independent(Normal(mean, scale), 1)
        low, high = self.bounds if self.low is None or self.high is None else (self.low, self.high)
        return Independent(SquashedNormal(mean, scale, low, high, cache_size=self.cache_size), 1)

    def extra_repr(self) -> str:
        bounds = f"low={self.bounds[0]}, high={self.bounds[1]}"
        return f"in_features={self.in_features}, actions={self.actions}, {bounds}"


def one_bound(bound: Any, actions: int) -> Any:
    """A bound for all actions: a number where they are equal, which saves work, else a tensor `(actions,)`."""
    if isinstance(bound, (int, float)):
        return float(bound)
    bound = as_tensor(bound)
    if bound.shape not in ((), (1,), (actions,)):
        raise ValueError(f"a bound has to be a number or one for each of the {actions} actions, not {bound}")
    found = bound.expand(actions).clone()
    return found[0].item() if bool((found == found[0]).all()) else found


__all__ = ["NormalProjection"]
