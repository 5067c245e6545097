"""Filling: the methods that overwrite a tensor with random numbers, such as `uniform_`."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.options import integer, number
from rushlight.core.memory.deferred import resolved
from rushlight.core.memory.layout import empty_like_array
from rushlight.core.object.tensor import Tensor, method
from rushlight.core.random import random
from rushlight.core.random.random import Generator
from rushlight.core.surface.overriding import overridable
from rushlight.native import shortcut
from rushlight.ops.random.draws import gaussian, uniform, write


def read_bounds(function: str, given: tuple, named: dict[str, Any], defaults: tuple) -> list:
    """The arguments `from` and `to`; the first one is a word of Python's, so it cannot be a parameter."""
    if len(given) > 2:
        raise TypeError(f"{function}() takes from 0 to 2 positional arguments but {len(given)} were given")
    found = [*given, *defaults[len(given) :]]
    for name, value in named.items():
        if name not in ("from", "to") or ("from", "to").index(name) < len(given):
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        found[("from", "to").index(name)] = value
    return found


def real(value: Any, function: str, name: str, position: int) -> float:
    found = number(value, function, name, position)
    if isinstance(found, complex):
        raise TypeError(f"{function}(): argument '{name}' (position {position}) must be float, not complex")
    return found


@method
@overridable
@shortcut
def uniform_(self: Tensor, *bounds: float, generator: Generator | None = None, **named: float) -> Tensor:
    """Overwrite with numbers from `from` (0) up to `to` (1), all equally likely: `uniform_(from, to)`."""
    low, high = read_bounds("uniform_", bounds, named, (0.0, 1.0))
    low, high = real(low, "uniform_", "from", 1), real(high, "uniform_", "to", 2)
    return write(
        self,
        "uniform_",
        "UniformBackward0",
        generator,
        lambda shape, kind: uniform(shape, kind, generator, low, high),
    )


@method
@overridable
@shortcut
def normal_(self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with normal numbers."""
    mean, std = real(mean, "normal_", "mean", 1), real(std, "normal_", "std", 2)
    together = self._array.flags.c_contiguous
    return write(
        self,
        "normal_",
        "NormalBackward0",
        generator,
        lambda shape, kind: gaussian(mean, std, generator, shape, kind, together),
    )


@method
def random_(self: Tensor, *bounds: int, generator: Generator | None = None, **named: int) -> Tensor:
    """Overwrite with whole numbers: all that the dtype holds, `random_(to)` or `random_(from, to)`."""
    node = "RandomBackward1" if len(bounds) == 1 and not named else "RandomBackward0"
    if len(bounds) == 1 and "to" not in named:
        bounds = (0, *bounds)
    low, high = read_bounds("random_", bounds, named, (None, None))
    if low is None and high is None:
        return write(
            self,
            "random_",
            "RandomBackward2",
            generator,
            lambda shape, kind: random.any_integers(shape, kind, generator),
        )
    low = 0 if low is None else integer(low, "random_", "from", 1)
    high = None if high is None else integer(high, "random_", "to", 2)
    return write(
        self,
        "random_",
        node,
        generator,
        lambda shape, kind: random.integers(low, high, shape, kind, generator),
    )


@method
@overridable
@shortcut
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with ones and zeros: ones with probability `p`, a number or a tensor of probabilities."""
    if isinstance(p, Tensor):
        # laid out as the tensor is, since it is filled in the order of its memory
        chances = empty_like_array(self._array, p._array.dtype)
        chances[...] = resolved(p.detach().expand(self.shape)._array)
        chance = random.in_memory_order(chances)
    else:
        chance = real(p, "bernoulli_", "p", 1)
    return write(
        self,
        "bernoulli_",
        "BernoulliBackward1" if isinstance(p, Tensor) else "BernoulliBackward2",
        generator,
        lambda shape, kind: random.bernoulli(chance, shape, kind, generator),
    )


@method
@overridable
@shortcut
def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with waiting times between events that happen `lambd` times per unit of time."""
    rate = real(lambd, "exponential_", "lambd", 1)
    return write(
        self,
        "exponential_",
        "ExponentialBackward0",
        generator,
        lambda shape, kind: random.exponential(shape, kind, rate, generator),
    )


@method
def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with the number of trials up to the first success, which has probability `p`."""
    chance = real(p, "geometric_", "p", 1)
    return write(
        self,
        "geometric_",
        "GeometricBackward0",
        generator,
        lambda shape, kind: random.geometric(shape, kind, chance, generator),
    )


@method
def cauchy_(self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with numbers from the Cauchy distribution."""
    middle, width = real(median, "cauchy_", "median", 1), real(sigma, "cauchy_", "sigma", 2)
    return write(
        self,
        "cauchy_",
        "CauchyBackward0",
        generator,
        lambda shape, kind: random.cauchy(shape, kind, middle, width, generator),
    )


@method
def log_normal_(self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Tensor:
    """Overwrite with numbers whose logarithm is normal."""
    mean, std = real(mean, "log_normal_", "mean", 1), real(std, "log_normal_", "std", 2)
    return write(
        self,
        "log_normal_",
        "LogNormalBackward0",
        generator,
        lambda shape, kind: random.log_normal(shape, kind, mean, std, generator),
    )
