"""Distribution: the base of all families."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.utils import lazy_property
from rushlight.errors.warning import warn

NO_SHAPE = Size()


class Distribution:
    """A family says which parameters it takes (`arg_constraints`), where its values lie (`support`), and how
    to draw (`rsample` or `sample`) and weigh (`log_prob`) them.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args: bool = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked where nothing else is said."""
        if value not in (True, False):
            raise ValueError(f"the default must be True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = NO_SHAPE, event_shape: Any = NO_SHAPE, validate_args: bool | None = None):
        self._batch_shape = batch_shape if type(batch_shape) is Size else Size(batch_shape)
        self._event_shape = event_shape if type(event_shape) is Size else Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    def _validate_parameters(self) -> None:
        """Refuse parameters outside their regions, naming them and their values."""
        try:
            regions = self.arg_constraints
        except NotImplementedError:
            return warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
        given = self.__dict__
        for name, region in regions.items():
            # a parameter that is computed from another one on demand was not given
            if name not in given and isinstance(getattr(type(self), name), lazy_property):
                continue
            if constraints.is_dependent(region):
                continue
            value = getattr(self, name)
            if not region.holds(value):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {region!r}, but found invalid values:\n{value}"
                    f"{outside(name, region, value)}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """The same distribution over a larger batch."""
        raise NotImplementedError(f"{type(self).__name__} has no expand")

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters vary."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single value."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """The region of each parameter."""
        raise NotImplementedError(f"{type(self).__name__} has no arg_constraints")

    @property
    def support(self) -> Any:
        """Where values lie."""
        raise NotImplementedError(f"{type(self).__name__} has no support")

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError(f"{type(self).__name__} has no mean")

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise NotImplementedError(f"{type(self).__name__} has no variance")

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        """Values drawn at random, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = NO_SHAPE) -> Tensor:
        """Values drawn at random, with gradients for the parameters."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample")

    def sample_n(self, n: int) -> Tensor:
        """Deprecated: `sample((n,))`."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of values up to `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """The value below which lies the given probability."""
        raise NotImplementedError(f"{type(self).__name__} has no icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along a new first dimension; `expand=False` leaves sizes of 1 for the batch."""
        raise NotImplementedError(f"{type(self).__name__} has no enumerate_support")

    def entropy(self) -> Tensor:
        """The expected negative log-probability."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = NO_SHAPE) -> Size:
        """The shape of a sample."""
        if type(sample_shape) in (Size, tuple) and not sample_shape and not self._event_shape:
            return self._batch_shape
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Refuse values of another shape or outside the support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, event = value.shape, self._event_shape
        expected = self._batch_shape
        if event:
            expected = expected + event
            if len(shape) < len(event) or shape[len(shape) - len(event) :] != event:
                raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event}.")
        if shape != expected:
            for given, wanted in zip(reversed(shape), reversed(expected), strict=False):
                if given != 1 and wanted != 1 and given != wanted:
                    raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            region = self.support
        except NotImplementedError:
            return warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
        if not region.holds(value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({region!r}) of the distribution {self!r}, but found invalid values:\n{value}"
                f"{outside('value', region, value)}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """An empty object for `expand` to fill."""
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def _expanded(self, cls: type, batch_shape: Any, _instance: Any = None) -> Any:
        """What `expand` of most families returns: the parameters that are there, over a larger batch."""
        made = self._get_checked_instance(cls, _instance)
        batch_shape, batch_dims = Size(batch_shape), len(self._batch_shape)
        for name in self.arg_constraints:
            if name in self.__dict__:
                value = self.__dict__[name]
                made.__dict__[name] = value.expand((*batch_shape, *value.shape[batch_dims:]))
        Distribution.__init__(made, batch_shape, self._event_shape, validate_args=False)
        made._validate_args = self._validate_args
        return made

    def __repr__(self) -> str:
        given = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given.items()]
        return f"{type(self).__name__}({', '.join(shown)})"


def outside(name: str, region: Any, value: Tensor) -> str:
    """A line that names those values (at most five) that are not in the region, by their indices."""
    while isinstance(region, constraints._IndependentConstraint):
        region = region.base_constraint
    found = region.check(value.detach())
    if found.dim() == 0:
        return ""
    if found.shape != value.shape[: found.dim()]:  # one value, bounds of several
        value = value.expand((*found.shape, *value.shape[value.dim() - region.event_dim :]))
    wrong, shown = (~found).nonzero().tolist(), []
    for index in wrong[:5]:
        text = str(value[tuple(index)].tolist())
        shown.append(f"{name}{index}" + (f" = {text}" if len(text) < 80 else ""))
    rest = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    return f"\nInvalid: {', '.join(shown)}{rest}"


__all__ = ["Distribution"]
