"""Choosing: the best value of a distribution, or sometimes another one."""

from __future__ import annotations

from rushlight.autograd.modes import no_grad
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.distribution import Distribution
from rushlight.ops.random.sampling import rand


def greedy(distribution: Distribution) -> Tensor:
    """The mode of any distribution, or nest of them, without gradients; drawn at random where there is no single one.

    >>> torch.distributions.greedy(torch.distributions.Categorical(torch.tensor([0.2, 0.7, 0.1])))
    tensor(1)
    """
    with no_grad():
        return filled(distribution.mode.detach(), distribution)


def epsilon_greedy(distribution: Distribution, eps: Tensor | float) -> Tensor:
    """A sample with probability `eps`, else the mode: decided for each entry of the batch, for whole values.

    >>> torch.distributions.epsilon_greedy(torch.distributions.Normal(torch.zeros(2), 1.0), 0.0)
    tensor([0., 0.])
    """
    least, most = (eps.min(), eps.max()) if isinstance(eps, Tensor) else (eps, eps)
    if not (least >= 0 and most <= 1):
        raise ValueError(f"eps has to be a probability, between 0 and 1, but got {eps}")
    with no_grad():
        drawn = distribution.sample()
        best = filled(distribution.mode.detach(), distribution, drawn)
        explore = rand(distribution.batch_shape) < eps
        return drawn.where(explore.reshape((*explore.shape, *[1] * len(distribution.event_shape))), best)


def filled(mode: Tensor, distribution: Distribution, drawn: Tensor | None = None) -> Tensor:
    """A mode with samples for what is NaN in it: several values are equally likely there."""
    if not mode.is_floating_point() or not bool((unknown := mode.isnan()).any()):
        return mode
    return (distribution.sample() if drawn is None else drawn).where(unknown, mode)


__all__ = ["epsilon_greedy", "greedy"]
