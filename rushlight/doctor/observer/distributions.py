"""Distributions: samples, densities and entropies, each as one call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.doctor.events import CategoricalMade, DistributionUsed
from rushlight.doctor.observer.looking import is_looking
from rushlight.doctor.places import user_line
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer

METHODS = ("sample", "rsample", "sample_n", "log_prob", "entropy", "cdf", "icdf")


def install(observer: Observer) -> None:
    prepared: set[type] = set()
    made = Distribution.__init__

    @functools.wraps(made)
    def init(self: Distribution, *args: Any, **kwargs: Any) -> None:
        if type(self) not in prepared:
            prepared.add(type(self))
            prepare(observer, type(self))
        made(self, *args, **kwargs)

    observer.patches.replace(Distribution, "__init__", init)
    observer.patches.replace(Categorical, "__init__", categorical(observer, Categorical.__init__))


def categorical(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def made(self: Categorical, probs: Any = None, *args: Any, **kwargs: Any) -> None:
        if not is_looking() or not isinstance(probs, Tensor):
            return function(self, probs, *args, **kwargs)
        record, error = observer.trace.of(probs), None
        try:
            function(self, probs, *args, **kwargs)
        except Exception as raised:
            error = raised
            raise
        finally:
            observer.watch.tell(CategoricalMade(probs, record, error, user_line()))

    return made


def prepare(observer: Observer, kind: type) -> None:
    """Let the observer see the methods of a family, where it has them from; once for each class."""
    for each in kind.__mro__:
        for name in METHODS:
            found = vars(each).get(name)
            if callable(found) and not hasattr(found, "watched") and each is not object:
                observer.patches.replace(each, name, method(observer, name, found))


def method(observer: Observer, name: str, function: Callable) -> Callable:
    @functools.wraps(function)
    def seen(self: Distribution, *args: Any, **kwargs: Any) -> Any:
        if not is_looking():
            return function(self, *args, **kwargs)
        inputs = behind(observer, self)
        value = args[0] if args and name in ("log_prob", "cdf", "icdf") else kwargs.get("value")
        if isinstance(value, Tensor):
            inputs = [observer.trace.of(value), *inputs]

        def run(*args: Any, **kwargs: Any) -> Any:
            return function(self, *args, **kwargs)

        result = observer.run(name, run, args, kwargs)
        place = user_line()
        record = observer.trace.note(name, inputs, result, place)
        observer.watch.finite.look(record, result, args, inputs)
        observer.watch.tell(DistributionUsed(self, name, value, result, place, record))
        return result

    seen.watched = True  # type: ignore[attr-defined]
    return seen


def behind(observer: Observer, distribution: Any) -> list[Record]:
    """The records of the tensors that a distribution was made from, also of those inside of it."""
    found: list[Record] = []
    for each in vars(distribution).values():
        if isinstance(each, Tensor):
            found.append(observer.trace.of(each))
        elif isinstance(each, Distribution):
            found += behind(observer, each)
        elif isinstance(each, list):
            found += [record for one in each if hasattr(one, "__dict__") for record in behind(observer, one)]
    return found
