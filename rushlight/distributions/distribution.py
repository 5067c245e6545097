"""Distribution: the base of all families."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.size import Size
from rushlight.core.tensor import Tensor
from rushlight.distributions import constraints


class Distribution:
    """A family says which parameters it takes (`arg_constraints`), where its values lie (`support`), and how
    to draw (`rsample` or `sample`) and weigh (`log_prob`) them.
    """

    has_rsample = False
    has_enumerate_support = False
    arg_constraints: dict[str, Any] = {}  # noqa: RUF012  (each family states its own)
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked where nothing else is said."""
        if value not in (True, False):
            raise ValueError(f"the default must be True or False, not {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = Size(), event_shape: Any = Size(), validate_args: bool | None = None):  # noqa: B008
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self.check_parameters()

    def check_parameters(self) -> None:
        """Refuse parameters outside their region, naming them and their values."""
        for name, region in self.arg_constraints.items():
            # a parameter that is computed from another one on demand was not given
            if constraints.is_dependent(region) or name not in self.__dict__:
                continue
            value = getattr(self, name)
            valid = region.check(value)
            if not valid._array.all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {region!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Distribution:
        """The same distribution over a larger batch."""
        raise NotImplementedError

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters vary."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single value."""
        return self._event_shape

    @property
    def support(self) -> Any:
        """Where values lie."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = Size()) -> Tensor:  # noqa: B008
        """Values drawn at random, without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = Size()) -> Tensor:  # noqa: B008
        """Values drawn at random, with gradients for the parameters."""
        raise NotImplementedError

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of values up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The value below which lies the given probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values, along a new first dimension."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The expected negative log-probability."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """The shape of a sample."""
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        """Refuse values of another shape or outside the support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        expected = self._batch_shape + self._event_shape
        for given, wanted in zip(reversed(value.shape), reversed(expected), strict=False):
            if given != 1 and wanted != 1 and given != wanted:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {expected}."
                )
        if len(value.shape) < len(self._event_shape) or any(
            given != wanted
            for given, wanted in zip(
                value.shape[len(value.shape) - len(self._event_shape) :], self._event_shape, strict=True
            )
        ):
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        region = self.support
        if not region.check(value)._array.all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({region!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        names = [name for name in self.arg_constraints if name in self.__dict__]
        shown = [
            f"{name}: {value if value.numel() == 1 else value.size()}"
            for name, value in ((name, self.__dict__[name]) for name in names)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"
